"""Answers of models acting as raters, in a table of their own, never mixed with the answers of people."""

import json

from django.db import models
from django.utils.translation import gettext_lazy as _

from evaluation.models.rounds import Item, Round
from modelbridge.models import SystemRevision

MARKED = "marked"
"""The stored answer of a judge that marked errors; the marks themselves are in `provenance`."""


class MachineJudgement(models.Model):
    """One answer of one judge. swapped: the question was asked with the two texts of a pair exchanged.

    answer: canonical, as for people; "invalid" when the output matches no option, then `said` holds the output. Of
    marked errors "marked"; then `provenance` holds the marks and how many quotes were aligned, and `said` the output.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="machine_judgements")
    item = models.ForeignKey(Item, models.PROTECT, related_name="machine_judgements")
    revision = models.ForeignKey(SystemRevision, models.PROTECT, related_name="+")
    question = models.CharField(max_length=60, help_text=_("key of the question in the round"))
    swapped = models.BooleanField(default=False)
    answer = models.CharField(max_length=60)
    said = models.TextField(blank=True, default="")
    provenance = models.JSONField(default=dict, help_text=_("decoding, seed, versions, tokens and cost"))
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "revision", "question", "swapped"], name="machine_judgement_once"),
        ]
        indexes = [models.Index(fields=["round", "id"], name="machine_judgement_list")]

    @property
    def full_answer(self) -> str:
        """The answer in the form of people's: of marked errors the JSON list of the marks."""
        if self.answer != MARKED:
            return self.answer
        return json.dumps(self.provenance.get("marks", []), ensure_ascii=False, separators=(",", ":"))

    @property
    def n_unaligned(self) -> int:
        """Quotes of a judge that are not in the text, or are of an undeclared kind; 0 for other answers."""
        return int(self.provenance.get("unaligned", 0)) if self.answer == MARKED else 0

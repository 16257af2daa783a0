"""Decisions of a third person on questions on which raters disagreed."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from evaluation.models.rounds import Item, Round


class Adjudication(models.Model):
    """A decision about one question of an item. It changes no answer; a new decision replaces the old one."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="adjudications")
    item = models.ForeignKey(Item, models.PROTECT, related_name="adjudications")
    question = models.CharField(max_length=60)
    place = models.PositiveSmallIntegerField(default=0, help_text=_("of a pair: which text, 1 or 2; 0 for both"))
    answer = models.TextField()
    note = models.TextField(blank=True, default="")
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "question", "place"], name="adjudication_once"),
        ]

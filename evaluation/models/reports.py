"""Decisions of a third person on questions on which raters disagreed, and links to read a report."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.base import PublicId
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


class ReportLink(PublicId):
    """A secret address at which anybody reads the report of an unblinded round until it expires.

    Only a digest of the secret is stored; the address itself is shown once.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="report_links")
    name = models.CharField(max_length=100, help_text=_("for the team: who it is for"))
    digest = models.CharField(max_length=64, unique=True, help_text=_("SHA-256 of the secret"))
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["round", "-id"], name="report_link_list")]

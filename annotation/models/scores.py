"""Scores of summaries: one row per text and signature, never changed."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.projects import Project


class Score(models.Model):
    """One measure of one annotation or output. Another signature (method, options, tagger) makes another row."""

    class Target(models.TextChoices):
        ANNOTATION = "annotation", _("annotation")
        OUTPUT = "output", _("output of a system")

    project = models.ForeignKey(Project, models.CASCADE, related_name="scores")
    target_kind = models.CharField(max_length=10, choices=Target)
    target_id = models.BigIntegerField()
    measure = models.CharField(max_length=40)
    value = models.FloatField(null=True)
    undefined = models.TextField(blank=True, default="", help_text=_("why there is no value"))
    signature = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["target_kind", "target_id", "signature"], name="score_once_per_signature"),
            models.CheckConstraint(
                condition=Q(value__isnull=False, undefined="") | (Q(value__isnull=True) & ~Q(undefined="")),
                name="score_value_or_reason",
            ),
        ]
        indexes = [models.Index(fields=["project", "target_kind", "measure"], name="score_by_measure")]

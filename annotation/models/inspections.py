"""Inspection of submitted annotations: the weekly sample and the verdicts of reviewers."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.annotations import Annotation
from annotation.models.base import PublicId
from annotation.models.projects import Project


class Verdict(models.TextChoices):
    ACCEPT = "accept", _("accept")
    REVISE = "revise", _("revise")
    REJECT = "reject", _("reject")


class InspectionWeek(models.Model):
    """A week whose sample was drawn, and its seed. `final`: drawn after the week's end, so nothing is added."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="inspection_weeks")
    week = models.CharField(max_length=8, help_text=_("ISO week in the project's time zone, as in 2026-W47"))
    seed = models.CharField(max_length=64)
    final = models.BooleanField(default=False)
    drawn_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "week"], name="inspection_week_once")]


class InspectionSample(models.Model):
    """An annotation to be inspected; `second`: a second inspection by another reviewer, to measure agreement."""

    class Reason(models.TextChoices):
        DRAWN = "drawn", _("drawn at random")
        FULL = "full", _("complete inspection of the week")

    project = models.ForeignKey(Project, models.CASCADE, related_name="inspection_samples")
    annotation = models.ForeignKey(Annotation, models.CASCADE, related_name="inspection_samples")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    week = models.CharField(max_length=8)
    seed = models.CharField(max_length=64)
    second = models.BooleanField(default=False)
    reason = models.CharField(max_length=5, choices=Reason, default=Reason.DRAWN)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotation", "second"], name="inspection_sample_once"),
        ]
        indexes = [models.Index(fields=["project", "week", "annotator"], name="inspection_sample_week")]


class Inspection(PublicId):
    """One reviewer's verdict on one revision. The first verdict decides the state of the assignment."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="inspections")
    annotation = models.ForeignKey(Annotation, models.PROTECT, related_name="inspections")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="inspections")
    second = models.BooleanField(default=False, help_text=_("for the agreement only: it changes no state"))
    verdict = models.CharField(max_length=6, choices=Verdict, help_text=_("the strictest of its parts"))
    verdicts = models.JSONField(help_text=_("part -> verdict and comment"))
    comments = models.JSONField(default=list, help_text=_("on the summary: start, end (code points), quote, comment"))
    comment = models.TextField(blank=True, default="")
    seconds = models.FloatField(null=True, help_text=_("from opening the page to the verdict, on the server's clock"))
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotation", "reviewer"], name="inspection_once_per_reviewer"),
            models.UniqueConstraint(fields=["annotation", "second"], name="inspection_first_and_second"),
            models.CheckConstraint(condition=Q(verdict__in=Verdict.values), name="inspection_verdict_known"),
        ]
        indexes = [models.Index(fields=["project", "id"], name="inspection_list")]

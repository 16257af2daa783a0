"""The pilot that qualifies annotators: its samples, its candidates, and the team's decision on each.

Texts of a pilot belong to a separate project (`Project.pilot_of`) that no list shows, so they cannot appear in an
export, a count or a figure of the main project.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.base import PublicId
from annotation.models.projects import Project
from annotation.models.samples import Sample


class PilotSample(models.Model):
    """A sample that every candidate writes, and its original in the main project, which is set aside."""

    pilot = models.ForeignKey(Project, models.CASCADE, related_name="pilot_samples")
    sample = models.OneToOneField(Sample, models.CASCADE, related_name="pilot_sample")
    origin = models.ForeignKey(Sample, models.PROTECT, related_name="copied_to_pilots")
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    added_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pilot", "origin"], name="pilot_sample_once")]


class PilotState(models.TextChoices):
    """State of a candidate. The first three follow from the assignments, the last two from the verdict."""

    INVITED = "invited", _("invited")
    IN_PILOT = "in_pilot", _("in the pilot")
    SUBMITTED = "submitted", _("waiting for a decision")
    QUALIFIED = "qualified", _("qualified")
    REJECTED = "rejected", _("rejected")


class PilotCandidate(PublicId):
    """An annotator invited to write the pilot. `verdict` is empty until the team has decided."""

    class Verdict(models.TextChoices):
        QUALIFIED = "qualified", _("qualified")
        REJECTED = "rejected", _("rejected")

    project = models.ForeignKey(Project, models.CASCADE, related_name="pilot_candidates")
    pilot = models.ForeignKey(Project, models.CASCADE, related_name="candidates")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="pilot_candidates")
    verdict = models.CharField(max_length=9, choices=Verdict, blank=True, default="")
    reason = models.TextField(blank=True, default="", help_text=_("of the verdict; the candidate reads it"))
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", help_text=_("empty: asked for a task")
    )
    invited_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="pilot_candidate_once"),
            models.CheckConstraint(
                condition=Q(verdict="", decided_at=None)
                | Q(verdict__in=["qualified", "rejected"], decided_at__isnull=False),
                name="pilot_verdict_whole",
            ),
        ]
        indexes = [models.Index(fields=["pilot"], name="pilot_candidate_list")]


class PilotDecision(models.Model):
    """One decision on a candidate, or its reversal; never changed. `number` admits only one of two concurrent ones."""

    class Kind(models.TextChoices):
        QUALIFIED = "qualified", _("qualified")
        REJECTED = "rejected", _("rejected")
        REOPENED = "reopened", _("decision reversed")

    candidate = models.ForeignKey(PilotCandidate, models.CASCADE, related_name="decisions")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=9, choices=Kind)
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["candidate", "number"], name="pilot_decision_number_once")]

"""The pilot before the work: its samples, the annotators who write it, and what the team decided about each.

What is written in a pilot belongs to a project of its own (`Project.pilot_of`), which no list shows. So nothing of it
can get into an export, a count or a figure of the project it is for.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.base import PublicId
from annotation.models.projects import Project
from annotation.models.samples import Sample


class PilotSample(models.Model):
    """A sample every candidate writes, and the one of the project it was copied from, which is set aside for it."""

    pilot = models.ForeignKey(Project, models.CASCADE, related_name="pilot_samples")
    sample = models.OneToOneField(Sample, models.CASCADE, related_name="pilot_sample")
    origin = models.ForeignKey(Sample, models.PROTECT, related_name="copied_to_pilots")
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    added_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pilot", "origin"], name="pilot_sample_once")]


class PilotState(models.TextChoices):
    """How far a candidate is. The first three follow from what was written, the last two were decided."""

    INVITED = "invited", _("invited")
    IN_PILOT = "in_pilot", _("in the pilot")
    SUBMITTED = "submitted", _("waits for the decision")
    QUALIFIED = "qualified", _("qualified")
    REJECTED = "rejected", _("rejected")


class PilotCandidate(PublicId):
    """An annotator who is asked to write the pilot. `verdict` is empty until the team has decided."""

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
    """One decision about a candidate, or its taking back; never changed. Two at once: the number lets one in."""

    class Kind(models.TextChoices):
        QUALIFIED = "qualified", _("qualified")
        REJECTED = "rejected", _("rejected")
        REOPENED = "reopened", _("decision taken back")

    candidate = models.ForeignKey(PilotCandidate, models.CASCADE, related_name="decisions")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=9, choices=Kind)
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["candidate", "number"], name="pilot_decision_number_once")]

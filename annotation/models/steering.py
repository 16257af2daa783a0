"""Bulk actions of staff, reservations, samples that left the pool, and cached counts of large projects."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.assignments import Slot
from annotation.models.base import PublicId
from annotation.models.projects import Project
from annotation.models.samples import Sample


class BulkAction(PublicId):
    """One action on many assignments, with the data needed to undo it."""

    class Kind(models.TextChoices):
        RELEASE = "release", _("release a person's tasks")
        VOID = "void", _("void a person's work")
        RETURN = "return", _("return summaries written under older rules")
        REOPEN = "reopen", _("void summaries written under older rules")
        REASSIGN = "reassign", _("reassign a person's open tasks")
        RESERVE = "reserve", _("reserve open tasks for a person")

    project = models.ForeignKey(Project, models.CASCADE, related_name="bulk_actions")
    kind = models.CharField(max_length=10, choices=Kind)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", help_text=_("empty: of several people")
    )
    other = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    since = models.DateTimeField(null=True)
    until = models.DateTimeField(null=True)
    items = models.JSONField(default=list, help_text=_("id of an attempt, its slot, its state before"))
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)
    undone_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    restored = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["release", "void", "return", "reopen", "reassign", "reserve"]),
                name="bulk_action_kind_known",
            ),
        ]
        indexes = [models.Index(fields=["project", "-id"], name="bulk_action_list")]

    @property
    def reserves_places(self) -> bool:
        """Whether it took no task from anybody, so that only its reservations are undone."""
        return self.kind == BulkAction.Kind.RESERVE


class Reservation(models.Model):
    """An open slot reserved for one person until a given time; then it is available to everybody without any update."""

    slot = models.OneToOneField(Slot, models.CASCADE, primary_key=True, related_name="reservation")
    project = models.ForeignKey(Project, models.CASCADE, related_name="reservations")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="reservations")
    action = models.ForeignKey(BulkAction, models.CASCADE, related_name="reservations")
    until = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["project", "user", "until"], name="reservation_of_person")]


class PoolExit(models.Model):
    """A sample that too many annotators skipped: its open slots are parked. Once put back, it stays in the pool."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="pool_exits")
    sample = models.OneToOneField(Sample, models.CASCADE, related_name="pool_exit")
    skips = models.PositiveSmallIntegerField()
    at = models.DateTimeField()
    back_at = models.DateTimeField(null=True)
    redrawn = models.OneToOneField(Sample, models.PROTECT, null=True, related_name="redrawn_from")

    class Meta:
        indexes = [models.Index(fields=["project", "-id"], name="pool_exit_list")]


class StoredCounts(models.Model):
    """Counts of a large project, refreshed by a sweeper every minute so that the dashboard loads quickly."""

    project = models.OneToOneField(Project, models.CASCADE, primary_key=True, related_name="stored_counts")
    counts = models.JSONField()
    at = models.DateTimeField()
    ledger = models.JSONField(default=dict, help_text=_("days by person and state; event and time of their counting"))

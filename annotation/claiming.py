"""Abstract models for slots and claims: the mechanism that collects exactly N answers.

A slot is one answer to be collected. A claim is the unit one person works on now; it carries the lease. An attempt
is one person's work on one slot and is never reassigned. Races are decided by database constraints: one live
attempt per slot, one open claim per (project, person). The search for an open slot only proposes a candidate.
"""

from typing import ClassVar, Self, TypeVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class SlotState(models.TextChoices):
    WAITING = "waiting", _("waiting for topics and speakers")
    OPEN = "open", _("open")
    TAKEN = "taken", _("taken")
    FILLED = "filled", _("filled")
    PARKED = "parked", _("parked")

    FREE: ClassVar[tuple["SlotState", ...]]
    """Nobody has it: it can be claimed, or waits for topics and speakers."""
    UNFILLED: ClassVar[tuple["SlotState", ...]]
    """An answer is still to come."""


SlotState.FREE = (SlotState.OPEN, SlotState.WAITING)
SlotState.UNFILLED = (SlotState.OPEN, SlotState.TAKEN, SlotState.WAITING)


SlotModel = TypeVar("SlotModel", bound="AbstractSlot")


class SlotQuerySet(models.QuerySet[SlotModel]):
    def open(self) -> Self:
        """Slots that can be claimed."""
        return self.filter(state=SlotState.OPEN)

    def free(self) -> Self:
        """Slots that nobody has, also those that wait for topics and speakers."""
        return self.filter(state__in=SlotState.FREE)


class AbstractSlot(models.Model):
    """One answer to be collected. Its state mirrors the live attempt; the unique constraint on attempts decides."""

    number = models.PositiveSmallIntegerField(help_text=_("from 1 to the overlap"))
    state = models.CharField(max_length=8, choices=SlotState, default=SlotState.OPEN)

    class Meta:
        abstract = True


class AbstractClaim(models.Model):
    """The unit one person works on now, with its lease; closed when none of its attempts is open."""

    opened_at = models.DateTimeField()
    lease_until = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    def is_live(self) -> bool:
        return self.closed_at is None and self.lease_until > timezone.now()

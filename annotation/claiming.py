"""Slots and claims: the mechanism that collects exactly N answers, as abstract models and parts of queries.

A slot is one answer to be collected. A claim is the unit one person works on now; it carries the lease. An attempt
is one person's work on one slot and is never reassigned. Races are decided by database constraints: one live
attempt per slot, one open claim per (project, person). The search for an open slot only proposes a candidate.

Tasks (annotation.services.tasks) and ratings (evaluation.services.rating) use this module; steps that write are in
annotation.services.core.slot_claims. What workers claim is in annotation.models.leased_work.
"""

from datetime import timedelta
from typing import Any, ClassVar, Self, TypeVar

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

Row = TypeVar("Row", bound=models.Model)


class SlotState(models.TextChoices):
    WAITING = "waiting", _("waiting for topics and speakers")
    OPEN = "open", _("open")
    TAKEN = "taken", _("taken")
    FILLED = "filled", _("filled")
    PARKED = "parked", _("parked")

    FREE: ClassVar[tuple["SlotState", ...]]
    """Nobody has it: it can be claimed, or waits for topics and speakers."""
    HELD: ClassVar[tuple["SlotState", ...]]
    """Somebody's attempt is or was submitted in it, or is under way."""
    UNFILLED: ClassVar[tuple["SlotState", ...]]
    """An answer is still to come."""


SlotState.FREE = (SlotState.OPEN, SlotState.WAITING)
SlotState.HELD = (SlotState.TAKEN, SlotState.FILLED, SlotState.PARKED)
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


def lock_rows(rows: "models.QuerySet[Row, Any]", *, skip_locked: bool = True) -> "models.QuerySet[Row, Any]":
    """Lock the rows, but no joined ones, until the end of the transaction. skip_locked: leave out rows that others have
    locked instead of waiting for them. SQLite has no row locks: its write transactions run one after another."""
    return rows.select_for_update(skip_locked=skip_locked, of=("self",), no_key=True)


def lease_end(lease: timedelta | models.Expression) -> models.ExpressionWrapper:
    """The end of a lease that starts now, on the database's clock, so that a worker's wrong clock cannot end leases."""
    return models.ExpressionWrapper(Now() + lease, output_field=models.DateTimeField())

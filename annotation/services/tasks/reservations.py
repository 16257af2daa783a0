"""Reservations: open slots reserved for one person until a given time; afterwards anybody can get them.

A reservation is only a row that points to the slot: it expires by itself, and code that closes or parks the slot may
ignore it.
"""

from collections.abc import Collection
from datetime import timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.claiming import lease_end
from annotation.models import BulkAction, Project, Reservation, Slot
from annotation.services.core.errors import BadInput
from annotation.services.core.prepared_queries import Param

DAYS = 7
MAX_DAYS = 60


def live_reservations() -> QuerySet[Reservation]:
    return Reservation.objects.filter(until__gt=Now())


def reserved_for_others(user: int | Param) -> QuerySet[Reservation]:
    """Subquery on a slot: its live reservation for somebody else."""
    return live_reservations().filter(slot=OuterRef("pk")).exclude(user=user)


def has_reserved_slot(project: int | Param, user: int | Param) -> Exists:
    """Whether an open slot is reserved for this person; part of a query that claiming runs anyway."""
    return Exists(live_reservations().filter(project=project, user=user, slot__state="open"))


def reserved_slots(project: int | Param, user: int | Param) -> QuerySet[Slot]:
    """The open slots reserved for this person, in order."""
    rows = Slot.objects.filter(state="open", reservation__user=user, reservation__until__gt=Now())
    return rows.filter(reservation__project=project).order_by("pk")


def check_days(days: int) -> int:
    if not 1 <= days <= MAX_DAYS:
        raise BadInput(_("Tasks can be reserved for 1 to %(most)d days.") % {"most": MAX_DAYS}, field="days")
    return days


def store_reservations(
    *, project: Project, slots: Collection[int], user: AbstractBaseUser, action: BulkAction, days: int = DAYS
) -> int:
    """Reserve those of the slots that are open; returns how many. The caller's transaction has locked them."""
    open_ids = list(Slot.objects.open().filter(pk__in=slots).order_by("pk").values_list("pk", flat=True))
    Reservation.objects.filter(slot__in=open_ids).delete()
    until = lease_end(timedelta(days=check_days(days)))
    Reservation.objects.bulk_create(
        Reservation(slot_id=pk, project=project, user_id=user.pk, action=action, until=until) for pk in open_ids
    )
    return len(open_ids)

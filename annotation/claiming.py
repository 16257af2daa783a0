"""The one mechanism for exactly-N: abstract rows for slots, claims and attempts.

A slot is one place to be filled. A claim is the unit one person holds now; it carries the lease. An attempt
is one person's try at one slot and is never given to somebody else. What two requests can race on is a constraint:
one live attempt per slot, one open claim per (project, person). Looking for a free slot only picks; the keys decide.
"""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class SlotState(models.TextChoices):
    WAITING = "waiting", _("waiting for topics and speakers")
    OPEN = "open", _("open")
    TAKEN = "taken", _("taken")
    FILLED = "filled", _("filled")
    PARKED = "parked", _("parked")


class AbstractSlot(models.Model):
    """A place to be filled once. Its state says what the live attempt says; the unique key on attempts decides."""

    number = models.PositiveSmallIntegerField(help_text=_("from 1 to the overlap"))
    state = models.CharField(max_length=8, choices=SlotState, default=SlotState.OPEN)

    class Meta:
        abstract = True


class AbstractClaim(models.Model):
    """What one person holds now, with its lease; closed when nothing of it is open any more."""

    opened_at = models.DateTimeField()
    lease_until = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    def is_live(self) -> bool:
        return self.closed_at is None and self.lease_until > timezone.now()

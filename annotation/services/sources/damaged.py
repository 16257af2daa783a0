"""Damaged sources: a flag that parks all open slots of a source, and reopens them when it is removed."""

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Q
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, Project, SampleState, Slot, SlotState, SourceDocument
from annotation.services.core import audit
from annotation.services.core.errors import BadInput
from annotation.transactions import write_transaction

MAX_REASON = 2000


def flag_damaged(*, document: SourceDocument, reason: str, by: AbstractBaseUser | None) -> int:
    """Park all open and waiting slots of the source; returns how many. A claimed slot stays with its annotator and is
    parked when it is released (`state_when_free`). Raises BadInput without a reason."""
    if not reason.strip() or len(reason) > MAX_REASON:
        raise BadInput(
            _("Describe what is wrong with the source, in at most %(n)d characters.") % {"n": MAX_REASON},
            field="reason",
        )
    with write_transaction():
        SourceDocument.objects.filter(pk=document.pk).update(damaged=True, damaged_reason=reason)
        parked = Slot.objects.free().filter(document_id=document.pk).update(state=SlotState.PARKED)
        audit.record_event(
            project=document.project,
            actor=by,
            verb=AuditVerb.SOURCE_FLAG_DAMAGED,
            target=f"document:{document.public_id}",
            slots=parked,
        )
    document.damaged, document.damaged_reason = True, reason
    return parked


def unflag_damaged(*, document: SourceDocument, by: AbstractBaseUser | None) -> int:
    """Reopen the parked slots; returns how many. Slots of void and pilot samples stay parked."""
    with write_transaction():
        SourceDocument.objects.filter(pk=document.pk).update(damaged=False, damaged_reason="")
        document.damaged, document.damaged_reason = False, ""
        parked = Slot.objects.filter(document_id=document.pk, state=SlotState.PARKED).exclude(
            sample__state__in=[SampleState.VOID, SampleState.PILOT]
        )
        waiting = Q(pk__in=[])
        if document.project.phases == Project.Phases.TWO:
            waiting = Q(sample__isnull=False, group__frozen_at__isnull=True)
        to_wait = list(parked.filter(waiting).values_list("pk", flat=True))
        freed = Slot.objects.filter(pk__in=to_wait).update(state=SlotState.WAITING)
        freed += Slot.objects.filter(pk__in=list(parked.values_list("pk", flat=True))).update(state=SlotState.OPEN)
        audit.record_event(
            project=document.project,
            actor=by,
            verb=AuditVerb.SOURCE_UNFLAG_DAMAGED,
            target=f"document:{document.public_id}",
            slots=freed,
        )
    return freed


def state_when_free(document: SourceDocument) -> SlotState:
    """The state of a slot after its release: open, or parked if the source is damaged."""
    return SlotState.PARKED if document.damaged else SlotState.OPEN

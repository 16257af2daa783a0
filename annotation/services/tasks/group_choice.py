"""Freezes topics and speakers of a group. The first choice is final; slots waiting for it are opened."""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import GroupChoice
from annotation.models import Assignment, AuditVerb, Group, Slot, SlotState
from annotation.services.core import audit
from annotation.services.core.errors import Conflict
from annotation.services.tasks import leases, task_context


def freeze_group(*, assignment: Assignment, chosen: GroupChoice, page_order: Any = None) -> None:
    """Store the choice if the group is not frozen yet, and open waiting slots. Must run inside a transaction."""
    now = timezone.now()
    decisions = _add_positions(assignment, chosen.decisions, page_order)
    first = Group.objects.filter(pk=assignment.group_id, frozen_at=None).update(
        chosen=chosen.values, frozen_at=now, chosen_by_id=assignment.annotator_id, decisions=decisions
    )
    assignment.group = Group.objects.select_related("document__source_text").get(pk=assignment.group_id)
    if not first:
        check_same_choice(assignment.group, chosen)
        return
    waiting = Slot.objects.filter(group_id=assignment.group_id, state=SlotState.WAITING)
    leases.free_slots(waiting.values_list("pk", flat=True))
    audit.record_event(
        project=assignment.project,
        actor=assignment.annotator,
        verb=AuditVerb.GROUP_CHOOSE,
        target=f"group:{assignment.group.public_id}",
    )


def check_same_choice(group: Group, chosen: GroupChoice) -> None:
    """Raise Conflict unless the frozen choice is the same; the order within an attribute does not matter."""
    frozen = {key: sorted(group.chosen.get(key, [])) for key in group.asks}
    if frozen != {key: sorted(texts) for key, texts in chosen.values.items()}:
        raise Conflict(
            _("Another annotator just chose for this source. Their choice applies to all its summaries."),
            code="frozen",
            frozen=group.chosen,
        )


def _add_positions(assignment: Assignment, decisions: list[dict[str, Any]], page_order: Any) -> list[dict[str, Any]]:
    """Add to each decision the position, from 1, at which its candidate was shown."""
    schema = task_context.schema_for(assignment)
    positions: dict[tuple[str, str], int] = {}
    for key, rows in task_context.candidates_for(assignment, schema).items():
        order = [row["text"] for row in task_context.order_candidates(assignment, schema, key, rows)]
        shown_texts = page_order.get(key) if isinstance(page_order, dict) else None
        if (
            isinstance(shown_texts, list)
            and all(isinstance(text, str) for text in shown_texts)
            and set(shown_texts) <= set(order)
        ):
            order = list(dict.fromkeys(shown_texts))
        positions.update({(key, text): position for position, text in enumerate(order, 1)})
    return [{**row, "shown": positions.get((row["key"], row["candidate"]))} for row in decisions]

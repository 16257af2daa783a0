"""Settling what a group of summaries is about. The first choice stands; whatever waited for it is opened."""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import Chosen
from annotation.models import Assignment, Group, Slot, SlotState
from annotation.services import asking, audit, leases
from annotation.services.errors import Conflict


def freeze(*, assignment: Assignment, chosen: Chosen, shown: Any = None) -> None:
    """Inside a transaction: store the choice if nobody was first, and open what waited for it."""
    now = timezone.now()
    decisions = _with_places(assignment, chosen.decisions, shown)
    first = Group.objects.filter(pk=assignment.group_id, frozen_at=None).update(
        chosen=chosen.values, frozen_at=now, chosen_by_id=assignment.annotator_id, decisions=decisions
    )
    assignment.group = Group.objects.select_related("document__source_text").get(pk=assignment.group_id)
    if not first:
        compare(assignment.group, chosen)
        return
    waiting = Slot.objects.filter(group_id=assignment.group_id, state=SlotState.WAITING)
    leases.free(waiting.values_list("pk", flat=True))
    audit.record(
        project=assignment.project,
        actor=assignment.annotator,
        verb="group.choose",
        target=f"group:{assignment.group.public_id}",
    )


def compare(group: Group, chosen: Chosen) -> None:
    """Conflict unless the frozen choice is the same; the order within an attribute does not matter."""
    frozen = {key: sorted(group.chosen.get(key, [])) for key in group.asks}
    if frozen != {key: sorted(texts) for key, texts in chosen.values.items()}:
        raise Conflict(
            _("Somebody else chose for this source a moment ago. Their choice stands for every summary of it."),
            code="frozen",
            frozen=group.chosen,
        )


def _with_places(assignment: Assignment, decisions: list[dict[str, Any]], shown: Any) -> list[dict[str, Any]]:
    """Each decision with the place, from 1, at which its candidate was shown."""
    schema = asking.schema_for(assignment)
    places: dict[tuple[str, str], int] = {}
    for key, rows in asking.candidates_for(assignment, schema).items():
        order = [row["text"] for row in asking.shown_order(assignment, schema, key, rows)]
        told = shown.get(key) if isinstance(shown, dict) else None
        if isinstance(told, list) and all(isinstance(text, str) for text in told) and set(told) <= set(order):
            order = list(dict.fromkeys(told))
        places.update({(key, text): place for place, text in enumerate(order, 1)})
    return [{**row, "shown": places.get((row["key"], row["candidate"]))} for row in decisions]

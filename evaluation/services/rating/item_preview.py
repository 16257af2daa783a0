"""An item of a draft as its raters will see it, from the plan; nothing is stored."""

from dataclasses import dataclass
from typing import Any

from annotation.models import Sample
from annotation.services.core.errors import BadInput
from epitome.rounds.answer_texts import text_order
from epitome.rounds.plans import PlannedItem
from evaluation.models import Item, Round, RoundText
from evaluation.services.rating.item_payload import describe_material, describe_question
from evaluation.services.rounds.contrastive_material import find_example_marks
from evaluation.services.rounds.design_check import check_design, parse_draft
from evaluation.services.rounds.round_material import Material, reference_texts


@dataclass(frozen=True)
class ItemPreview:
    """number: of the item among n_items, from 1. item: as a rater gets it; None with the fault that prevents it."""

    number: int
    n_items: int
    item: dict[str, Any] | None
    fault: str = ""


def describe_preview(round_: Round, number: int) -> ItemPreview:
    """The item with this number of the plan that a launch would freeze now; the last one where there are fewer."""
    try:
        result = check_design(round_.project, parse_draft(round_))
    except BadInput as error:
        return ItemPreview(0, 0, None, error.message)
    if result.plan is None or result.material is None or not result.plan.items:
        return ItemPreview(0, 0, None, " ".join(result.faults))
    plan = result.plan
    lane = plan.lanes[0] if plan.lanes else None
    order = lane.order if lane else tuple(range(len(plan.items)))
    index = min(max(number, 1), len(order))
    planned = plan.items[order[index - 1]]
    left = lane.left[order[index - 1]] if lane else 1
    return ItemPreview(index, len(order), _describe(round_, planned, result.material, left, index, len(order)))


def _describe(
    round_: Round, planned: PlannedItem, material: Material, left: int, place: int, n_items: int
) -> dict[str, Any]:
    """The same values as describe_item gives for a stored item."""
    item = _build_item(round_, planned, material)
    texts = [material.text(shown.target, shown.sample) for shown in planned.texts]
    ordered = [texts[number - 1] for number in text_order(left, len(texts))]
    return {
        "id": "",
        "round": {"id": str(round_.public_id), "title": round_.title, "open": True},
        "progress": {"number": place, "done": place - 1, "all": n_items},
        **describe_material(round_, item, ordered),
        "one_by_one": round_.rules.show == "one",
        "questions": [describe_question(round_, item, round_.rules.question(key)) for key in planned.questions],
        "revision": 0,
        "payload": {"answers": {}, "note": ""},
    }


def _build_item(round_: Round, planned: PlannedItem, material: Material) -> Item:
    """An item that is not stored, with what its page reads."""
    sample = Sample.objects.select_related("schema_version", "group__document__source_text").get(
        pk=material.samples[planned.sample].pk
    )
    item = Item(round=round_, document=sample.group.document, sample=sample, request=dict(planned.request))
    if "mark" in round_.instructions.shows:
        examples = {key: row for key, row in material.examples.items() if key == planned.sample}
        item.marks = find_example_marks(examples).get(planned.sample, [])
    reference = reference_texts(material, [planned.sample]).get(planned.sample)
    if reference is not None:
        item.reference = RoundText(round=round_, text=reference)
    return item

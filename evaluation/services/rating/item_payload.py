"""An item as JSON values for its rater. Nothing here depends on which system wrote the texts.

The last step of a request: round_access checks, answers stores, item_claims claims, then this module describes.
"""

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.services.core.prepared_queries import IntParam, Prepared
from epitome.rounds.answer_texts import LETTERS, format_number, text_order
from epitome.rounds.marks import OMISSION
from epitome.rounds.questions import Question
from epitome.rounds.selecting import is_empty
from epitome.schema import Attribute
from evaluation.models import Item, ItemAssignment, ItemAssignmentState, ItemText, Round, RoundState
from evaluation.services.rating.item_claims import ClaimResult
from evaluation.services.rating.rater_standing import RaterStanding, load_standing, planned_items
from evaluation.services.rating.stored_answers import stored_payload
from evaluation.services.rounds.aggregation_material import describe_instance, find_instance, shows_instance
from evaluation.services.rounds.round_access import ITEM_RELATIONS, UNREAD_COLUMNS
from evaluation.services.rounds.round_material import metadata_fields, metadata_text

ITEM_QUERY: Prepared[Item] = Prepared(
    lambda: Item.objects.select_related(*ITEM_RELATIONS).defer(*UNREAD_COLUMNS).filter(pk=IntParam("item"))
)


def describe_claimed_item(claim: ClaimResult) -> dict[str, Any]:
    """The item of a claim as JSON values; loads the item with all that its page shows."""
    if claim.assignment is None:
        raise ValueError(f"there is no item: {claim.reason}")
    claim.assignment.item = ITEM_QUERY.rows(item=claim.assignment.item_id)[0]
    return describe_item(claim.assignment, claim.standing)


def describe_item(assignment: ItemAssignment, standing: RaterStanding | None = None) -> dict[str, Any]:
    """The item as JSON values. assignment: with its round and item, as round_access.own_item_assignment loads it.
    standing: if already known."""
    round_, item = assignment.round, assignment.item
    texts = order_texts(item, assignment.left)
    return {
        "id": str(assignment.public_id),
        "state": assignment.state,
        "page": item_page_url(assignment),
        "round": {"id": str(round_.public_id), "title": round_.title, "open": is_open(assignment)},
        "progress": rater_progress(assignment, standing),
        **describe_material(round_, item, texts),
        "one_by_one": round_.rules.show == "one",
        "questions": [describe_question(round_, item, round_.rules.question(key)) for key in item.questions],
        "revision": assignment.revision,
        "payload": stored_payload(assignment),
    }


def item_texts(item: Item) -> list[str]:
    """The texts of an item in the order of its targets: one, two or a list."""
    texts = [item.first.text] if item.second is None else [item.first.text, item.second.text]
    if len(item.targets) > len(texts):
        rows = ItemText.objects.filter(item=item.pk).order_by("number")
        texts += rows.values_list("text__text", flat=True)
    return texts


def order_texts(item: Item, left: int) -> list[str]:
    """The texts in the order in which they are shown. left: see epitome.rounds.questions.text_order."""
    texts = item_texts(item)
    return [texts[number - 1] for number in text_order(left, len(texts))]


def describe_material(round_: Round, item: Item, texts: Sequence[str]) -> dict[str, Any]:
    """What is judged and what is shown beside it. texts: one summary, or several in the order A, B, C ..."""
    shows, document = round_.instructions.shows, item.document
    return {
        "form": {1: "single", 2: "pair"}.get(len(texts), "list"),
        "source": {
            "title": document.title or document.external_id,
            "domain": round_.project.domain,
            "n_words": document.n_words,
            "segments": [
                {"speaker": segment.get("speaker") or "", "text": segment["text"]}
                for segment in document.source_text.segments
            ],
        }
        if "source" in shows
        else None,
        "request": _describe_request(item) if "request" in shows else [],
        "reference": item.reference.text if item.reference is not None and "reference" in shows else None,
        "metadata": [
            {"field": name.replace("_", " "), "text": metadata_text(document, name)} for name in metadata_fields(shows)
        ],
        "summaries": [{"letter": letter, "text": text} for letter, text in zip(LETTERS.upper(), texts, strict=False)],
        **_describe_entities(item, shows),
        "marks": [{"start": start, "end": end, "was": was} for start, end, was in item.marks],
    }


def _describe_entities(item: Item, shows: Sequence[str]) -> dict[str, Any]:
    """Entities with their backgrounds, and the context of an aggregation task, as far as the round shows them."""
    instance = find_instance(item.sample) if shows_instance(shows) else None
    if instance is None:
        return {"entities": [], "context": []}
    described = describe_instance(instance, item.document)
    return {
        "entities": described.entities if "entities" in shows else [],
        "context": described.context if "context" in shows else [],
    }


def item_page_url(assignment: ItemAssignment) -> str:
    return reverse("item", args=[assignment.public_id])


def is_open(assignment: ItemAssignment) -> bool:
    """Whether answers can still be entered and changed."""
    return assignment.round.state in RoundState.RUNNING and assignment.state != ItemAssignmentState.VOID


def rater_progress(assignment: ItemAssignment, standing: RaterStanding | None = None) -> dict[str, Any]:
    """number: position of the item for this rater. done: finished items. all: planned items, None if raters share the
    items among themselves."""
    rater_standing = standing or load_standing(assignment.round_id, assignment.rater_id)
    if rater_standing is None:  # the rater has left the round meanwhile
        return {"number": assignment.position, "done": 0, "all": None}
    return {
        "number": assignment.position,
        "done": rater_standing.n_finished,
        "all": planned_items(assignment.round, rater_standing.n_raters, max_items=rater_standing.max_items),
    }


def _item_attributes(item: Item) -> tuple[Attribute, ...]:
    return item.sample.schema_version.schema.attributes


def _describe_request(item: Item) -> list[dict[str, Any]]:
    """The requested attribute values in the schema's order. Empty values are skipped, except for picked candidates,
    where an empty list is a request too."""
    rows = []
    for attribute in _item_attributes(item):
        value = item.request.get(attribute.key)
        if is_empty(value) and not attribute.candidate_kind:
            continue
        rows.append(
            {
                "key": attribute.key,
                "label": attribute.label,
                "values": value_labels(attribute, value),
                "guide": attribute.guide,
                "value_guide": attribute.value_guide(str(value)) if attribute.values else "",
            }
        )
    return rows


def value_labels(attribute: Attribute, value: object) -> list[str]:
    """The labels of a requested value; [] for an empty value."""
    if is_empty(value):
        return []
    return [str(entry) for entry in value] if isinstance(value, list) else [attribute.value_label(str(value))]


def describe_question(round_: Round, item: Item, question: Question) -> dict[str, Any]:
    """One question with the requested value, the guide line of each listed value, and an example if there is one."""
    attribute = next((candidate for candidate in _item_attributes(item) if candidate.key == question.attribute), None)
    shows_request = "request" in round_.instructions.shows
    value = item.request.get(question.attribute) if attribute is not None and shows_request else None
    examples = round_.instructions.value_examples.get(question.attribute, {})
    lines = []
    if attribute is not None and attribute.values:
        listed_values = [str(value)] if value is not None else list(attribute.values)
        lines = [
            {
                "value": attribute.value_label(listed_value),
                "line": attribute.value_guide(listed_value),
                "example": examples.get(listed_value) or attribute.value_example(listed_value),
            }
            for listed_value in listed_values
        ]
    return {
        "key": question.key,
        "type": question.type,
        "text": question.text,
        "about": question.about,
        "wanted": value_labels(attribute, value) if attribute is not None else [],
        "hint": question.hint,
        "lines": lines,
        "required": question.required,
        "why": question.why,
        **describe_answers(question),
    }


def describe_answers(question: Question) -> dict[str, Any]:
    """What can be answered: the template of the form, and options, places for texts, or the ends of a number."""
    return {
        "template": question.asks.template,
        "letters": [letter.upper() for letter in question.values] if question.asks.arranges else [],
        "places": [{"value": place.value, "label": place.label} for place in question.asks.places(question)],
        "ends": _describe_ends(question) if question.asks.has_ends else None,
        "severities": [
            {"value": name, "label": question.labels.get(name, name.capitalize()), "weight": format_number(weight)}
            for name, weight in question.severities
        ],
        "omission": question.labels.get(OMISSION, _("Something is missing")) if question.omission else "",
        "options": [
            {"value": option.value, "label": option.label, "key": option.key}
            for option in question.asks.options(question)
        ],
    }


def _describe_ends(question: Question) -> dict[str, str]:
    """Ends and step of a number, and what the ends mean."""
    ends = {"least": format_number(question.minimum), "most": format_number(question.maximum)}
    labels = {f"{name}_label": question.labels.get(value, "") for name, value in ends.items()}
    return {**ends, "step": format_number(question.step), **labels}

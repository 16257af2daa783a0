"""An item as JSON values for its rater. Nothing here depends on which system wrote the texts."""

from typing import Any

from annotation.schema import Attribute
from annotation.services.core.page_urls import page_url
from evaluation.models import ItemView, Round, RoundRater, RoundState, ViewState
from evaluation.rounds.questions import Question
from evaluation.rounds.selecting import is_empty
from evaluation.services.rating import answers as rating_answers
from evaluation.services.rating import item_claims
from evaluation.services.rating.item_claims import RaterStanding


def describe_item(assignment: ItemView, standing: RaterStanding | None = None) -> dict[str, Any]:
    """The item as JSON values. assignment: as loaded by services.round_access. standing: if already known."""
    round_, item = assignment.round, assignment.item
    shows = round_.instructions.shows
    texts = [item.first] if item.second is None else [item.first, item.second][:: 1 if assignment.left == 1 else -1]
    document = item.document
    return {
        "id": str(assignment.public_id),
        "state": assignment.state,
        "page": item_page_url(assignment),
        "round": {"id": str(round_.public_id), "title": round_.title, "open": is_open(assignment)},
        "form": round_.form,
        "progress": rater_progress(assignment, standing),
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
        "request": _describe_request(assignment) if "request" in shows else [],
        "reference": item.reference.text if item.reference is not None and "reference" in shows else None,
        "summaries": [{"letter": letter, "text": text.text} for letter, text in zip("AB", texts, strict=False)],
        "one_by_one": round_.rules.show == "one",
        "questions": [_describe_question(assignment, round_.rules.question(key)) for key in item.questions],
        "revision": assignment.revision,
        "payload": rating_answers.stored_payload(assignment),
    }


def item_page_url(assignment: ItemView) -> str:
    return page_url("item", assignment.public_id)


def is_open(assignment: ItemView) -> bool:
    """Whether answers can still be entered and changed."""
    return assignment.round.state in RoundState.RUNNING and assignment.state != ViewState.VOID


def rater_progress(assignment: ItemView, standing: RaterStanding | None = None) -> dict[str, Any]:
    """number: position of the item for this rater. done: finished items. all: planned items, None if raters share the
    items among themselves."""
    rater_standing = standing or item_claims.load_standing(assignment.round_id, assignment.rater_id)
    if rater_standing is None:  # the rater has left the round meanwhile
        return {"number": assignment.position, "done": 0, "all": None}
    return {
        "number": assignment.position,
        "done": rater_standing.done,
        "all": planned_items(assignment.round, rater_standing.n_raters),
    }


def planned_items(round_: Round, raters: int | None = None) -> int | None:
    """Number of items per rater; None if raters share the items among themselves. raters: number of current raters, if
    already known."""
    if raters is None:
        raters = RoundRater.objects.filter(round=round_, left_at=None).count()
    return round_.n_items if raters <= round_.raters_per_item else None


def _item_attributes(assignment: ItemView) -> tuple[Attribute, ...]:
    return assignment.item.sample.schema_version.schema.attributes


def _describe_request(assignment: ItemView) -> list[dict[str, Any]]:
    """The requested attribute values in the schema's order. Empty values are skipped, except for picked candidates,
    where an empty list is a request too."""
    rows = []
    for attribute in _item_attributes(assignment):
        value = assignment.item.request.get(attribute.key)
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


def _describe_question(assignment: ItemView, question: Question) -> dict[str, Any]:
    """One question with the requested value, the guide line of each listed value, and an example if there is one."""
    attribute = next(
        (candidate for candidate in _item_attributes(assignment) if candidate.key == question.attribute), None
    )
    shows_request = "request" in assignment.round.instructions.shows
    value = assignment.item.request.get(question.attribute) if attribute is not None and shows_request else None
    examples = assignment.round.instructions.value_examples.get(question.attribute, {})
    lines = []
    if attribute is not None and attribute.values:
        listed_values = [str(value)] if value is not None else list(attribute.values)
        lines = [
            {
                "value": attribute.value_label(listed_value),
                "line": attribute.value_guide(listed_value),
                "example": examples.get(listed_value, ""),
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
        "template": question.asks.template,
        "options": [
            {"value": option.value, "label": option.label, "key": option.key}
            for option in question.asks.options(question)
        ],
    }

"""An item as its rater sees it. Nothing here depends on which system wrote what is shown."""

from typing import Any

from annotation.schema import Attribute
from evaluation.models import ItemView, Round, RoundRater, RoundState, ViewState
from evaluation.rounds.questions import Question
from evaluation.rounds.selecting import is_empty
from evaluation.services import answering, rating
from evaluation.services.rating import Standing


def describe(view: ItemView, standing: Standing | None = None) -> dict[str, Any]:
    """The whole item as JSON values; `view` comes from services.entering. standing: the rater's, where it is known."""
    round_, item = view.round, view.item
    shows = round_.instructions.shows
    texts = [item.first] if item.second is None else [item.first, item.second][:: 1 if view.left == 1 else -1]
    document = item.document
    return {
        "id": str(view.public_id),
        "state": view.state,
        "page": page(view),
        "round": {"id": str(round_.public_id), "title": round_.title, "open": is_open(view)},
        "form": round_.form,
        "progress": progress(view, standing),
        "source": {
            "title": document.title or document.external_id,
            "domain": round_.project.domain,
            "n_words": document.n_words,
            "segments": [
                {"speaker": one.get("speaker") or "", "text": one["text"]} for one in document.source_text.segments
            ],
        }
        if "source" in shows
        else None,
        "request": _request(view) if "request" in shows else [],
        "reference": item.reference.text if item.reference is not None and "reference" in shows else None,
        "summaries": [{"letter": letter, "text": one.text} for letter, one in zip("AB", texts, strict=False)],
        "one_by_one": round_.rules.show == "one",
        "questions": [_question(view, round_.rules.question(key)) for key in item.questions],
        "revision": view.revision,
        "payload": answering.stored(view),
    }


def page(view: ItemView) -> str:
    return f"/items/{view.public_id}/"


def is_open(view: ItemView) -> bool:
    """Whether answers can still be given and changed."""
    return view.round.state in (RoundState.OPEN, RoundState.PAUSED) and view.state != ViewState.VOID


def progress(view: ItemView, standing: Standing | None = None) -> dict[str, Any]:
    """number: which item this is for the rater. done: finished ones. all: how many there will be, None where raters
    share the items among themselves."""
    own = standing or rating.standing(view.round_id, view.rater_id)
    if own is None:  # left while looking
        return {"number": view.position, "done": 0, "all": None}
    return {"number": view.position, "done": own.done, "all": planned(view.round, own.n_raters)}


def planned(round_: Round, raters: int | None = None) -> int | None:
    """How many items each rater gets; None where raters share them among themselves. raters: how many have not left,
    where that is known."""
    if raters is None:
        raters = RoundRater.objects.filter(round=round_, left_at=None).count()
    return round_.n_items if raters <= round_.raters_per_item else None


def _attributes(view: ItemView) -> tuple[Attribute, ...]:
    return view.item.sample.schema_version.schema.attributes


def _request(view: ItemView) -> list[dict[str, Any]]:
    """What the summary was asked to be, in the schema's order; what asks for nothing is left out, but for picks, whose
    emptiness is a request too."""
    found = []
    for attribute in _attributes(view):
        value = view.item.request.get(attribute.key)
        if is_empty(value) and not attribute.candidate_kind:
            continue
        found.append(
            {
                "key": attribute.key,
                "label": attribute.label,
                "values": said(attribute, value),
                "guide": attribute.guide,
                "value_guide": attribute.value_guide(str(value)) if attribute.values else "",
            }
        )
    return found


def said(attribute: Attribute, value: object) -> list[str]:
    """A requested value as people read it."""
    if is_empty(value):
        return []
    return [str(one) for one in value] if isinstance(value, list) else [attribute.value_label(str(value))]


def _question(view: ItemView, question: Question) -> dict[str, Any]:
    """One question with what is asked for, a line on it, and an example of it where there is one."""
    attribute = next((one for one in _attributes(view) if one.key == question.attribute), None)
    shows_request = "request" in view.round.instructions.shows
    value = view.item.request.get(question.attribute) if attribute is not None and shows_request else None
    examples = view.round.instructions.value_examples.get(question.attribute, {})
    lines = []
    if attribute is not None and attribute.values:
        told = [str(value)] if value is not None else list(attribute.values)
        lines = [
            {"value": attribute.value_label(one), "line": attribute.value_guide(one), "example": examples.get(one, "")}
            for one in told
        ]
    return {
        "key": question.key,
        "type": question.type,
        "text": question.text,
        "about": question.about,
        "wanted": said(attribute, value) if attribute is not None else [],
        "hint": question.hint,
        "lines": lines,
        "required": question.required,
        "template": question.asks.template,
        "options": [
            {"value": one.value, "label": one.label, "key": one.key} for one in question.asks.options(question)
        ],
    }

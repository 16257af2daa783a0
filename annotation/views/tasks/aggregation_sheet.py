"""View model of an aggregation task: entities in columns, the context with their mentions, the sentence."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from epitome.aggregations.articles import ABSTRACT

NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
TYPE_WORDS = {"person": "people", "location": "areas", "org": "organizations"}
"""What annotators continue is in English whatever the language of the page, as are the texts and their answers."""


@dataclass(frozen=True, slots=True)
class EntityColumn:
    """number: from 1; it names colour and underline of its mentions."""

    number: int
    name: str
    url: str
    background: str


@dataclass(frozen=True, slots=True)
class ContextPiece:
    """A piece of the context; entity: the number of the one it mentions, 0 for none; name: that one's name."""

    text: str
    entity: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class AggregationView:
    """context: sentences in pieces. lead: the sentence that names all; phrase: the one that is to say more."""

    columns: list[EntityColumn]
    context: list[list[ContextPiece]]
    lead: str
    phrase: str
    type_word: str
    is_abstract: bool


def build_aggregation(subject: dict[str, Any], segments: list[dict[str, str]]) -> AggregationView:
    """subject: as in the task's payload; segments: of its source."""
    entities = subject["entities"]
    columns = [
        EntityColumn(number, entity["name"], entity["url"], entity["background"])
        for number, entity in enumerate(entities, 1)
    ]
    names = [entity["name"] for entity in entities]
    return AggregationView(
        columns=columns,
        context=_build_context(subject, segments),
        lead=f"In this article, {join_with_and(names)} are discussed.",
        phrase=f"The {format_number_and_type(subject['entity_type'], len(names))} …",
        type_word=TYPE_WORDS[subject["entity_type"]],
        is_abstract=subject["context"]["kind"] == "abstract",
    )


def format_number_and_type(entity_type: str, n: int) -> str:
    """two people, three areas, six organizations"""
    return f"{NUMBERS.get(n, str(n))} {TYPE_WORDS[entity_type]}"


def join_with_and(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def _build_context(subject: dict[str, Any], segments: list[dict[str, str]]) -> list[list[ContextPiece]]:
    context = subject["context"]
    if context["kind"] == "abstract":
        texts = [(ABSTRACT, subject["abstract"])]
    else:
        last = min(context["last"], len(segments) - 1)
        texts = [(number, segments[number]["text"]) for number in range(context["first"], last + 1)]
    return [_split_text(text, _list_mentions(subject["entities"], number)) for number, text in texts]


def _list_mentions(entities: list[dict[str, Any]], segment: int) -> list[tuple[int, int, int, str]]:
    """(start, end, number of the entity, its name) in one segment, in order."""
    return sorted(
        (start, end, number, entity["name"])
        for number, entity in enumerate(entities, 1)
        for place, start, end in entity["mentions"]
        if place == segment
    )


def _split_text(text: str, mentions: list[tuple[int, int, int, str]]) -> list[ContextPiece]:
    pieces: list[ContextPiece] = []
    at = 0
    for start, end, number, name in mentions:
        if start < at or end > len(text):
            continue  # of a file that was changed by hand
        pieces += [ContextPiece(text[at:start]), ContextPiece(text[start:end], number, name)]
        at = end
    return [piece for piece in (*pieces, ContextPiece(text[at:])) if piece.text]


def script_words(view: AggregationView | None) -> dict[str, str | dict[str, str]]:
    """Sentences of the page's script that differ from those for summaries."""
    saved = _("Your answer is saved on this device and will be submitted automatically.")
    return {
        "type-word": view.type_word if view else "",
        "nothing-written": _("Nothing written."),
        "cannot-be-aggregated": _("Cannot be aggregated."),
        "ready": _("Ready to submit"),
        "todo-answer": _("write one phrase, or tick that these cannot be aggregated"),
        "still-to-do": _("Still to do: {list}."),
        "hint-type": _("This says no more than their type. What else do they have in common?"),
        "hint-list": _("This looks like a list. One phrase should cover all of them."),
        "hint-sentence": _("This looks like a sentence. Write a phrase, such as “the rival candidates”."),
        "hint-both": _("Both are kept: with the tick, the instance counts as one that cannot be aggregated."),
        "hint-same": _("The second phrase is the same as the first."),
        "lease-over": _(
            "Your time for this task has expired, so it may be given to another annotator. Your answer is saved. "
            "You can still submit it; it is then stored as an extra one."
        ),
        "submit-session": _("Not submitted yet: you are signed out. Sign in again in another tab.") + " " + saved,
        "submit-offline": _("Not submitted yet: the server cannot be reached.") + " " + saved,
        "submit-broken": _("Not submitted yet: the server reported an error.") + " " + saved,
        "submit-changed": _("Not submitted: the answer has changed. Submit it again."),
        "said-submitted": _("Submitted. This is the next task of the same article."),
        "said-submitted-next": _("Submitted. This is the next task, on another article."),
        "said-skipped": _("Skipped. This is the next task of the same article."),
    }

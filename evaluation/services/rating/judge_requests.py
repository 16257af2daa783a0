"""What a model is shown of an item: what raters see, and worked examples of the round's template."""

from collections.abc import Sequence

from epitome.rounds.questions import Question
from epitome.rounds.templates import Example
from epitome.systems.protocol import Request, WorkedExample
from evaluation.models import Item
from evaluation.services.rounds.aggregation_material import describe_instance, find_instance, shows_instance
from evaluation.services.rounds.instructions import asked_of_example
from evaluation.services.rounds.round_material import metadata_fields, metadata_text
from modelbridge.services.runs.system_requests import request_of

Segments = tuple[dict[str, str], ...]


def build_request(item: Item, question: Question, swapped: bool) -> Request:
    """The request about an item. item: with its texts, document and sample. swapped: the texts of a pair exchanged."""
    sample_request = request_of(item.sample, 0)
    requested = {key: value for key, value in item.request.items() if value}
    values = {key: tuple(value) if isinstance(value, list) else str(value) for key, value in requested.items()}
    texts = [item.first.text, *([item.second.text] if item.second is not None else [])]
    if len(texts) == 2 and question.about in ("a", "b"):
        texts = [texts[question.about == "b"]]
    ordered_texts = texts[::-1] if swapped else texts
    return Request(
        id=str(item.public_id),
        segments=_build_segments(item, sample_request.segments),
        values=values if "request" in item.round.instructions.shows else {},
        schema=sample_request.schema,
        text=ordered_texts[0] if len(ordered_texts) == 1 else None,
        candidates=tuple(ordered_texts) if len(ordered_texts) == 2 else (),
    )


def _build_segments(item: Item, source: Sequence[object]) -> Segments:
    """What the round shows beside the texts, in the order of the page; what is not the source is named."""
    shows = item.round.instructions.shows
    lines = []
    if "reference" in shows and item.reference is not None:
        named = {"source", "mark"} & set(shows)
        lines.append(f"Original summary: {item.reference.text}" if named else item.reference.text)
    for name in metadata_fields(shows):
        if text := metadata_text(item.document, name):
            lines.append(f"{name.replace('_', ' ').capitalize()}: {text}")
    if shows_instance(shows):
        lines += _describe_entities(item, shows)
    segments = tuple({"speaker": "", "text": line} for line in lines)
    return (*segments, *source) if "source" in shows else segments  # type: ignore[arg-type]


def _describe_entities(item: Item, shows: Sequence[str]) -> list[str]:
    instance = find_instance(item.sample)
    if instance is None:
        return []
    described = describe_instance(instance, item.document)
    entities = [f"{entity['name']}: {entity['background']}".rstrip(": ") for entity in described.entities]
    return [*(entities if "entities" in shows else []), *(described.context if "context" in shows else [])]


def list_worked_examples(item: Item, question: Question) -> list[WorkedExample]:
    """The worked examples of the round's template that answer a question, as raters read them."""
    round_ = item.round
    examples = [
        (number, example)
        for number, example in enumerate(round_.instructions.examples, 1)
        if any(asked.key == question.key for asked in asked_of_example(round_, example))
    ]
    return [_build_example(item, question, number, example) for number, example in examples]


def _build_example(item: Item, question: Question, number: int, example: Example) -> WorkedExample:
    texts = list(example.summaries)
    if len(texts) == 2 and question.about in ("a", "b"):
        texts = [texts[question.about == "b"]]
    lines = [
        example.source,
        f"Original summary: {example.reference}" if example.reference else "",
        f"Requested: {example.request}" if example.request else "",
    ]
    answer = question.asks.read(question, example.answers[question.key])
    labels = {option.value: option.label for option in question.asks.options(question)}
    return WorkedExample(
        id=f"example {number}",
        origin="",
        segments=tuple({"speaker": "", "text": line} for line in lines if line),
        values={},
        schema=item.sample.schema_version.schema,
        text=texts[0] if len(texts) == 1 else "",
        candidates=tuple(texts) if len(texts) > 1 else (),
        answer=labels[answer],
    )

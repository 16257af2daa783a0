"""Training examples: a request and its human-written summary."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.formats.epitome1 import EpitomeLine, read_epitome1, source_record
from annotation.formats.faults import Fault, FieldFault, LeftOut
from annotation.formats.macsum import read_macsum
from annotation.formats.reading import InputFile, UnreadableFile
from annotation.formats.records import Segment, canonical_split
from annotation.schema import InvalidValue, Schema
from modelbridge.systems.protocol import Request, RequestValue
from modelbridge.training.config import Data

TRAIN, DEV = "train", "dev"


class TrainingFault(Exception):
    """A training cannot run as configured; the message is one line that names the file and the place."""


@dataclass(frozen=True)
class Example:
    """source_id: identifies the source. summary: the one written for the request."""

    request: Request
    summary: str
    source_id: str


def read_examples(data: Data, schema: Schema) -> tuple[list[Example], list[Example]]:
    """(train, dev). Raises TrainingFault at the first fault of a file, and if there are no training examples."""
    if data.dataset is not None:
        split_examples = list(_from_epitome1(data.dataset, schema))
        train = [example for split, example in split_examples if split == TRAIN]
        dev = [example for split, example in split_examples if split == DEV]
        if not train:
            splits = ", ".join(sorted({split or "none" for split, _ in split_examples})) or "no summaries"
            raise TrainingFault(f"{data.dataset.name}: has no summary with the split train (there are: {splits})")
    else:
        train = list(_from_macsum(data.train, schema)) if data.train else []
        dev = list(_from_macsum(data.dev, schema)) if data.dev else []
        if not train:
            raise TrainingFault(f"{data.train.name if data.train else 'train'}: has no summary")
    return train, pick_evenly(dev, data.dev_samples)


def pick_evenly(examples: list[Example], limit: int) -> list[Example]:
    """At most `limit` of them, evenly spread over the list; all if limit is 0."""
    if not limit or len(examples) <= limit:
        return examples
    return [examples[number * len(examples) // limit] for number in range(limit)]


def tokenizer_texts(examples: Iterable[Example]) -> Iterator[str]:
    """Texts to train a tokenizer on: words of prompts, every source once, every summary."""
    seen_sources: set[str] = set()
    for example in examples:
        schema = example.request.schema
        if not seen_sources:
            yield schema.prompts.hp
            yield " ".join(attribute.prompt_value(value) for attribute in schema.sampled for value in attribute.values)
        if example.source_id not in seen_sources:
            seen_sources.add(example.source_id)
            yield "\n".join(f"{segment['speaker']} : {segment['text']}" for segment in example.request.segments)
        yield example.summary


def _from_macsum(path: Path, schema: Schema) -> Iterator[Example]:
    try:
        for record in read_macsum(InputFile(path, path.name), with_references=True):
            if isinstance(record, Fault):
                raise TrainingFault(str(record))
            if isinstance(record, LeftOut):
                continue
            for reference in record.references:
                name = f"{record.external_id}#{reference.position}"
                place = f"{path.name}, {record.place}"
                values = reference.attributes
                yield _build_example(
                    schema, name, record.external_id, record.segments, values, reference.summary, place
                )
    except UnreadableFile as error:
        raise TrainingFault(str(error)) from error


def _from_epitome1(path: Path, schema: Schema) -> Iterator[tuple[str, Example]]:
    """(split, example) of every written summary."""
    sources: dict[str, tuple[list[Segment], str]] = {}
    try:
        for item in read_epitome1(InputFile(path, path.name)):
            if isinstance(item, Fault):
                raise TrainingFault(str(item))
            if item.data["task"] == "source":
                record = source_record(item)
                sources[record.external_id] = (record.segments, record.split)
            elif item.data["task"] == "summary" and item.data.get("text"):
                yield _example_of_line(path, item, sources, schema)
    except UnreadableFile as error:
        raise TrainingFault(str(error)) from error
    except FieldFault as error:
        raise TrainingFault(f"{path.name}: {error}") from error


def _example_of_line(
    path: Path, item: EpitomeLine, sources: Mapping[str, tuple[list[Segment], str]], schema: Schema
) -> tuple[str, Example]:
    line = item.data
    place = f"{path.name}, line {item.line}"
    if line.get("source_id") not in sources:
        raise TrainingFault(f"{place}: names no source of the lines before")
    segments, split = sources[line["source_id"]]
    if not segments:
        raise TrainingFault(f"{place}: the text of its source is not in the file; export it with texts")
    attributes = line.get("attributes")
    if not isinstance(attributes, dict) or not isinstance(line["text"], str):
        raise TrainingFault(f"{place}: needs attributes and a text")
    name = str(line.get("sample_id", f"line {item.line}"))
    example = _build_example(schema, name, line["source_id"], segments, attributes, line["text"], place)
    return canonical_split(str(line.get("split") or split)), example


def _build_example(
    schema: Schema,
    name: str,
    source: str,
    segments: Iterable[Segment],
    attributes: Mapping[str, Any],
    text: str,
    place: str,
) -> Example:
    values: dict[str, RequestValue] = {}
    for attribute in schema.attributes:
        if attribute.key not in attributes:
            continue
        value = attributes[attribute.key]
        try:
            values[attribute.key] = (
                attribute.canonical(value) if attribute.has_distance else tuple(map(str, value or ()))
            )
        except InvalidValue as error:
            raise TrainingFault(f"{place}: {error}") from error
    request = Request(id=name, segments=tuple(segments), values=values, schema=schema)
    return Example(request, text, source)

"""Training examples: a request and its human-written summary."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from epitome.formats.reading import InputFile, UnreadableFile
from epitome.formats.sample_files import SampleFault, SampleFileOptions, read_samples
from epitome.schema import Schema
from epitome.systems.files import build_request
from epitome.systems.protocol import Request
from epitome.training.config import Data

TRAIN, DEV = "train", "dev"
Picked = TypeVar("Picked")


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
    train, dev = _read_splits(data, schema)
    chosen, chosen_dev = ([example for example in split if is_asked_for(example, data)] for split in (train, dev))
    if not chosen:
        requirement = f"exactly {', '.join(data.asks)}" if data.asks else f"at least {data.asks_at_least} attributes"
        raise TrainingFault(f"none of the {len(train)} summaries of the split train asks for {requirement} ([data])")
    return chosen, pick_evenly(chosen_dev, data.dev_samples)


def is_asked_for(example: Example, data: Data) -> bool:
    """Whether the attributes that a sample asks for are those that `asks` and `asks_at_least` want."""
    requested_keys = {key for key, value in example.request.values.items() if value}
    return (not data.asks or requested_keys == set(data.asks)) and len(requested_keys) >= data.asks_at_least


def _read_splits(data: Data, schema: Schema) -> tuple[list[Example], list[Example]]:
    """Every example of both splits. Raises TrainingFault where train has none."""
    if data.dataset is not None:
        split_examples = list(_read_file(data.dataset, data, schema))
        train = [example for split, example in split_examples if split == TRAIN]
        dev = [example for split, example in split_examples if split == DEV]
        if not train:
            splits = ", ".join(sorted({split or "none" for split, _ in split_examples})) or "no summaries"
            raise TrainingFault(f"{data.dataset.name}: has no summary with the split train (there are: {splits})")
    else:
        train, dev = (
            [example for _split, example in _read_file(path, data, schema)] if path else []
            for path in (data.train, data.dev)
        )
        if not train:
            raise TrainingFault(f"{data.train.name if data.train else 'train'}: has no summary")
    return train, dev


def pick_evenly(examples: list[Picked], limit: int) -> list[Picked]:
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


def _read_file(path: Path, data: Data, schema: Schema) -> Iterator[tuple[str, Example]]:
    """(split, example) of every summary of a file."""
    texts = InputFile(data.text_from, data.text_from.name) if data.text_from is not None else None
    options = SampleFileOptions(schema, mapping=data.mapping, separator=data.list_separator, text_from=texts)
    try:
        for group in read_samples(InputFile(path, path.name), options):
            for sample in group.samples:
                request = build_request(group, sample, 0)
                summary, source_id = sample.reference.summary, group.record.external_id
                yield sample.split, Example(replace(request, seed=0), summary, source_id)
    except (SampleFault, UnreadableFile) as error:
        raise TrainingFault(str(error)) from error

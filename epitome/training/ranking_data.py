"""Training data of rankers: ranking lists as JSON lines (`make_ranking_lists --output`)."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from epitome.systems.protocol import AggregationTask, NamedEntity, Request
from epitome.systems.ranking.inputs import format_task
from epitome.training.config import RANKING_SCHEMA, Data
from epitome.training.data import DEV, TRAIN, Example, TrainingFault, pick_evenly

FORMAT = "epitome-ranking-1"


@dataclass(frozen=True)
class RankedExample:
    """One list. request: its task and candidates; golds: per candidate. article: the unit of bootstraps."""

    request: Request
    golds: tuple[bool, ...]
    article: str

    @property
    def gold_texts(self) -> list[str]:
        pairs = zip(self.request.candidates, self.golds, strict=True)
        return [text for text, gold in pairs if gold]


def read_ranking_lists(data: Data) -> tuple[list[RankedExample], list[RankedExample]]:
    """(train, dev); the train counts of all candidates come from the train lists alone.

    Raises TrainingFault naming the file and the line.
    """
    if data.lists is None:
        raise TrainingFault("[data] lists: name a file of ranking lists, as make_ranking_lists --output writes it")
    by_split: dict[str, list[RankedExample]] = {TRAIN: [], DEV: []}
    for split, example in _read_lines(data.lists):
        if split in by_split:
            by_split[split].append(example)
    if not by_split[TRAIN]:
        raise TrainingFault(f"{data.lists.name}: has no list of the split train")
    counts = Counter(text for example in by_split[TRAIN] for text in example.gold_texts)
    train, dev = ([_add_counts(example, counts) for example in by_split[name]] for name in (TRAIN, DEV))
    return train, pick_evenly(dev, data.dev_samples)


def read_split_lists(data: Data, split: str) -> list[RankedExample]:
    """The lists of one split, with the counts of the train lists. Raises TrainingFault."""
    if data.lists is None:
        raise TrainingFault("[data] lists: name a file of ranking lists, as make_ranking_lists --output writes it")
    rows = list(_read_lines(data.lists))
    counts = Counter(text for of, example in rows if of == TRAIN for text in example.gold_texts)
    chosen = [_add_counts(example, counts) for of, example in rows if of == split]
    if not chosen:
        raise TrainingFault(f"{data.lists.name}: has no list of the split {split}")
    return chosen


def _add_counts(example: RankedExample, counts: "Counter[str]") -> RankedExample:
    request = example.request
    assert request.aggregation is not None
    task = replace(request.aggregation, train_counts=tuple(counts[text] for text in request.candidates))
    return replace(example, request=replace(request, aggregation=task))


def _read_lines(path: Path) -> Iterator[tuple[str, RankedExample]]:
    with path.open(encoding="utf-8", errors="replace") as stream:
        for number, line in enumerate(stream, 1):
            try:
                yield _parse_line(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise TrainingFault(f"{path.name}, line {number}: is no ranking list ({error})") from error


def _parse_line(line: Mapping[str, Any]) -> tuple[str, RankedExample]:
    """(split, list). Raises KeyError, TypeError, ValueError."""
    if line["format"] != FORMAT:
        raise ValueError(f"its format is {str(line['format'])[:40]!r}, not {FORMAT}")
    candidates, golds = tuple(map(str, line["candidates"])), tuple(map(bool, line["golds"]))
    entities = tuple(NamedEntity(str(entity["name"]), str(entity["background"])) for entity in line["entities"])
    if len(candidates) != len(golds) or not any(golds) or not entities:
        raise ValueError("it needs entities, candidates, and a mark for each, at least one of them gold")
    task = AggregationTask(str(line["entity_type"]), entities, str(line["title"]), str(line["context"]))
    request = Request(str(line["sample_id"]), (), {}, RANKING_SCHEMA, candidates=candidates, aggregation=task)
    return str(line["split"]), RankedExample(request, golds, str(line["origin_id"]))


def list_gold_examples(lists: Sequence[RankedExample]) -> list[Example]:
    """One example per gold: the task, and the gold as what is to be written."""
    return [Example(example.request, text, example.article) for example in lists for text in example.gold_texts]


def ranking_texts(lists: Sequence[RankedExample]) -> Iterator[str]:
    """Texts to train a tokenizer on."""
    for example in lists:
        assert example.request.aggregation is not None
        yield format_task(example.request.aggregation)
        yield from example.request.candidates

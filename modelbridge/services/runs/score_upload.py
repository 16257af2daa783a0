"""Scores of contrastive examples that were made elsewhere, matched to the project's examples: all of them or a fault.

A line names its sample and holds `scores`: {"gold": number, "contrastive": [{"id" or "text", "rule", "score"}, ...]},
and `tuple`, the id of the gold summary or its key as an export of contrastive examples names it, where the sample has
several. They are stored as a scorer's are.
"""

import hashlib
import math
import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotation.models import Contrastive, ContrastiveState, Project
from epitome.formats.faults import Fault, FieldFault
from epitome.systems.predictions import Prediction
from modelbridge.services.runs.contrastive_texts import EXAMPLE, GOLD, load_gold_texts

LOADED_AT_ONCE = 500
"""Samples whose examples are in memory at once."""
MAX_FAULTS = 100


class Example(NamedTuple):
    pk: int
    public_id: str
    rule: str
    text_key: str
    active: bool


@dataclass
class GoldTuple:
    """A gold summary with its examples by id and by text. text_hash: what its key in exports ends in."""

    pk: int
    public_id: str
    text_hash: str
    by_id: dict[str, Example] = field(default_factory=dict)
    by_text: dict[str, Example] = field(default_factory=dict)

    def add(self, example: Example) -> None:
        self.by_id[example.public_id] = example
        self.by_text[example.text_key] = example

    def has_name(self, name: object) -> bool:
        """Whether a line means it by its id or its key."""
        return str(name) == self.public_id or str(name).rpartition(":")[2] == self.text_hash

    def list_active(self) -> list[Example]:
        return [example for example in self.by_id.values() if example.active]


class TupleScores(NamedTuple):
    """What one line says: the score of the gold, and of each example."""

    gold: float
    examples: list[tuple[Example, float]]


def match_scores(
    project: Project, lines_by_sample: Mapping[int, Sequence[Prediction]]
) -> tuple[dict[int, dict[str, Any]], list[Fault]]:
    """sample -> `scores` as a run over contrastives stores them; and the faults of the lines that do not fit."""
    stored: dict[int, dict[str, Any]] = {}
    faults: list[Fault] = []
    ids = list(lines_by_sample)
    for start in range(0, len(ids), LOADED_AT_ONCE):
        samples = ids[start : start + LOADED_AT_ONCE]
        tuples = _load_tuples(project, samples)
        for sample in samples:
            stored[sample], sample_faults = _match_sample(lines_by_sample[sample], tuples[sample])
            faults += sample_faults
        if len(faults) >= MAX_FAULTS:
            break
    return stored, faults[:MAX_FAULTS]


def _match_sample(lines: Sequence[Prediction], tuples: Sequence[GoldTuple]) -> tuple[dict[str, Any], list[Fault]]:
    """`scores` of one row, and the faults of its lines."""
    matched: dict[int, TupleScores] = {}
    faults = []
    for line in lines:
        try:
            gold = _find_tuple(line, tuples, matched)
            matched[gold.pk] = _match_line(line, gold)
        except FieldFault as error:
            faults.append(line.spot.fault(error))
    return _combine_tuples(matched), faults


def _load_tuples(project: Project, samples: Sequence[int]) -> dict[int, list[GoldTuple]]:
    """sample -> its gold summaries that have examples, in the order of a run over contrastives."""
    examples = Contrastive.objects.filter(project=project, sample__in=samples).order_by("annotation_id", "pk")
    examples = examples.exclude(state=ContrastiveState.WITHDRAWN)
    fields = ("pk", "public_id", "rule", "text_key", "state", "sample_id", "annotation_id", "annotation__public_id")
    rows = list(examples.values_list(*fields))
    texts = load_gold_texts(project, {row[6] for row in rows})
    golds: dict[int, GoldTuple] = {}
    tuples: dict[int, list[GoldTuple]] = defaultdict(list)
    for pk, public_id, rule, text_key, state, sample, gold, gold_id in rows:
        if gold not in texts:
            continue
        if gold not in golds:
            golds[gold] = GoldTuple(gold, str(gold_id), hashlib.sha256(texts[gold].encode()).hexdigest()[:12])
            tuples[sample].append(golds[gold])
        golds[gold].add(Example(pk, str(public_id), rule, text_key, state == ContrastiveState.ACTIVE))
    return tuples


def _find_tuple(line: Prediction, tuples: Sequence[GoldTuple], matched: Mapping[int, TupleScores]) -> GoldTuple:
    """The gold summary that a line is about. Raises FieldFault."""
    path = ("scores", "tuple")
    if not tuples:
        raise FieldFault(("sample_id",), "has no contrastive examples", line.sample_id, "unknown")
    tuple_name = line.scores.get("tuple")
    if tuple_name is None and len(tuples) > 1:
        message = f"is missing: the sample has {len(tuples)} gold summaries with contrastive examples"
        raise FieldFault(("scores",), f'"tuple" {message}', code="missing")
    golds = [gold for gold in tuples if tuple_name is None or gold.has_name(tuple_name)]
    if not golds:
        raise FieldFault(path, "is no gold summary of this sample with contrastive examples", tuple_name, "unknown")
    if golds[0].pk in matched:
        raise FieldFault(("scores",), f"are given twice for the tuple {golds[0].public_id}", code="doubled")
    return golds[0]


def _match_line(line: Prediction, gold: GoldTuple) -> TupleScores:
    """Raises FieldFault: an unknown example, one that is missing, something that is no number."""
    gold_score = _read_score(line.scores.get("gold"), ("scores", "gold"))
    entries = line.scores["contrastive"]
    if not isinstance(entries, list):
        raise FieldFault(("scores", "contrastive"), "must be a list of objects", entries, "type")
    scored: dict[int, tuple[Example, float]] = {}
    for index, entry in enumerate(entries):
        path = ("scores", "contrastive", index)
        example = _find_example(entry, gold, path)
        if example.pk in scored:
            raise FieldFault(path, "is a contrastive example that the line has already", example.public_id, "doubled")
        scored[example.pk] = example, _read_score(entry.get("score"), (*path, "score"))
    missing = [example for example in gold.list_active() if example.pk not in scored]
    if missing:
        name = f"{line.sample_id or 'the sample'} (tuple {gold.public_id})"
        message = f"lack {len(missing)} of {len(gold.list_active())} active contrastive examples of {name}"
        first = f"; the first is {missing[0].public_id}, {missing[0].rule}"
        raise FieldFault(("scores", "contrastive"), message + first, code="missing")
    return TupleScores(gold_score, list(scored.values()))


def _find_example(entry: object, gold: GoldTuple, path: tuple[str | int, ...]) -> Example:
    if not isinstance(entry, dict):
        raise FieldFault(path, 'must be {"id" or "text": "...", "score": number}', entry, "type")
    if entry.get("id") is not None:
        example = gold.by_id.get(_normalize_id(entry["id"]))
        if example is None:
            raise FieldFault((*path, "id"), "is no contrastive example of this tuple", entry["id"], "unknown")
    elif isinstance(entry.get("text"), str):
        example = gold.by_text.get(hashlib.sha256(entry["text"].lower().encode()).hexdigest())
        if example is None:
            raise FieldFault((*path, "text"), "is no contrastive example of this tuple", entry["text"], "unknown")
    else:
        raise FieldFault(path, 'names no contrastive example: give its "id" or its "text"', code="missing")
    if entry.get("rule") not in (None, example.rule):
        raise FieldFault((*path, "rule"), f"is not {example.rule}, the rule of this example", entry["rule"], "rule")
    return example


def _normalize_id(value: object) -> str:
    try:
        return str(uuid.UUID(str(value)))
    except ValueError:
        return ""


def _read_score(value: object, path: tuple[str | int, ...]) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise FieldFault(path, "must be a number", "" if value is None else value, "type")
    return float(value)


def _combine_tuples(matched: Mapping[int, TupleScores]) -> dict[str, Any]:
    """`scores` of a row: the first gold as "gold", all other texts under "texts"."""
    scores: dict[str, Any] = {"gold": {}, "texts": {}}
    for key, text in _list_texts(matched):
        if key:
            scores["texts"][key] = text
        else:
            scores["gold"] = text
    return scores


def _list_texts(matched: Mapping[int, TupleScores]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(key, score) of every text; "" is the key of the first gold."""
    for index, (gold, scores) in enumerate(sorted(matched.items())):
        origin = f"{GOLD}{gold}"
        yield origin if index else "", {"sum": scores.gold, "of": origin}
        for example, score in scores.examples:
            yield example.public_id, {"sum": score, "of": f"{EXAMPLE}{example.pk}"}

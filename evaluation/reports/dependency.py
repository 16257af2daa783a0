"""How far one request disturbs the other measures: one attribute is changed, the same system writes again.

Source: Zhang et al., MACSum, TACL 2023, Figure 6 (200 random samples per attribute, changed to another random value);
CCSBench, arXiv 2410.12601, Figure 4 (change amplitude).
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from annotation.figures.heat import Heat
from annotation.figures.tables import Cell, Column, Table
from annotation.measures import MEASURES, Signature, SourceIndex, Tagger, Value, measure_summary
from annotation.schema import Attribute, Schema
from evaluation.metrics.analyses import VERSION, Changed, change_amplitude, dependency
from evaluation.reports.automatic import aggregate_cell
from modelbridge.systems.protocol import Generator, Request, RequestValue

SAMPLES = 200
ALGORITHM = "dependency@1"
NOTE = (
    "Row: the attribute whose request was changed to another random value; column: the attribute measured. Each cell: "
    "the mean CER of the new output against the old one of the same system, so it says how far the measure moved, not "
    "whether it moved well. Topics and speakers are measured as first requested. 95 % intervals draw whole sources."
)
AMPLITUDE = "Change amplitude |new - old| / |old| of the mean of each measure (CCSBench); n/a where the mean was 0."


@dataclass(frozen=True)
class Change:
    """One sample with one attribute of its request changed."""

    attribute: str
    before: Request
    after: Request


@dataclass(frozen=True)
class Study:
    """The two tables and the figure of one system."""

    table: Table
    amplitudes: Table
    figure: Heat


def attributes_of(schema: Schema) -> list[Attribute]:
    """Those that are measured, in the schema's order."""
    return [each for each in schema.attributes if each.measure in MEASURES]


def draw_changes(requests: Sequence[Request], *, n: int = SAMPLES, seed: int = 1) -> list[Change]:
    """Up to n samples per attribute, drawn without replacement; the same seed draws the same anywhere.

    An ordered attribute gets another of its values; topics and speakers those of another sample of the same source,
    as the text must speak of them. Samples that have no other value are not drawn.
    """
    found: list[Change] = []
    for attribute in attributes_of(requests[0].schema):
        rng = random.Random(f"{ALGORITHM}:{seed}:{attribute.key}")
        others = _others(requests, attribute)
        able = [request for request in requests if others[request.id]]
        for request in rng.sample(able, min(n, len(able))):
            value = rng.choice(others[request.id])
            after = replace(request, values={**request.values, attribute.key: value})
            found.append(Change(attribute.key, request, after))
    return found


def _others(requests: Sequence[Request], attribute: Attribute) -> dict[str, list[RequestValue]]:
    """What each sample could ask for instead, by its id, in an order that does not change."""
    if attribute.has_distance:
        return {
            request.id: [value for value in attribute.values if value != request.value(attribute.key)]
            if request.value(attribute.key)
            else []
            for request in requests
        }
    of_source: dict[str, set[tuple[str, ...]]] = {}
    for request in requests:
        of_source.setdefault(source_of(request), set()).add(request.picks(attribute.key))
    return {
        request.id: [
            cast(RequestValue, picks)
            for picks in sorted(of_source[source_of(request)])
            if picks and picks != request.picks(attribute.key)
        ]
        if request.picks(attribute.key)
        else []
        for request in requests
    }


def source_of(request: Request) -> str:
    """The source of a sample id `{external_id}#{position}`."""
    return request.id.rpartition("#")[0]


def study(
    system: Generator,
    changes: Sequence[Change],
    tagger: Tagger,
    run: Callable[[Generator, Sequence[Request]], Sequence[str]],
    *,
    name: str,
    seed: int,
    replicates: int = 1000,
) -> Study:
    """Run the system on both requests of every change and measure. run: the texts for requests, in order."""
    schema = changes[0].before.schema
    measured = attributes_of(schema)
    originals = list({change.before.id: change.before for change in changes}.values())
    texts = run(system, [*originals, *(change.after for change in changes)])
    old = dict(zip((request.id for request in originals), texts, strict=False))
    indexes: dict[str, SourceIndex] = {}
    rows = []
    for change, new in zip(changes, texts[len(originals) :], strict=True):
        first = change.before
        before, after = (_measures(text, first, measured, indexes, tagger) for text in (old[first.id], new))
        rows.append(Changed(change.attribute, source_of(change.before), before, after))
    return _study(rows, measured, name, seed, replicates)


def _measures(
    text: str, request: Request, measured: Sequence[Attribute], indexes: dict[str, SourceIndex], tagger: Tagger
) -> dict[str, Value]:
    """f_r by attribute; topics and speakers as the first request has them."""
    source = source_of(request)
    if source not in indexes:
        indexes[source] = SourceIndex(cast(Any, request.segments), domain=request.schema.domain)
    asked = {each.measure: request.values.get(each.key) for each in measured}
    told = {name: list(value) if isinstance(value, tuple) else value for name, value in asked.items()}
    needed = [each.measure for each in measured if not MEASURES[each.measure].needs_request or told[each.measure]]
    found = measure_summary(text, indexes[source], told, measures=needed, tagger=tagger)
    return {each.key: found[each.measure] for each in measured if each.measure in found}


def _study(rows: Sequence[Changed], measured: Sequence[Attribute], name: str, seed: int, replicates: int) -> Study:
    keys = [each.key for each in measured]
    codes = {each.key: each.code for each in measured}
    found = dependency(rows, keys, _policy(measured), replicates, seed)
    columns = [Column("Changed", kind="text"), Column("n", digits=0)]
    columns += [Column(codes[key], group="Measured", interval=True) for key in keys]
    body = []
    for row, cells in found.items():
        n = sum(each.attribute == row for each in rows)
        body.append([Cell(codes[row]), Cell(n), *(aggregate_cell(cells[key]) for key in keys)])
    one = next(iter(next(iter(found.values())).values())).signature
    told = str(Signature("dependency", one.version, _shared(one)).with_(algorithm=ALGORITHM, draw=seed, n=len(rows)))
    title = f"{name}: what a changed request moves"
    table = Table("dependency", title, columns, body, notes=(NOTE,), signature=told)
    numbers = [[cells[key].value.value for key in keys] for cells in found.values()]
    labels = [codes[row] for row in found]
    figure = Heat("dependency", title, "changed", "measured", labels, list(codes.values()), numbers)
    return Study(table, _amplitudes(rows, keys, codes, name, seed), figure)


def _shared(signature: Signature) -> tuple[tuple[str, str], ...]:
    """The options that all cells share."""
    return tuple(pair for pair in signature.options if pair[0] not in ("changed", "measured", "n", "sources"))


def _policy(measured: Sequence[Attribute]) -> str:
    from evaluation.metrics.cer import RELEASED

    return "release" if all(each.measure in RELEASED and each.measure == each.key for each in measured) else "uniform"


def _amplitudes(rows: Sequence[Changed], keys: Sequence[str], codes: Mapping[str, str], name: str, seed: int) -> Table:
    columns = [Column("Changed", kind="text"), *(Column(codes[key], group="Measured") for key in keys)]
    body = []
    for attribute in dict.fromkeys(row.attribute for row in rows):
        part = [row for row in rows if row.attribute == attribute]
        cells = [Cell(codes[attribute])]
        for key in keys:
            value = change_amplitude(_mean(part, key, "before"), _mean(part, key, "after"))
            cells.append(Cell(value.value) if value.defined else Cell(None, value.undefined))
        body.append(cells)
    told = Signature("change-amplitude", VERSION).with_(algorithm=ALGORITHM, draw=seed, n=len(rows))
    return Table("amplitude", f"{name}: change amplitude", columns, body, notes=(AMPLITUDE,), signature=str(told))


def _mean(rows: Sequence[Changed], key: str, side: str) -> Value:
    """Over the samples that have the measure on both sides."""
    both = [(row.before.get(key), row.after.get(key)) for row in rows]
    kept = [pair[side == "after"] for pair in both if all(isinstance(each, Value) and each.defined for each in pair)]
    numbers = [float(cast(Value, each)) for each in kept]
    return Value.of(sum(numbers) / len(numbers)) if numbers else Value.none("not measured")

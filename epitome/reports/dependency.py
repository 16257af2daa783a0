"""Dependency study: how changing one requested attribute affects the other measures of the same system.

Source: Zhang et al., MACSum, TACL 2023, Figure 6 (200 random samples per attribute, changed to another random value);
CCSBench, arXiv 2410.12601, Figure 4 (change amplitude).
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from epitome.figures.heat import Heat
from epitome.figures.tables import Cell, Column, Table
from epitome.measures import MEASURES, Signature, SourceIndex, Tagger, Value, measure_summary
from epitome.metrics.analyses import VERSION, ChangedSample, change_amplitude, dependency_table
from epitome.reports.cells import aggregate_cell, few_clusters_notes
from epitome.schema import Attribute, Schema
from epitome.systems.protocol import Generator, Request, RequestValue

SAMPLES = 200
Pools = Mapping[tuple[str, str], Sequence[str]]
ALGORITHM = "dependency@1"
NOTE = (
    "Row: the attribute whose request was changed to another random value; column: the attribute measured. Each cell: "
    "the mean CER of the new output against the old one of the same system, so it says how far the measure moved, not "
    "whether it moved well. Topics and speakers are measured as first requested. 95 % intervals draw whole sources."
)
AMPLITUDE_NOTE = (
    "Change amplitude |new - old| / |old| of the mean of each measure (CCSBench); n/a where the mean was 0."
)


@dataclass(frozen=True)
class RequestChange:
    """The request of a sample before and after one attribute is changed."""

    attribute: str
    original: Request
    changed: Request


@dataclass(frozen=True)
class DependencyStudy:
    """The two tables and the figure of one system."""

    table: Table
    amplitudes: Table
    figure: Heat


def measured_attributes(schema: Schema) -> list[Attribute]:
    """The attributes that have a measure, in the schema's order."""
    return [attribute for attribute in schema.attributes if attribute.measure in MEASURES]


def changeable_attributes(schema: Schema) -> list[Attribute]:
    """The attributes whose request can be changed: those with values, and topics, keywords and speakers."""
    return [attribute for attribute in schema.attributes if attribute.has_values or attribute.candidate_kind]


def draw_changes(
    requests: Sequence[Request],
    *,
    n: int = SAMPLES,
    seed: int = 1,
    attributes: Sequence[Attribute] | None = None,
    pools: Pools | None = None,
) -> list[RequestChange]:
    """Draw up to n samples per attribute without replacement; the same seed gives the same draw on every machine.

    An ordered attribute gets another of its values; topics and speakers get those of another sample of the same
    source, so that the source mentions them; keywords are replaced by as many other keywords of the source. Samples
    without an alternative value are not drawn. attributes: default those with a measure. pools: (source, attribute) ->
    keywords that nobody asked for.
    """
    changes: list[RequestChange] = []
    for attribute in measured_attributes(requests[0].schema) if attributes is None else attributes:
        rng = random.Random(f"{ALGORITHM}:{seed}:{attribute.key}")
        if attribute.measure == "keywords":
            others = _other_keywords(requests, attribute, pools or {}, seed)
        else:
            others = _other_values(requests, attribute)
        able = [request for request in requests if others[request.id]]
        for request in rng.sample(able, min(n, len(able))):
            value = rng.choice(others[request.id])
            changed = replace(request, values={**request.values, attribute.key: value})
            changes.append(RequestChange(attribute.key, request, changed))
    return changes


def _other_values(requests: Sequence[Request], attribute: Attribute) -> dict[str, list[RequestValue]]:
    """Alternative values of the attribute by sample id, in a stable order."""
    if attribute.has_values:
        return {
            request.id: [value for value in attribute.values if value != request.value(attribute.key)]
            if request.value(attribute.key)
            else []
            for request in requests
        }
    of_source: dict[str, set[tuple[str, ...]]] = {}
    for request in requests:
        of_source.setdefault(source_id(request), set()).add(request.picks(attribute.key))
    return {
        request.id: [
            cast(RequestValue, picks)
            for picks in sorted(of_source[source_id(request)])
            if picks and picks != request.picks(attribute.key)
        ]
        if request.picks(attribute.key)
        else []
        for request in requests
    }


def _other_keywords(
    requests: Sequence[Request], attribute: Attribute, pools: Pools, seed: int
) -> dict[str, list[RequestValue]]:
    """As many other keywords of the same source, by sample id; none where it has too few."""
    of_source: dict[str, set[str]] = {}
    for request in requests:
        source = source_id(request)
        of_source.setdefault(source, set(pools.get((source, attribute.key), ()))).update(request.picks(attribute.key))
    others: dict[str, list[RequestValue]] = {}
    for request in requests:
        picks = request.picks(attribute.key)
        requested = {pick.casefold() for pick in picks}
        pool = sorted(word for word in of_source[source_id(request)] if word.casefold() not in requested)
        rng = random.Random(f"{ALGORITHM}:{seed}:{attribute.key}:{request.id}")
        others[request.id] = [tuple(rng.sample(pool, len(picks)))] if picks and len(pool) >= len(picks) else []
    return others


def source_id(request: Request) -> str:
    """The source of a sample id `{external_id}#{position}`."""
    return request.id.rpartition("#")[0]


def run_study(
    system: Generator,
    changes: Sequence[RequestChange],
    tagger: Tagger,
    run: Callable[[Generator, Sequence[Request]], Sequence[str]],
    *,
    name: str,
    seed: int,
    replicates: int = 1000,
) -> DependencyStudy:
    """Run the system on both requests of every change and measure. run: returns the texts of requests, in order."""
    schema = changes[0].original.schema
    measured = measured_attributes(schema)
    originals = list({change.original.id: change.original for change in changes}.values())
    texts = run(system, [*originals, *(change.changed for change in changes)])
    old = dict(zip((request.id for request in originals), texts, strict=False))
    indexes: dict[str, SourceIndex] = {}
    rows = []
    for change, new in zip(changes, texts[len(originals) :], strict=True):
        first = change.original
        old_measures, new_measures = (
            _measure_text(text, first, measured, indexes, tagger) for text in (old[first.id], new)
        )
        rows.append(ChangedSample(change.attribute, source_id(change.original), old_measures, new_measures))
    return build_study(rows, measured, name, seed, replicates)


def _measure_text(
    text: str, request: Request, measured: Sequence[Attribute], indexes: dict[str, SourceIndex], tagger: Tagger
) -> dict[str, Value]:
    """Measured value f_r by attribute; topics and speakers are measured as in the original request."""
    source = source_id(request)
    if source not in indexes:
        indexes[source] = SourceIndex(cast(Any, request.segments), domain=request.schema.domain)
    value_by_measure = {attribute.measure: request.values.get(attribute.key) for attribute in measured}
    requested = {name: list(value) if isinstance(value, tuple) else value for name, value in value_by_measure.items()}
    needed = [
        attribute.measure
        for attribute in measured
        if not MEASURES[attribute.measure].needs_request or requested[attribute.measure]
    ]
    language = request.schema.language
    values = measure_summary(text, indexes[source], requested, measures=needed, tagger=tagger, language=language)
    return {attribute.key: values[attribute.measure] for attribute in measured if attribute.measure in values}


def build_study(
    rows: Sequence[ChangedSample], measured: Sequence[Attribute], name: str, seed: int, replicates: int
) -> DependencyStudy:
    """The tables and the figure of measured samples. measured: the columns; a changed attribute may be none of them."""
    keys = [attribute.key for attribute in measured]
    codes = {attribute.key: attribute.code for attribute in measured}
    names = codes | {row.attribute: row.code for row in rows if row.code}
    results = dependency_table(rows, keys, _cer_policy(measured), replicates, seed)
    columns = [Column("Changed", kind="text"), Column("n", digits=0)]
    columns += [Column(codes[key], group="Measured", interval=True) for key in keys]
    body = []
    for row, cells in results.items():
        n = sum(change.attribute == row for change in rows)
        body.append([Cell(names[row]), Cell(n), *(aggregate_cell(cells[key]) for key in keys)])
    first_signature = next(iter(next(iter(results.values())).values())).signature
    signature_text = str(
        Signature("dependency", first_signature.version, _shared_options(first_signature)).with_(
            algorithm=ALGORITHM, draw=seed, n=len(rows)
        )
    )
    title = f"{name}: what a changed request moves"
    notes = (NOTE, *few_clusters_notes(cell for cells in results.values() for cell in cells.values()))
    table = Table("dependency", title, columns, body, notes=notes, signature=signature_text)
    numbers = [[cells[key].value.value for key in keys] for cells in results.values()]
    labels = [names[row] for row in results]
    figure = Heat("dependency", title, "changed", "measured", labels, list(codes.values()), numbers)
    return DependencyStudy(table, _amplitude_table(rows, codes, names, name, seed), figure)


def _shared_options(signature: Signature) -> tuple[tuple[str, str], ...]:
    """The options that all cells share."""
    return tuple(pair for pair in signature.options if pair[0] not in ("changed", "measured", "n", "sources"))


def _cer_policy(measured: Sequence[Attribute]) -> str:
    from epitome.metrics.control_error_rate import RELEASED, UNRELEASED

    return (
        "release"
        if all(attribute.measure in RELEASED and attribute.measure == attribute.key for attribute in measured)
        else UNRELEASED
    )


def _amplitude_table(
    rows: Sequence[ChangedSample], codes: Mapping[str, str], names: Mapping[str, str], name: str, seed: int
) -> Table:
    columns = [Column("Changed", kind="text"), *(Column(code, group="Measured") for code in codes.values())]
    body = []
    for attribute in dict.fromkeys(row.attribute for row in rows):
        subset = [row for row in rows if row.attribute == attribute]
        cells = [Cell(names[attribute])]
        for key in codes:
            value = change_amplitude(_mean_measure(subset, key, "before"), _mean_measure(subset, key, "after"))
            cells.append(Cell(value.value) if value.defined else Cell(None, value.undefined))
        body.append(cells)
    base_signature = Signature("change-amplitude", VERSION).with_(algorithm=ALGORITHM, draw=seed, n=len(rows))
    return Table(
        "amplitude", f"{name}: change amplitude", columns, body, notes=(AMPLITUDE_NOTE,), signature=str(base_signature)
    )


def _mean_measure(rows: Sequence[ChangedSample], key: str, side: str) -> Value:
    """Mean of a measure on one side, over the samples that have it on both sides. side: "before" or "after"."""
    both = [(row.before.get(key), row.after.get(key)) for row in rows]
    values = [
        pair[side == "after"] for pair in both if all(isinstance(value, Value) and value.defined for value in pair)
    ]
    numbers = [float(cast(Value, value)) for value in values]
    return Value.of(sum(numbers) / len(numbers)) if numbers else Value.none("not measured")

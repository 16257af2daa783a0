"""CCSBench's change amplitudes as a table and a figure: rows are the changed attributes, columns what is measured.

Source: CCSBench, arXiv 2410.12601, section 6 and Figure 4 (300 samples per attribute).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from epitome.figures.heat import Heat
from epitome.figures.tables import Cell, Column, Table
from epitome.measures import Signature
from epitome.metrics.aggregate import Aggregate
from epitome.metrics.amplitude import METRICS, UNJUDGED, PaperText, measure_amplitudes
from epitome.metrics.bootstrap import DEFAULT_REPLICATES
from epitome.metrics.ccsbench_scores import BIN_WORDS, READABILITY, n_words
from epitome.metrics.draws import Draws
from epitome.reports.cells import aggregate_cell, few_clusters_notes
from epitome.reports.dependency import RequestChange, source_id
from epitome.schema import Schema
from epitome.systems.protocol import Generator, Request

SAMPLES = 300
LABELS = {"pcc": "PCC", "mad": "MAD", "sr": "SR", "gap": "ΔF", "f1": "F1"}
NOTE = (
    "Row: the attribute whose request was changed; column: the metric whose change |new - old| / |old| is shown, over "
    "the same samples before and after. Every metric holds the new texts against the new requests; MAD holds the "
    "length against the human summary, and against the requested bin where the length was changed. 95 % intervals draw "
    "whole sources and compute both metrics anew. n/a where a metric was 0 or undefined before."
)


def amplitude_table(
    amplitudes: Mapping[str, Mapping[str, Aggregate]], codes: Mapping[str, str], *, name: str
) -> tuple[Table, Heat]:
    """amplitudes: changed attribute -> metric -> CA. codes: how the table names each attribute. Raises ValueError
    without rows."""
    if not amplitudes:
        raise ValueError("a table of amplitudes needs at least one changed attribute")
    columns = [Column("Changed", kind="text"), Column("n", digits=0)]
    columns += [Column(LABELS[metric], group="Measured", interval=True) for metric in METRICS]
    rows = []
    for attribute, cells in amplitudes.items():
        n = max(cells[metric].n + cells[metric].left_out for metric in METRICS)
        rows.append([Cell(codes[attribute]), Cell(n), *(aggregate_cell(cells[metric]) for metric in METRICS)])
    key, title = "metric-amplitude", f"{name}: change amplitude of the metrics"
    numbers = [[cells[metric].value.value for metric in METRICS] for cells in amplitudes.values()]
    figure = Heat(
        key,
        title,
        "changed",
        "measured",
        [codes[key] for key in amplitudes],
        list(LABELS.values()),
        numbers,
    )
    signature = _shared_signature([cell.signature for cells in amplitudes.values() for cell in cells.values()])
    notes = [NOTE, *few_clusters_notes(cell for cells in amplitudes.values() for cell in cells.values())]
    return Table(key, title, columns, rows, notes=notes, signature=signature), figure


def list_paper_keys(schema: Schema) -> dict[str, str]:
    """length, keywords, readability, focus -> the key of that attribute, of those that the schema has."""
    keys = {}
    for attribute in schema.attributes:
        if attribute.traits.has_edges and attribute.measure == "length":
            keys["length"] = attribute.key
        elif attribute.traits.picks_topics:
            keys["keywords"] = attribute.key
        elif attribute.measure == "readability" and attribute.values == READABILITY:
            keys["readability"] = attribute.key
        elif attribute.key == "focus":
            keys["focus"] = attribute.key
    return keys


def build_paper_text(
    schema: Schema,
    text: str,
    values: Mapping[str, Any],
    *,
    reference: str | None = None,
    judged: str | None = UNJUDGED,
    changed: str = "",
) -> PaperText:
    """A text with what was asked of it. reference: the human summary. changed: key of the attribute that is changed in
    this row of the table; where it is the length, no human summary answers the request, and the middle of the requested
    bin takes its place."""
    keys = list_paper_keys(schema)
    requested = {name: values.get(key) for name, key in keys.items()}
    length = None
    if requested.get("length") is not None:
        length = schema.attribute(keys["length"]).index(str(requested["length"]))
    reference_words = n_words(reference) if reference is not None else None
    if changed and changed == keys.get("length"):
        reference_words = None if length is None else length * BIN_WORDS + BIN_WORDS // 2
    readability = requested.get("readability")
    return PaperText(
        text,
        length=length,
        reference=reference_words,
        keywords=tuple(requested.get("keywords") or ()),
        readability=str(readability) if readability in READABILITY else None,
        focus=requested.get("focus") or None,
        judged=judged,
    )


def run_amplitude_study(
    system: Generator,
    changes: Sequence[RequestChange],
    run: Callable[[Generator, Sequence[Request]], Sequence[str]],
    *,
    name: str,
    seed: int,
    replicates: int = DEFAULT_REPLICATES,
) -> tuple[Table, Heat]:
    """Run the system on both requests of every change and measure CA, without human summaries or a judge. run: returns
    the texts of requests, in order."""
    originals = list({change.original.id: change.original for change in changes}.values())
    texts = run(system, [*originals, *(change.changed for change in changes)])
    old = dict(zip((request.id for request in originals), texts, strict=False))
    schema = changes[0].original.schema
    amplitudes = {}
    for key in dict.fromkeys(change.attribute for change in changes):
        indexes = [index for index, change in enumerate(changes) if change.attribute == key]
        pairs = [(changes[index].original, changes[index].changed, texts[len(originals) + index]) for index in indexes]
        texts_before = [build_paper_text(schema, old[first.id], first.values, changed=key) for first, _, _ in pairs]
        texts_after = [build_paper_text(schema, text, second.values, changed=key) for _, second, text in pairs]
        draws = Draws([source_id(first) for first, _, _ in pairs], replicates)
        amplitudes[key] = measure_amplitudes(
            texts_before, texts_after, draws, language=schema.language, changed=key, draw=str(seed)
        )
    codes = {attribute.key: attribute.code for attribute in schema.attributes}
    return amplitude_table(amplitudes, codes, name=name)


def _shared_signature(signatures: Sequence[Signature]) -> str:
    """What all cells have in common."""
    first, others = signatures[0], signatures[1:]
    options = tuple(pair for pair in first.options if all(pair in other.options for other in others))
    return str(Signature(first.name, first.version, options))

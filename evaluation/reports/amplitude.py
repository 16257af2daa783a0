"""CCSBench's change amplitudes as a table and a figure: rows are the changed attributes, columns what is measured.

Source: CCSBench, arXiv 2410.12601, section 6 and Figure 4 (300 samples per attribute).
"""

from collections.abc import Mapping, Sequence

from annotation.figures.heat import Heat
from annotation.figures.tables import Cell, Column, Table
from annotation.measures import Signature
from evaluation.metrics.aggregate import Aggregate
from evaluation.metrics.amplitude import METRICS
from evaluation.reports.automatic import aggregate_cell

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
    return Table(key, title, columns, rows, notes=[NOTE], signature=signature), figure


def _shared_signature(signatures: Sequence[Signature]) -> str:
    """What all cells have in common."""
    first, others = signatures[0], signatures[1:]
    options = tuple(pair for pair in first.options if all(pair in other.options for other in others))
    return str(Signature(first.name, first.version, options))

"""Attention by distance as tables and figures (CCSBench, arXiv 2410.12601, Figure 3)."""

from collections.abc import Sequence

from epitome.figures.charts import Bar, Bars
from epitome.figures.tables import Cell, Column, Table, format_value
from epitome.metrics.attention_distance import AttentionByDistance, DistanceBin
from epitome.reports.cells import aggregate_cell, few_clusters_notes

SAMPLES = 50
NOTE = (
    "Share: of the attention of a written token, mean of all heads, layers and written tokens, then of samples; the "
    "shares of the bins, of the first token and of the token itself sum to 1. Mean: attention per token in the bin. "
    "95 % intervals by a bootstrap over sources."
)
CONTROL_NOTE = (
    "Tokens of the control lines, by their distance from the end of the prompt. Mean: attention per token of the lines."
    " A prompt's first token is left out, also where it is one of theirs: see the share of the first token."
)


def attention_tables(result: AttentionByDistance, *, name: str) -> tuple[list[Table], list[Bars]]:
    """All earlier tokens, then the control lines where there are any; a figure of shares for each."""
    columns = [Column("Distance", kind="text"), Column("Share", digits=4, interval=True)]
    columns += [Column("Mean", digits=6, interval=True), Column("Samples", digits=0)]
    rows = [_bin_cells(row) for row in result.bins]
    absent = Cell(None, "one token, so its share is its mean")
    for label, share in (("first token", result.sink), ("itself", result.itself)):
        rows.append([Cell(label), aggregate_cell(share), absent, Cell(share.n)])
    title = f"{name}: attention by distance"
    signature = str(result.sink.signature)
    tables = [
        Table("attention", title, columns, rows, notes=[NOTE, *few_clusters_notes([result.sink])], signature=signature)
    ]
    figures = [_draw_shares("attention", title, result.bins)]
    if result.control:
        control_title = f"{name}: attention to the control lines"
        control_rows = [_bin_cells(row) for row in result.control]
        total = result.control_share
        absent_total = Cell(None, "see the rows above")
        control_rows.append([Cell("all"), aggregate_cell(total), absent_total, Cell(total.n)])
        key = "attention-control"
        tables.append(Table(key, control_title, columns, control_rows, notes=[CONTROL_NOTE], signature=signature))
        figures.append(_draw_shares(key, control_title, result.control))
    return tables, figures


def _bin_cells(row: DistanceBin) -> list[Cell]:
    return [Cell(row.label), aggregate_cell(row.share), aggregate_cell(row.mean), Cell(row.mean.n)]


def _draw_shares(key: str, title: str, bins: Sequence[DistanceBin]) -> Bars:
    shares = [float(row.share.value) for row in bins]
    largest = max(shares) or 1.0
    rows = [
        Bar(row.label, share, largest, format_value(share, 4), lead=True)
        for row, share in zip(bins, shares, strict=True)
    ]
    return Bars(key, title, rows)

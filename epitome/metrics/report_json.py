"""A report as one JSON object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epitome.metrics.aggregate import Aggregate
from epitome.metrics.report import Report, Scores
from epitome.metrics.table_numbers import CONTENT, select_content

PAPER_KEYS = {
    "pcc": "pcc", "mad": "mad", "sr": "sr", "normal": "f_normal", "high": "f_high", "gap": "f_gap", "f1": "f1",
    "f1_low": "f1_low", "f1_high": "f1_high",
}  # fmt: skip
"""CCSBench's columns -> their keys in the object."""


def report_json(report: Report, *, intervals: bool = False) -> dict[str, Any]:
    """The object that `measure --json` prints; keys that do not apply to the file are absent.

    f and cc are those of the predictions where there are some. intervals: also `ci95` and `n`, in the shape of the
    numbers themselves, null where undefined.
    """
    data: dict[str, Any] = {
        "samples": len(report.file.samples),
        "sources": len(report.file.sources),
        "profile": report.options.profile,
        "f": _defined_values(_f_cells(report.scores)),
        "cc": _cc_values(report.scores),
    }
    if report.cer:
        data["cer"] = _defined_values(report.cer)
        if report.average is not None and report.average.defined:
            data["cer"]["average"] = report.average.value
    content = {metric.key: select_content(metric, report.content) for metric in CONTENT.values()}
    data |= {name: values for name, cells in content.items() if (values := _defined_values(cells))}
    if papers := paper_cells(report):
        data |= _defined_values(papers)
    signature = report.signature
    if intervals:
        cells_by_name = {"f": _f_cells(report.scores), "cc": report.scores.cc, "cer": report.cer, **content}
        cells_by_name["papers"] = papers
        data["ci95"] = {name: _map_cells(cells, interval_bounds) for name, cells in cells_by_name.items() if cells}
        data["n"] = {name: _map_cells(cells, lambda cell: cell.n) for name, cells in cells_by_name.items() if cells}
        signature = signature.with_(replicates=report.options.replicates, seed=report.options.seed)
    data["signature"] = str(signature)
    return data


def paper_cells(report: Report) -> dict[str, Aggregate]:
    """CCSBench's columns by their keys; empty for other schemas."""
    return {PAPER_KEYS[name]: cell for name, cell in report.papers.items()}


def _f_cells(scores: Scores) -> dict[str, Any]:
    return {**scores.f, **scores.shares}


def _defined_values(cells: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the cells that have one."""
    values: dict[str, Any] = {}
    for name, cell in cells.items():
        if not isinstance(cell, Aggregate):
            values[name] = _defined_values(cell)
        elif cell.value.defined:
            values[name] = cell.value.value
    return values


def _cc_values(scores: Scores) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, cell in scores.cc.items():
        values[name] = {"value": cell.value.value, "pairs": cell.n}
        if not cell.value.defined:
            values[name]["undefined"] = cell.value.undefined
    slip = scores.cc_as_published
    if slip is not None and slip.value.defined:
        # MACSum's table for documents prints the slope of extractiveness under specificity.
        values["specificity"]["as_published"] = slip.value.value
    return values


def _map_cells(cells: Mapping[str, Any], extract: Any) -> dict[str, Any]:
    return {
        name: extract(cell) if isinstance(cell, Aggregate) else _map_cells(cell, extract)
        for name, cell in cells.items()
    }


def interval_bounds(cell: Aggregate) -> list[float] | None:
    low, high = cell.interval.low, cell.interval.high
    return None if low is None or high is None else [low, high]

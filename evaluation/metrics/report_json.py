"""A report as one JSON object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.metrics.aggregate import Aggregate
from evaluation.metrics.report import Report, Scores


def report_json(report: Report, *, intervals: bool = False) -> dict[str, Any]:
    """The object that `measure --json` prints; what has no meaning for the file is absent.

    f and cc are those of the predictions where there are some. intervals: also `ci95` and `n`, in the shape of the
    numbers themselves, null where undefined.
    """
    found: dict[str, Any] = {
        "samples": len(report.file.samples),
        "sources": len(report.file.sources),
        "profile": report.options.profile,
        "f": _numbers(_f(report.scores)),
        "cc": _cc(report.scores),
    }
    if report.cer:
        found["cer"] = _numbers(report.cer)
        if report.average is not None and report.average.defined:
            found["cer"]["average"] = report.average.value
    if rouge := _numbers(report.rouge):
        found["rouge"] = rouge
    signature = report.signature
    if intervals:
        parts = {"f": _f(report.scores), "cc": report.scores.cc, "cer": report.cer, "rouge": report.rouge}
        found["ci95"] = {name: _each(part, _interval) for name, part in parts.items() if part}
        found["n"] = {name: _each(part, lambda cell: cell.n) for name, part in parts.items() if part}
        signature = signature.with_(replicates=report.options.replicates, seed=report.options.seed)
    found["signature"] = str(signature)
    return found


def _f(scores: Scores) -> dict[str, Any]:
    return {**scores.f, **scores.shares}


def _numbers(cells: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the cells, of those that have one."""
    found: dict[str, Any] = {}
    for name, cell in cells.items():
        if not isinstance(cell, Aggregate):
            found[name] = _numbers(cell)
        elif cell.value.defined:
            found[name] = cell.value.value
    return found


def _cc(scores: Scores) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, cell in scores.cc.items():
        found[name] = {"value": cell.value.value, "pairs": cell.n}
        if not cell.value.defined:
            found[name]["undefined"] = cell.value.undefined
    slip = scores.cc_as_published
    if slip is not None and slip.value.defined:
        # MACSum's table for documents prints the slope of extractiveness under specificity.
        found["specificity"]["as_published"] = slip.value.value
    return found


def _each(cells: Mapping[str, Any], what: Any) -> dict[str, Any]:
    return {name: what(cell) if isinstance(cell, Aggregate) else _each(cell, what) for name, cell in cells.items()}


def _interval(cell: Aggregate) -> list[float] | None:
    low, high = cell.interval.low, cell.interval.high
    return None if low is None or high is None else [low, high]

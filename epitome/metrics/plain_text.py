"""A report of a plain table as text and as one JSON object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epitome.metrics.aggregate import Aggregate
from epitome.metrics.plain import PlainReport
from epitome.metrics.report_json import interval_bounds
from epitome.metrics.report_text import align_rows, format_interval, format_mean, three_digits, two_digits
from epitome.metrics.table_numbers import CONTENT

SHOWN = {"length": two_digits, "readability": two_digits}
"""How numbers that are not small are written; the others have three digits."""


def plain_text(report: PlainReport) -> str:
    """Lines without a newline at the end: the measures, ROUGE, what is missing and why, the signature."""
    table, options = report.table, report.options
    n, whose = len(table.file.samples), "summaries" if table.outputs is None else "outputs"
    of = f" of {len(table.file.sources)} sources" if any(source.lines for source in table.file.sources) else ""
    head = f"{table.file.name}: {n} {whose}{of}, profile {options.profile}"
    sections = [[head, _request_note(report)], _measure_lines(report)]
    if report.rouge:
        sections.append(_rouge_lines(report))
    drawn = f"{options.replicates} replicates, seed {options.seed}"
    signature = report.signature.with_(replicates=options.replicates, seed=options.seed)
    sections.append([f"95 %: percentile bootstrap drawn by source, {drawn}; - where it is undefined.", str(signature)])
    return "\n\n".join("\n".join(lines) for lines in sections)


def _request_note(report: PlainReport) -> str:
    columns = report.table.columns
    if columns.requests:
        names = ", ".join(columns.requests)
        return f"Nothing is read as a request, so there is no CER and no CC. --preset macsum-doc would read: {names}."
    note = "No column asks for anything, so there is no CER and no CC."
    if not columns.unread:
        return note
    call = "--preset NAME --map summary=COLUMN,attribute:KEY=COLUMN"
    return f"{note} Where one does: {call}. Not read: {', '.join(columns.unread)}."


def _measure_lines(report: PlainReport) -> list[str]:
    whose = "summaries" if report.table.outputs is None else "outputs"
    rows = [[f"Mean of the {whose}", "n", "mean", "95 % interval", *(["references"] if report.gold else [])]]
    for key, cell in report.f.items():
        show = SHOWN.get(key, three_digits)
        row = [key.capitalize(), str(cell.n), format_mean(cell.value, show), format_interval(cell, show)]
        rows.append([*row, *([format_mean(report.gold[key].value, show)] if report.gold else [])])
    lines = align_rows(rows)
    if not any(source.lines for source in report.table.file.sources):
        lines.append("Extractiveness: the table has no column of source texts (--map text=COLUMN names one).")
    if report.table.outputs is not None and (empty := sum(not text.strip() for text in report.table.outputs)):
        lines.append(f"Empty outputs, which count as such: {empty}.")
    lines += [f"{key.capitalize()}: undefined, {why}." for key, why in report.undefined.items()]
    return lines + [
        f"{key.capitalize()}: undefined, {cell.value.undefined}."
        for key, cell in report.f.items()
        if not cell.value.defined
    ]


def _rouge_lines(report: PlainReport) -> list[str]:
    rows = [["Outputs against summaries", "n", "mean", "95 % interval"]]
    labels = {number.key: number.label for metric in CONTENT.values() for number in metric.numbers}
    rows += [
        [labels[kind], str(cell.n), format_mean(cell.value, three_digits), format_interval(cell, three_digits)]
        for kind, cell in report.rouge.items()
    ]
    lines = align_rows(rows)
    return lines + [
        f"{labels[kind]}: {cell.left_out} rows are left out, whose summary has too few words."
        for kind, cell in report.rouge.items()
        if cell.left_out
    ]


def plain_json(report: PlainReport, *, intervals: bool = False) -> dict[str, Any]:
    """The object of `measure --json`: samples, sources, profile, f, with outputs references and rouge, undefined.
    intervals: also ci95 and n, in the shape of the numbers."""
    groups = {"f": report.f, "references": report.gold, "rouge": report.rouge}
    undefined = report.undefined | {
        key: cell.value.undefined for cells in groups.values() for key, cell in cells.items() if not cell.value.defined
    }
    numbers: dict[str, Any] = {
        "samples": len(report.table.file.samples),
        "sources": len(report.table.file.sources),
        "profile": report.options.profile,
        **{name: _values(cells) for name, cells in groups.items() if cells},
    }
    numbers |= {"undefined": undefined} if undefined else {}
    signature = report.signature
    if intervals:
        numbers["ci95"] = {
            name: {key: interval_bounds(cell) for key, cell in cells.items()} for name, cells in groups.items()
        }
        numbers["n"] = {name: {key: cell.n for key, cell in cells.items()} for name, cells in groups.items()}
        signature = signature.with_(replicates=report.options.replicates, seed=report.options.seed)
    return numbers | {"signature": str(signature)}


def _values(cells: Mapping[str, Aggregate]) -> dict[str, float]:
    return {key: cell.value.value for key, cell in cells.items() if cell.value.value is not None}

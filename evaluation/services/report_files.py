"""A report as one file: HTML, CSV, LaTeX or JSON, all from the same stored tables."""

import json
from collections.abc import Mapping
from typing import Any

from django.template.loader import render_to_string

from annotation.figures.charts import chart_from
from annotation.figures.svg import standalone
from annotation.figures.tables import Table, latex_text, safe_cell
from annotation.services.errors import NotFound
from evaluation.reports.build import STAFF_ONLY

FORMATS = ("html", "csv", "latex", "json")
SHOWN = (("html", "HTML"), ("csv", "CSV"), ("latex", "LaTeX"), ("json", "JSON"))
ENDINGS = {"html": "html", "csv": "csv", "latex": "tex", "json": "json"}
TYPES = {
    "html": "text/html",
    "csv": "text/csv",
    "tex": "application/x-tex",
    "json": "application/json",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
}


def tables_of(report: Mapping[str, Any], *, raters: bool = False) -> list[Table]:
    """The tables in order; those about single raters only where they are asked for."""
    found = [Table.from_json(table) for table in report["tables"]]
    return [table for table in found if raters or table.key not in STAFF_ONLY]


def whole(report: Mapping[str, Any], format_: str, *, raters: bool = False) -> str:
    """The report as the text of one file. Raises KeyError for another format."""
    return {"html": _html, "csv": _csv, "latex": _latex, "json": _json}[format_](report, raters)


def _json(report: Mapping[str, Any], raters: bool) -> str:
    told = {**report, "tables": [table.as_json() for table in tables_of(report, raters=raters)]}
    return json.dumps(told, ensure_ascii=False, indent=1) + "\n"


def _csv(report: Mapping[str, Any], raters: bool) -> str:
    """Tables one after the other, each under a line with its title and signature."""
    parts = [
        f"{safe_cell(table.title)},{safe_cell(table.signature)}\r\n{table.csv()}"
        for table in tables_of(report, raters=raters)
    ]
    return "\r\n".join(parts)


def _latex(report: Mapping[str, Any], raters: bool) -> str:
    r"""Needs \usepackage{booktabs}."""
    methods = [f"% methods, ready to edit\n{latex_text(report['methods'])}\n"] if report["methods"] else []
    return "\n".join([*methods, *(table.latex() for table in tables_of(report, raters=raters))])


def _html(report: Mapping[str, Any], raters: bool) -> str:
    from annotation.views.shown_tables import show

    shown = [show(table) for table in tables_of(report, raters=raters)]
    return render_to_string("evaluation/report_file.html", {"report": report, "tables": shown})


def one_table(report: Mapping[str, Any], key: str, format_: str) -> tuple[str, str]:
    """(text, ending) of one table. Raises NotFound."""
    for data in report["tables"]:
        if data["key"] == key:
            table = Table.from_json(data)
            if format_ == "csv":
                return "\ufeff" + table.csv(), "csv"  # the mark lets spreadsheets see that it is UTF-8
            if format_ == "latex":
                return table.latex(), "tex"
            if format_ == "json":
                return json.dumps(table.as_json(), ensure_ascii=False, indent=1), "json"
    raise NotFound("There is no such table. Open the report and take it from there.")


def one_figure(report: Mapping[str, Any], key: str, format_: str) -> tuple[bytes, str]:
    """(bytes, ending) of one figure, as svg or pdf. Raises NotFound."""
    for charts in report["figures"].values():
        for data in charts:
            if data["key"] == key:
                drawn = chart_from(data).draw()
                if format_ == "pdf":
                    from annotation.figures.pdf import pdf_of

                    return pdf_of(drawn), "pdf"
                if format_ == "svg":
                    return standalone(drawn).encode(), "svg"
    raise NotFound("There is no such figure. Open the report and take it from there.")

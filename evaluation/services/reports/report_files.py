"""Reports as files: HTML, CSV, LaTeX or JSON, rendered from the same stored tables."""

import json
from collections.abc import Mapping
from typing import Any

from django.template.loader import render_to_string
from django.utils.translation import gettext
from django.utils.translation import gettext as _

from annotation.services.core.errors import NotFound
from epitome.figures.charts import chart_from_json
from epitome.figures.svg import standalone_svg
from epitome.figures.table_rendering import render_table
from epitome.figures.tables import Table, csv_line, latex_text
from epitome.reports.build import STAFF_ONLY

FORMATS = ("html", "csv", "latex", "json")
FORMAT_LABELS = (("html", "HTML"), ("csv", "CSV"), ("latex", "LaTeX"), ("json", "JSON"))
ENDINGS = {"html": "html", "csv": "csv", "latex": "tex", "json": "json"}
CONTENT_TYPES = {
    "html": "text/html",
    "csv": "text/csv",
    "tex": "application/x-tex",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "zip": "application/zip",
}


def list_tables(report: Mapping[str, Any], *, raters: bool = False) -> list[Table]:
    """The tables in order. raters: include the tables about individual raters."""
    tables = [Table.from_json(table) for table in report["tables"]]
    return [table for table in tables if raters or table.key not in STAFF_ONLY]


def render_report(report: Mapping[str, Any], format_: str, *, raters: bool = False) -> str:
    """The report as the text of one file. Raises KeyError for another format."""
    return {"html": _render_html, "csv": _render_csv, "latex": _render_latex, "json": _render_json}[format_](
        report, raters
    )


def _render_json(report: Mapping[str, Any], raters: bool) -> str:
    values = {**report, "tables": [table.as_json() for table in list_tables(report, raters=raters)]}
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


def _render_csv(report: Mapping[str, Any], raters: bool) -> str:
    """Tables one after the other, each under a line with its title and signature."""
    sections = [csv_line([table.title, table.signature]) + table.csv() for table in list_tables(report, raters=raters)]
    return "\r\n".join(sections)


def _render_latex(report: Mapping[str, Any], raters: bool) -> str:
    r"""Needs \usepackage{booktabs}."""
    methods = [f"% methods, ready to edit\n{latex_text(report['methods'])}\n"] if report["methods"] else []
    return "\n".join([*methods, *(table.latex() for table in list_tables(report, raters=raters))])


def _render_html(report: Mapping[str, Any], raters: bool) -> str:

    rendered = [render_table(table, gettext=gettext) for table in list_tables(report, raters=raters)]
    return render_to_string("evaluation/reports/report_file.html", {"report": report, "tables": rendered})


def render_one_table(report: Mapping[str, Any], key: str, format_: str) -> tuple[str, str]:
    """(text, ending) of one table. Raises NotFound."""
    for data in report["tables"]:
        if data["key"] == key:
            table = Table.from_json(data)
            if format_ == "csv":
                return "\ufeff" + table.csv(), "csv"  # the BOM shows spreadsheets that the file is UTF-8
            if format_ == "latex":
                return table.latex(), "tex"
            if format_ == "json":
                return json.dumps(table.as_json(), ensure_ascii=False, indent=1), "json"
    raise NotFound(_("There is no such table. Open the report and take it from there."))


def render_one_figure(report: Mapping[str, Any], key: str, format_: str) -> tuple[bytes, str]:
    """(bytes, ending) of one figure, as svg or pdf. Raises NotFound."""
    story = report.get("story") or {}
    leading = [story["figure"]] if story.get("figure") else []
    for charts in (leading, *report["figures"].values()):
        for data in charts:
            if data["key"] == key:
                drawn = chart_from_json(data).draw()
                if format_ == "pdf":
                    from epitome.figures.pdf import render_pdf

                    return render_pdf(drawn), "pdf"
                if format_ == "svg":
                    return standalone_svg(drawn).encode(), "svg"
    raise NotFound(_("There is no such figure. Open the report and take it from there."))

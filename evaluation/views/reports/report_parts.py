"""Shared by the pages of a round's report and of a project's tables: sections, and downloads of parts."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from annotation.figures.charts import chart_from_json
from annotation.figures.svg import Svg
from annotation.figures.table_rendering import RenderedTable, render_table
from annotation.figures.tables import Table
from annotation.services.core.errors import NotFound
from evaluation.services.reports import report_files

OPEN_TABLES = (
    "metric-amplitude",
    "dependency",
    "yes-rater-1",
    "yes-pooled",
    "forms",
    "agreement",
    "systems",
    "ccsbench",
    "composition",
    "ablation",
    "combinations",
)
"""Tables shown expanded; the others are collapsed."""


@dataclass
class Section:
    """One table with its figures."""

    rendered_table: RenderedTable
    figures: list[tuple[str, Svg]]
    is_open: bool


def build_sections(report: dict[str, Any]) -> list[Section]:
    """Build the sections from the JSON values of a report."""
    sections = []
    for data in report["tables"]:
        table = Table.from_json(data)
        figures = [(chart["key"], chart_from_json(chart).draw()) for chart in report["figures"].get(table.key, [])]
        sections.append(Section(render_table(table, gettext=_), figures, table.key in OPEN_TABLES))
    return sections


def render_file(report: dict[str, Any], request: HttpRequest) -> tuple[str | bytes, str]:
    """(body, file name) of ?table=, ?figure= or the full report, in ?format=. Raises NotFound."""
    format_ = request.GET.get("format", "")
    if key := request.GET.get("table"):
        text, ending = report_files.render_one_table(report, key, format_)
        return text, f"{key}.{ending}"
    if key := request.GET.get("figure"):
        drawn, ending = report_files.render_one_figure(report, key, format_)
        return drawn, f"{key}.{ending}"
    if format_ not in report_files.FORMATS:
        raise NotFound(_("A report comes as html, csv, latex or json."))
    return report_files.render_report(report, format_), f"report.{report_files.ENDINGS[format_]}"

"""Shared by the pages of a round's report and of a project's tables: sections, and downloads of parts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override

from annotation.services.core.errors import NotFound
from epitome.figures.charts import Chart, chart_from_json
from epitome.figures.svg import Svg
from epitome.figures.table_rendering import RenderedTable, render_table
from epitome.figures.tables import Table
from epitome.reports.chapters import is_folded, order_tables
from epitome.site.file_language import FILE_LANGUAGE
from evaluation.services.reports import report_archive, report_files

OPEN_TABLES = (
    "funnel",
    "aggregation-contents",
    "aggregation-agreement",
    "rankings",
    "rankings-ablation",
    "metric-amplitude",
    "dependency",
    "human-check",
    "yes-rater-1",
    "yes-pooled",
    "forms",
    "combined-estimates",
    "combined-differences",
    "combined-wins",
    "combined-sequences",
    "span-errors",
    "span-agreement",
    "agreement",
    "systems",
    "ccsbench",
    "composition",
    "ablation",
    "combinations",
    "contrastive-systems",
    "contrastive-rules",
    "contrastive-comparison",
)
"""Tables shown expanded; the others are collapsed."""


@dataclass
class Figure:
    """kind: forest or duels for those whose rows a page writes as text, svg for drawings."""

    key: str
    kind: str
    chart: Chart

    @property
    def drawing(self) -> Svg:
        return self.chart.draw()


@dataclass
class Section:
    """One table with its figures."""

    rendered_table: RenderedTable
    figures: list[Figure]
    is_open: bool


@dataclass
class Chapter:
    """key: as in `epitome.reports.chapters`."""

    key: str
    title: str
    sections: list[Section]


@dataclass
class Opening:
    """What came out. findings: (sentence, numbers, key of their table)."""

    findings: list[tuple[SafeString, str, str]]
    figure: Figure | None
    caption: str


CHAPTER_TITLES = {
    "out": gettext_lazy("What came out"),
    "differences": gettext_lazy("Differences"),
    "agreement": gettext_lazy("Agreement"),
    "answers": gettext_lazy("All answers"),
    "scores": gettext_lazy("Automatic scores"),
    "raters": gettext_lazy("Raters and models"),
}


@override(FILE_LANGUAGE)
def build_sections(report: Mapping[str, Any]) -> list[Section]:
    """Build the sections from the JSON values of a report."""
    sections = []
    for data in report["tables"]:
        table = Table.from_json(data)
        figures = [build_figure(chart) for chart in report["figures"].get(table.key, [])]
        sections.append(Section(render_table(table, gettext=_), figures, table.key in OPEN_TABLES))
    return sections


def build_figure(data: Mapping[str, Any]) -> Figure:
    """From the JSON values of a chart."""
    kind = data["chart"] if data["chart"] in ("forest", "duels") else "svg"
    return Figure(data["key"], kind, chart_from_json(data))


@override(FILE_LANGUAGE)
def build_chapters(report: Mapping[str, Any]) -> list[Chapter]:
    """The chapters of a round's report in reading order; the first is there even without tables."""
    sections = {section.rendered_table.table.key: section for section in build_sections(report)}
    ordered: dict[str, list[str]] = {"out": [], **order_tables(list(sections))}
    for key, section in sections.items():
        section.is_open = not is_folded(key)
    return [
        Chapter(chapter, str(CHAPTER_TITLES[chapter]), [sections[key] for key in keys])
        for chapter, keys in ordered.items()
    ]


def _mark_names(parts: Sequence[tuple[str, bool]]) -> SafeString:
    """The sentence with the names in it set apart."""
    marked = (format_html("<b><bdi>{}</bdi></b>", words) if is_name else words for words, is_name in parts)
    return format_html_join("", "{}", ((words,) for words in marked))


def list_contents(chapters: Sequence[Chapter]) -> list[tuple[str, str]]:
    """(anchor, title) of the chapters."""
    return [(chapter.key, chapter.title) for chapter in chapters]


@override(FILE_LANGUAGE)
def build_opening(report: Mapping[str, Any]) -> Opening | None:
    """None for a report stored before there were findings."""
    story = report.get("story")
    if not story:
        return None
    findings = [(_mark_names(finding["parts"]), finding["detail"], finding["table"]) for finding in story["findings"]]
    figure = build_figure(story["figure"]) if story["figure"] else None
    return Opening(findings, figure, story["caption"])


def render_file(report: Mapping[str, Any], request: HttpRequest) -> tuple[str | bytes, str]:
    """(body, file name) of ?table=, ?figure= or the full report, in ?format=. Raises NotFound."""
    format_ = request.GET.get("format", "")
    if format_ == "zip":
        return report_archive.build_archive(report), "report.zip"
    if key := request.GET.get("table"):
        text, ending = report_files.render_one_table(report, key, format_)
        return text, f"{key}.{ending}"
    if key := request.GET.get("figure"):
        drawn, ending = report_files.render_one_figure(report, key, format_)
        return drawn, f"{key}.{ending}"
    if format_ not in report_files.FORMATS:
        raise NotFound(_("A report comes as html, csv, latex or json."))
    return report_files.render_report(report, format_), f"report.{report_files.ENDINGS[format_]}"

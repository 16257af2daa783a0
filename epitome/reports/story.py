"""What a report begins with: three sentences, one large figure, and what is behind both."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from epitome.figures.charts import Chart, chart_json
from epitome.figures.forest import Forest, ForestRow, span_axis
from epitome.figures.numbers import format_count, format_score
from epitome.figures.tables import Table
from epitome.reports.answers import Answers, Frame
from epitome.reports.combined import CombinedMaterial
from epitome.reports.findings import make_findings
from epitome.reports.headline import Headline, headline_figure, name_interval
from epitome.reports.sentences import Finding

LOOKED_AT = (
    "The round could stop early: these intervals are those of a fixed number of items and describe; what holds at "
    "every look stands under Differences."
)
DRAWN_BY_DOUBT = "From people and the judge together, because people judged items drawn with unequal chances."


@dataclass(frozen=True)
class Story:
    """figure: None where nothing can be drawn. caption: what is to be known to read it. table: key of its numbers."""

    findings: tuple[Finding, ...]
    figure: Chart | None
    caption: str = ""
    table: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "findings": [finding.as_json() for finding in self.findings],
            "figure": chart_json(self.figure) if self.figure is not None else None,
            "caption": self.caption,
            "table": self.table,
        }


def tell_story(
    frame: Frame,
    answers: Answers,
    headline: Headline | None,
    tables: Sequence[Table],
    material: CombinedMaterial | None,
) -> Story:
    """answers: of people, to real items. tables: all of the report."""
    told_by = _choose_table(headline, material)
    findings = tuple(make_findings(frame, answers, headline, tables, told_by=told_by))
    if material is not None and _is_drawn_by_doubt(material):
        table = next((table for table in tables if table.key == "combined-estimates"), None)
        return Story(findings, _combined_figure(table), DRAWN_BY_DOUBT, "combined-estimates")
    if headline is None:
        return Story(findings, None)
    sources = len(headline.answers.names("source"))
    noun = "source" if sources == 1 else "sources"
    counts = f"{format_count(sources)} {noun}, {format_count(frame.replicates)} replicates"
    caption = f"Lines: 95 % intervals by a bootstrap over {counts}."
    if headline.compares_pairs:
        caption = f"Ties count as half a win. {caption}"
    if material is not None and material.looks:
        caption = f"{caption} {LOOKED_AT}"
    return Story(findings, headline_figure(headline), caption, "headline")


def _is_drawn_by_doubt(material: CombinedMaterial) -> bool:
    return material.combines and material.selection == "active"


def _choose_table(headline: Headline | None, material: CombinedMaterial | None) -> str:
    """The table that the sentences rest on instead of the tests of the headline; "" for these."""
    if material is None or not material.rows:
        return ""
    if material.looks:
        return "combined-sequences"
    if not _is_drawn_by_doubt(material):
        return ""
    return "combined-wins" if headline is not None and headline.compares_pairs else "combined-differences"


def _combined_figure(table: Table | None) -> Forest | None:
    if table is None:
        return None
    index = [column.label for column in table.columns].index("Combined")
    rows = []
    for row in table.rows:
        cell = row[index]
        if isinstance(cell.value, float | int):
            interval = name_interval(cell.low, cell.high, "number")
            value_text, heading = format_score(float(cell.value), 2), f"{row[0].value}"
            ends = (cell.low, cell.high)
            rows.append(ForestRow(f"{row[1].value}", float(cell.value), value_text, interval, "", *ends, heading))
    if not rows:
        return None
    low, high = span_axis([bound for row in rows for bound in (row.value, row.low, row.high)], within=(0.0, 1.0))
    return Forest("headline-figure", "Combined estimates", rows, low, high, "number")

"""The report of a round: tables and figures in reading order, with the methods paragraph."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.figures.charts import Chart, chart_json
from annotation.figures.tables import Table
from evaluation.reports.agreement_tables import agreement_by_question, agreement_by_system
from evaluation.reports.answers import Answer, Answers, Frame, real_answers, select_quality
from evaluation.reports.comparisons import significance_table
from evaluation.reports.correlation import ScoredSummary, correlation_table
from evaluation.reports.forms import form_table
from evaluation.reports.identification import identification_tables
from evaluation.reports.judges import judge_table
from evaluation.reports.lists import list_tables
from evaluation.reports.methods import methods_paragraph
from evaluation.reports.numbers import number_tables
from evaluation.reports.pairs import pair_tables
from evaluation.reports.rater_table import rater_table
from evaluation.reports.scales import scale_tables
from evaluation.reports.several import several_tables
from evaluation.reports.yes_rates import by_value_table, yes_figures, yes_tables

STAFF_ONLY = ("raters",)
"""Keys of tables about individual raters; left out of files unless asked for."""


@dataclass(frozen=True)
class RoundReport:
    """tables: in reading order; figures: by the key of the table they belong to."""

    name: str
    tables: tuple[Table, ...]
    figures: dict[str, tuple[Chart, ...]] = field(default_factory=dict)
    methods: str = ""
    judgements: int = 0

    def as_json(self) -> dict[str, Any]:
        """The report as stored; `Table.from_json` and `chart_from` restore its tables and figures."""
        return {
            "name": self.name,
            "judgements": self.judgements,
            "methods": self.methods,
            "tables": [table.as_json() for table in self.tables],
            "figures": {key: [chart_json(chart) for chart in charts] for key, charts in self.figures.items()},
        }


def build_report(
    frame: Frame,
    rows: Sequence[Answer],
    pairs: Sequence[ScoredSummary] = (),
    automatic: Sequence[Table] = (),
    advance: Callable[[str], None] = lambda part: None,
) -> RoundReport:
    """Build all tables and figures. rows: all answers, including foils and repeats; pairs: automatic scores of judged
    summaries; automatic: tables of systems to append; advance: called with the name of each finished section."""
    counted = real_answers(rows)
    people = counted.of_raters(frame.raters)
    repeats = select_quality(rows, "repeat")
    tables: list[Table] = []
    figures: dict[str, tuple[Chart, ...]] = {}
    for section, make_tables in _report_sections(frame, rows, counted, people, repeats, pairs):
        tables += [table for table in make_tables() if table is not None]
        advance(section)
    if drawn := yes_figures(frame, people):
        figures["yes-pooled"] = tuple(drawn)
    return RoundReport(frame.name, (*tables, *automatic), figures, methods_paragraph(frame), len(counted))


def _report_sections(
    frame: Frame,
    rows: Sequence[Answer],
    counted: Answers,
    people: Answers,
    repeats: Answers,
    pairs: Sequence[ScoredSummary],
) -> list[tuple[str, Callable[[], Sequence[Table | None]]]]:
    return [
        ("yes", lambda: yes_tables(frame, people)),
        ("forms", lambda: [form_table(frame, people)]),
        ("pairs", lambda: pair_tables(frame, people)),
        ("identification", lambda: identification_tables(frame, people)),
        ("scales", lambda: [*scale_tables(frame, people), *number_tables(frame, people)]),
        ("several", lambda: several_tables(frame, people)),
        ("lists", lambda: list_tables(frame, people)),
        ("agreement", lambda: [agreement_by_question(frame, people), agreement_by_system(frame, people)]),
        ("values", lambda: [by_value_table(frame, people)]),
        ("significance", lambda: [significance_table(frame, people)]),
        ("judges", lambda: [judge_table(frame, counted, repeats)]),
        ("scores", lambda: [correlation_table(frame, pairs)]),
        ("raters", lambda: [rater_table(frame, rows)]),
    ]

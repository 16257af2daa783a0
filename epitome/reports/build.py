"""The report of a round: tables and figures in reading order, with the methods paragraph."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from epitome.figures.charts import Chart, chart_json
from epitome.figures.tables import Table
from epitome.reports.agreement_tables import agreement_by_question, agreement_by_system
from epitome.reports.answers import Answer, Answers, Frame, real_answers, select_quality
from epitome.reports.choices import choice_tables
from epitome.reports.combined import CombinedMaterial, combined_sentences, combined_tables
from epitome.reports.comparisons import significance_figure, significance_table
from epitome.reports.correlation import ScoredSummary, correlation_table
from epitome.reports.forms import form_table
from epitome.reports.headline import Headline, duels_figure, find_headline, headline_tables, win_matrix
from epitome.reports.human_check import human_check_tables
from epitome.reports.identification import identification_tables
from epitome.reports.judges import judge_table
from epitome.reports.lists import list_tables
from epitome.reports.methods import methods_paragraph
from epitome.reports.numbers import number_tables
from epitome.reports.pairs import pair_tables
from epitome.reports.rater_table import rater_table
from epitome.reports.scales import scale_tables
from epitome.reports.several import several_tables
from epitome.reports.span_agreement import span_agreement_tables, span_judge_table
from epitome.reports.span_errors import span_error_tables
from epitome.reports.span_figures import span_figures
from epitome.reports.story import Story, tell_story
from epitome.reports.yes_rates import by_value_table, yes_figures, yes_tables

STAFF_ONLY = ("raters",)
"""Keys of tables about individual raters; left out of files unless asked for."""

UNAFFECTED = ("combined", "raters")
"""Sections that take the draw of items and the looks into account, or say nothing of systems."""
CHOSEN_NOTE = (
    "People were rather shown items on which the models were in doubt. This table counts each judged item once: it "
    "describes these items, which are no random sample of all. Estimates for all items weight each by 1 / pi."
)
LOOKS_NOTE = (
    "The round could stop early by what was seen: intervals and p values of this table are those of a fixed number of "
    "items, and only describe."
)


@dataclass(frozen=True)
class RoundReport:
    """tables: in reading order; figures: by the key of the table they belong to."""

    name: str
    tables: tuple[Table, ...]
    figures: dict[str, tuple[Chart, ...]] = field(default_factory=dict)
    methods: str = ""
    judgements: int = 0
    story: Story | None = None

    def as_json(self) -> dict[str, Any]:
        """The report as stored; `Table.from_json` and `chart_from` restore its tables and figures."""
        return {
            "name": self.name,
            "judgements": self.judgements,
            "methods": self.methods,
            "story": self.story.as_json() if self.story is not None else None,
            "tables": [table.as_json() for table in self.tables],
            "figures": {key: [chart_json(chart) for chart in charts] for key, charts in self.figures.items()},
        }


def build_report(
    frame: Frame,
    rows: Sequence[Answer],
    pairs: Sequence[ScoredSummary] = (),
    automatic: Sequence[Table] = (),
    advance: Callable[[str], None] = lambda part: None,
    combined: CombinedMaterial | None = None,
) -> RoundReport:
    """Build all tables and figures. rows: all answers, including foils and repeats; pairs: automatic scores of judged
    summaries; automatic: tables of systems to append; advance: called with the name of each finished section;
    combined: what estimates from people and judges rest on, of rounds that declared them."""
    counted = real_answers(rows)
    people = counted.of_raters(frame.raters)
    repeats = select_quality(rows, "repeat")
    tables: list[Table] = []
    notes = _design_notes(frame)
    headline = find_headline(frame, people)
    sections = _report_sections(frame, rows, counted, people, repeats, pairs, headline)
    for section, make_tables in [*sections, ("combined", lambda: combined_tables(frame, combined))]:
        made = [table for table in make_tables() if table is not None]
        tables += made if section in UNAFFECTED else [_add_notes(table, notes) for table in made]
        advance(section)
    methods = " ".join(filter(None, [methods_paragraph(frame), combined_sentences(combined)]))
    story = tell_story(frame, people, headline, tables, combined)
    figures = _draw_figures(frame, people, headline, tables)
    return RoundReport(frame.name, (*tables, *automatic), figures, methods, len(counted), story)


def _draw_figures(
    frame: Frame, people: Answers, headline: Headline | None, tables: Sequence[Table]
) -> dict[str, tuple[Chart, ...]]:
    """By the key of the table that has the numbers."""
    significance = next((table for table in tables if table.key == "significance"), None)
    drawn: dict[str, Sequence[Chart | None]] = {
        "win-matrix": [duels_figure(headline)],
        "significance": [significance_figure(significance)],
        "yes-pooled": yes_figures(frame, people),
    }
    drawn |= span_figures(frame, people)
    figures = {key: tuple(chart for chart in charts if chart is not None) for key, charts in drawn.items()}
    return {key: charts for key, charts in figures.items() if charts}


def _design_notes(frame: Frame) -> list[str]:
    """What readers of people's tables must know of the design."""
    chosen = [CHOSEN_NOTE] if frame.facts.get("chosen") else []
    return [*chosen, LOOKS_NOTE] if frame.facts.get("looks") else chosen


def _add_notes(table: Table, notes: Sequence[str]) -> Table:
    return replace(table, notes=(*table.notes, *notes)) if notes else table


def _report_sections(
    frame: Frame,
    rows: Sequence[Answer],
    counted: Answers,
    people: Answers,
    repeats: Answers,
    pairs: Sequence[ScoredSummary],
    headline: Headline | None,
) -> list[tuple[str, Callable[[], Sequence[Table | None]]]]:
    return [
        ("headline", lambda: [*headline_tables(frame, headline), win_matrix(frame, headline)]),
        ("human check", lambda: human_check_tables(frame, people)),
        ("forms", lambda: [form_table(frame, people)]),
        ("yes", lambda: yes_tables(frame, people)),
        ("pairs", lambda: pair_tables(frame, people)),
        ("identification", lambda: [*identification_tables(frame, people), *choice_tables(frame, people)]),
        ("scales", lambda: [*scale_tables(frame, people), *number_tables(frame, people)]),
        ("several", lambda: several_tables(frame, people)),
        ("span errors", lambda: [*span_error_tables(frame, people), *span_agreement_tables(frame, people)]),
        ("lists", lambda: list_tables(frame, people)),
        ("agreement", lambda: [agreement_by_question(frame, people), agreement_by_system(frame, people)]),
        ("values", lambda: [by_value_table(frame, people)]),
        ("significance", lambda: [significance_table(frame, people)]),
        ("judges", lambda: [judge_table(frame, counted, repeats), span_judge_table(frame, counted)]),
        ("scores", lambda: [correlation_table(frame, pairs)]),
        ("raters", lambda: [rater_table(frame, rows)]),
    ]

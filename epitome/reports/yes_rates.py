"""Share of yes per system, question and domain: of each rater, of all answers pooled, and of items with only yes.

MACSum prints one number per cell that fits one rater's share of yes (n = 30) and one kappa per system and domain over
all attributes. The title of a table therefore says which of these readings it shows.
Source: Zhang et al., "MACSum: Controllable Summarization with Mixed Attributes", TACL 2023, human evaluation.
"""

from collections.abc import Callable, Sequence

from epitome.agreement.intervals import Estimate, estimate_statistics
from epitome.agreement.rates import YesRates, yes_rates
from epitome.agreement.report import build_statistics
from epitome.figures.forest import Forest, ForestRow
from epitome.figures.numbers import format_count, format_percent, format_share
from epitome.figures.tables import Cell, Column, Table
from epitome.reports.answers import Answers, Frame, ReportQuestion
from epitome.reports.cells import SHARE_NOTE, estimate_cell, few_sources_notes, table_signature
from epitome.reports.subjects import name_pairs
from epitome.rounds.question_types import YesNo

YES_NO = ("no", "yes")
NOT_ASKED = "not asked"
MOST_RATER_TABLES = 10
"""With more raters, such as a crowd that shares the items, there is no table of each."""
SINGLE_RATER_NOTE = (
    "Shares of one rater with Wilson 95 % intervals; where several answers are about one source, n is divided by the "
    "design effect."
)
COHEN_NOTE = (
    "κ is Cohen's, pooled over the questions of a system and domain, as MACSum printed it, with a bootstrap interval "
    "over sources; where fewer than ten sources have a disagreement, as wide as Wilson's of the agreement at least."
)
PAIRS_NOTE = (
    "κ is the mean over pairs of raters (Light 1971), pooled over the questions of a system and domain, with a "
    "bootstrap interval over sources (where fewer than ten have a disagreement, as wide as Wilson's of the agreement "
    "at least); it is the same in the table of every rater."
)
KAPPA, PAIRS_KAPPA = "κ", "κ, mean over pairs of raters"

RateReader = Callable[[YesRates], tuple[Estimate, int | None]]


def yes_tables(frame: Frame, answers: Answers) -> list[Table]:
    """One table per reading; [] without yes/no questions or answers."""
    questions = frame.of_type(YesNo)
    if not questions or not len(answers):
        return []
    frame, answers = name_pairs(frame, answers)
    cells = {
        (system, domain, question.key): _cell_rates(frame, answers.cell(system, domain, [question.key]))
        for system in frame.systems
        for domain, _name in frame.domains
        for question in questions
    }
    kappas = {
        (system, domain): estimate_kappa(
            frame, answers.cell(system, domain, [yes_no_question.key for yes_no_question in questions])
        )
        for system in frame.systems
        for domain, _name in frame.domains
    }
    people = [rater for rater in frame.raters if any(row.rater == rater for row in answers.rows)]
    rater_notes = (SINGLE_RATER_NOTE, PAIRS_NOTE if len(people) > 2 else COHEN_NOTE)
    tables = []
    for number, rater in enumerate(people if len(people) <= MOST_RATER_TABLES else (), 1):
        title = f"Share of yes, rater {number}" + (", as published" if number == 1 else "")
        tables.append(
            _yes_table(
                frame,
                answers,
                f"yes-rater-{number}",
                title,
                questions,
                cells,
                _read_rater(rater),
                kappas,
                rater_notes,
            )
        )
    pooled = "Share of all answers that are yes. " + SHARE_NOTE
    tables.append(
        _yes_table(
            frame, answers, "yes-pooled", "Share of yes, pooled", questions, cells, _read_pooled, None, (pooled,)
        )
    )
    both = "Share of the items rated at least twice to which every rater said yes. " + SHARE_NOTE
    tables.append(
        _yes_table(
            frame, answers, "yes-all", "Share of yes by all raters", questions, cells, _read_all_yes, None, (both,)
        )
    )
    return tables


def _cell_rates(frame: Frame, answers: Answers) -> YesRates | None:
    if not len(answers):
        return None
    ratings, names = answers.ratings(YES_NO)
    return yes_rates(ratings, names)


def estimate_kappa(frame: Frame, answers: Answers) -> Estimate:
    """Cohen's kappa of pooled questions, or with three or more raters the mean over their pairs (Light 1971)."""
    ratings, names = answers.ratings()
    if len(names) < 2:
        return Estimate.none("only one rater" if names else NOT_ASKED)
    name = "cohen_kappa" if len(names) == 2 else "cohen_kappa_pairs_mean"
    coefficients = {name: build_statistics(ratings)[name]}
    return estimate_statistics(coefficients, ratings.clusters, replicates=frame.replicates, seed=frame.seed)[name]


def _read_rater(rater: str) -> RateReader:
    def read(rates: YesRates) -> tuple[Estimate, int | None]:
        if rater not in rates.raters:
            return Estimate.none("this rater answered none"), 0
        return rates.raters[rater], rates.answers_of[rater]

    return read


def _read_pooled(rates: YesRates) -> tuple[Estimate, int | None]:
    return rates.pooled, sum(rates.answers_of.values())


def _read_all_yes(rates: YesRates) -> tuple[Estimate, int | None]:
    return rates.all_yes, None


def _yes_table(
    frame: Frame,
    answers: Answers,
    key: str,
    title: str,
    questions: Sequence[ReportQuestion],
    cells: dict[tuple[str, str, str], YesRates | None],
    reading: RateReader,
    kappas: dict[tuple[str, str], Estimate] | None,
    notes: tuple[str, ...],
) -> Table:
    """Rows are systems, columns are questions by domain; a question that a domain does not ask has no column there."""
    columns, places = [Column("System", kind="text")], []
    for domain, name in frame.domains:
        for question in questions:
            if any(cells[system, domain, question.key] is not None for system in frame.systems):
                columns.append(Column(question.code, group=name, interval=True, count=True))
                places.append((domain, question.key))
        if kappas is not None and places and places[-1][0] == domain:
            columns.append(Column(PAIRS_KAPPA if PAIRS_NOTE in notes else KAPPA, group=name, interval=True))
            places.append((domain, ""))
    rows = []
    for system in frame.systems:
        row = [Cell(system)]
        for domain, question_key in places:
            if not question_key and kappas is not None:
                row.append(estimate_cell(kappas[system, domain]))
                continue
            rates = cells[system, domain, question_key]
            row.append(Cell(None, NOT_ASKED) if rates is None else estimate_cell(*reading(rates)))
        rows.append(row)
    signature_text = table_signature("yes", frame, answers, reading=key.removeprefix("yes-"))
    notes = (*notes, *few_sources_notes(answers.names("source")))
    return Table(key, title, columns, rows, notes=notes, signature=signature_text)


def by_value_table(frame: Frame, answers: Answers) -> Table | None:
    """The pooled share of yes by requested value, which reveals a system that follows only one value."""
    frame, answers = name_pairs(frame, answers)
    questions = [question for question in frame.of_type(YesNo) if question.values]
    columns = [
        Column("System", kind="text"),
        Column("Domain", kind="text"),
        Column("Question", kind="text"),
        Column("Requested", kind="text"),
        Column("Yes", interval=True, count=True),
    ]
    rows = []
    for system in frame.systems:
        for domain, name in frame.domains:
            for question in questions:
                subset = answers.cell(system, domain, [question.key])
                for value in question.values:
                    rates = _cell_rates(frame, subset.where(lambda row, value=value: row.requested == value))  # type: ignore[misc]
                    if rates is not None:
                        heads = [Cell(system), Cell(name), Cell(question.label), Cell(value)]
                        rows.append([*heads, estimate_cell(*_read_pooled(rates))])
    if not rows:
        return None
    signature_text = table_signature("yes-by-value", frame, answers)
    return Table(
        "yes-by-value",
        "Share of yes by requested value",
        columns,
        rows,
        notes=(SHARE_NOTE, *few_sources_notes(answers.names("source"))),
        signature=signature_text,
    )


def yes_figures(frame: Frame, answers: Answers) -> list[Forest]:
    """One figure: under each question and domain the pooled share of every system with its interval."""
    frame, answers = name_pairs(frame, answers)
    rows = []
    for domain, name in frame.domains:
        for question in frame.of_type(YesNo):
            heading = f"{name}: {question.label}" if len(frame.domains) > 1 else question.label
            for system in frame.systems:
                rates = _cell_rates(frame, answers.cell(system, domain, [question.key]))
                if rates is not None:
                    rows.append(_rate_row(system, rates.pooled, sum(rates.answers_of.values()), heading))
    return [Forest("yes-figure", "Share of yes by question", rows, 0.0, 1.0)] if rows else []


def _rate_row(system: str, estimate: Estimate, n: int, heading: str) -> ForestRow:
    value, (low, high) = estimate.value, (estimate.interval.low, estimate.interval.high)
    details = f"{format_share(low, 0)}–{format_percent(high)}" if low is not None and high is not None else ""
    value_text = format_percent(float(value)) if value.defined else "n/a"
    of = f"n {format_count(n)}"
    return ForestRow(system, value.value, value_text, details, of, low, high, heading, lead=system != "gold")

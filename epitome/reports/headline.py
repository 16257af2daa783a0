"""The one measure that a report leads with, fixed by the round's design and never by its answers: shares of comparisons
won, shares of yes, or means, per system, with a test of every pair of systems.

All domains are pooled. A round that asks several yes-or-no questions leads with all of them together.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from epitome.agreement.design_effect import estimate_share
from epitome.agreement.intervals import Estimate
from epitome.figures.duels import Duel, Duels
from epitome.figures.forest import Forest, ForestRow, span_axis
from epitome.figures.numbers import format_difference, format_percent, format_score
from epitome.figures.tables import Cell, Column, Table
from epitome.metrics.significance import Comparison, holm
from epitome.reports.answer_parts import score_system
from epitome.reports.answers import Answer, Answers, Frame, ReportQuestion
from epitome.reports.cells import (
    MEAN_NOTE,
    SHARE_NOTE,
    estimate_cell,
    estimate_mean,
    few_sources_notes,
    table_signature,
    value_cell,
)
from epitome.reports.comparisons import (
    answer_scorer,
    compare_on_samples,
    compare_preferences,
    preference_for,
)
from epitome.reports.forms import leads_with_form
from epitome.reports.subjects import compares_systems
from epitome.rounds.question_traits import QuestionType

HOLM_NOTE = (
    "All domains together, so one test per pair of systems: the mean answer per sample over its raters, first minus "
    "second; {test} of whole sources. p is two-sided; Holm's correction over these pairs."
)
WON_NOTE = f"A tie counts as half a win for each. {SHARE_NOTE}"
GOLD = "gold"


@dataclass(frozen=True)
class Kind:
    """How a measure is written. name: of the share or mean of one system; unit: of the axis; verb: what the better of
    two systems did; better: 1 where more is better, -1 where less is; note: on the intervals."""

    name: str
    unit: str
    verb: str
    better: int = 1
    note: str = MEAN_NOTE

    @property
    def is_share(self) -> bool:
        return self.unit == "share"


KINDS = {
    "won": Kind("share of comparisons won", "share", "was preferred to", note=WON_NOTE),
    "yes": Kind("share of yes", "share", "got yes more often than", note=SHARE_NOTE),
    "mean": Kind("mean", "number", "was rated higher than"),
    "best": Kind("best minus worst", "number", "was picked as best, not worst, more often than"),
    "rank": Kind("mean rank", "number", "was ranked better than", better=-1),
}
"""By the trait `headline` of question types."""


@dataclass(frozen=True)
class SystemEstimate:
    """Of one system; n: answers."""

    system: str
    estimate: Estimate
    n: int


@dataclass(frozen=True)
class Headline:
    """kind: key of KINDS. questions: those it is about. estimates: of systems that have answers, the best first.
    comparisons: of every pair that was compared, first minus second, their p corrected for the number of pairs. pooled:
    whether several questions or domains are taken together."""

    kind: str
    questions: tuple[ReportQuestion, ...]
    estimates: tuple[SystemEstimate, ...]
    comparisons: tuple[Comparison, ...]
    answers: Answers
    pooled: bool = False

    @property
    def words(self) -> Kind:
        return KINDS[self.kind]

    @property
    def compares_pairs(self) -> bool:
        """Whether it counts wins of one text over another."""
        return self.questions[0].asks.compares_pairs

    @property
    def tests_key(self) -> str:
        """Key of the table that has the tests: one of its own where they are not those of a question in a domain."""
        return "headline-differences" if self.pooled else "significance"

    @property
    def label(self) -> str:
        """What was asked: the question's label, or that it is all of them."""
        return self.questions[0].label if len(self.questions) == 1 else "All questions"


def find_headline(frame: Frame, answers: Answers) -> Headline | None:
    """None for a round without answers of a kind that has a number, and for a check of contrastive examples or of
    labelled pairs, which compare no systems."""
    if any(row.rule for row in answers.rows) or leads_with_form(frame, answers):
        return None
    questions = _choose_questions(frame, answers)
    if not questions:
        return None
    kind = questions[0].asks.headline
    answered = answers.questions([question.key for question in questions])
    estimates = _estimate_systems(frame, _score_answers(questions[0], answered), is_share=KINDS[kind].is_share)
    better = KINDS[kind].better
    ordered = sorted(estimates, key=lambda row: -better * (row.estimate.value.value or 0.0))
    comparisons = _compare(frame, questions[0], answered)
    pooled = len(questions) > 1 or len(frame.domains) > 1
    return Headline(kind, questions, tuple(ordered), tuple(comparisons), answered, pooled) if ordered else None


def _choose_questions(frame: Frame, answers: Answers) -> tuple[ReportQuestion, ...]:
    """The first preference, else the first question with a number; of yes-or-no questions all."""
    answered = set(answers.names("question"))
    known = [question for question in frame.questions if question.asks.headline and question.key in answered]
    for question in [*(question for question in known if question.asks.compares_pairs), *known]:
        if question.asks.is_yes_no:
            chosen = tuple(question for question in known if question.asks.is_yes_no)
        else:
            chosen = (question,)
        if any(_is_about_systems(row, question.asks) for row in answers.questions([one.key for one in chosen]).rows):
            return chosen
    return ()


def _is_about_systems(row: Answer, kind: QuestionType) -> bool:
    if kind.compares_pairs:
        return compares_systems(row)
    return bool(row.systems) if kind.arranges else not row.other and not row.systems


Scores = list[tuple[Answer, str, float]]
"""Answer, system, and what the answer says of it."""


def _score_answers(question: ReportQuestion, answers: Answers) -> Scores:
    rows = [row for row in answers.rows if _is_about_systems(row, question.asks)]
    if question.asks.compares_pairs:
        return [
            (row, system, 0.5 + preference_for(row, system) / 2) for row in rows for system in (row.system, row.other)
        ]
    if question.asks.arranges:
        return [(row, system, score_system(question, row, system)) for row in rows for system in row.systems]
    number: Callable[[Answer], float] = answer_scorer(question)
    return [(row, row.system, number(row)) for row in rows]


def _estimate_systems(frame: Frame, scores: Scores, *, is_share: bool) -> list[SystemEstimate]:
    by_system: dict[str, list[tuple[float, str]]] = {}
    for row, system, score in scores:
        by_system.setdefault(system, []).append((score, row.source))
    estimates = []
    for system in frame.systems:
        if system in by_system:
            values = [score for score, _source in by_system[system]]
            sources = [source for _score, source in by_system[system]]
            estimate = estimate_share(values, sources) if is_share else estimate_mean(frame, values, sources)
            estimates.append(SystemEstimate(system, estimate, len(values)))
    return estimates


def _compare(frame: Frame, question: ReportQuestion, answers: Answers) -> Sequence[Comparison]:
    if not question.asks.compares_pairs:
        return compare_on_samples(frame, _score_answers(question, answers))
    tests = compare_preferences(frame, answers.where(compares_systems))
    known = [test for test in tests if test.test.p_value.defined]
    adjusted = dict(zip([id(test) for test in known], holm([float(test.test.p_value) for test in known]), strict=True))
    return [
        Comparison(test.first, test.second, test.test, type(test.test.p_value).of(adjusted[id(test)]))
        if id(test) in adjusted
        else test
        for test in tests
    ]


def headline_tables(frame: Frame, headline: Headline | None) -> list[Table]:
    """The estimates, and the tests if several systems were compared."""
    if headline is None:
        return []
    words = headline.words
    columns = [Column("System", kind="text"), Column(words.name.capitalize(), interval=True, count=True)]
    rows = [[Cell(row.system), estimate_cell(row.estimate, row.n)] for row in headline.estimates]
    few = few_sources_notes(headline.answers.names("source"))
    notes = (words.note, *few)
    title = f"{headline.label}: {words.name}"
    keys = ",".join(question.key for question in headline.questions)
    signed = table_signature("headline", frame, headline.answers, questions=keys, kind=headline.kind)
    tables = [Table("headline", title, columns, rows, notes=notes, signature=signed)]
    has_tests = headline.pooled and headline.comparisons
    return [*tables, _test_table(frame, headline, keys, few)] if has_tests else tables


def _test_table(frame: Frame, headline: Headline, keys: str, few: tuple[str, ...]) -> Table:
    columns = [Column("First", kind="text"), Column("Second", kind="text")]
    columns += [Column("Difference", interval=True, count=True), Column("p", digits=4), Column("Holm p", digits=4)]
    rows = []
    for compared in headline.comparisons:
        test = compared.test
        difference = (
            Cell(test.difference.value, low=test.ci95.low, high=test.ci95.high, n=test.n)
            if test.difference.defined
            else Cell(None, test.difference.undefined, n=test.n)
        )
        names = [Cell(compared.first), Cell(compared.second)]
        rows.append([*names, difference, value_cell(test.p_value), value_cell(compared.holm_p)])
    test_name = "the test flips the signs" if headline.compares_pairs else "a permutation test swaps the systems"
    signed = table_signature("headline-differences", frame, headline.answers, questions=keys, test="permutation")
    notes = (HOLM_NOTE.format(test=test_name), *few)
    title = f"{headline.label}: differences between systems"
    return Table("headline-differences", title, columns, rows, notes=notes, signature=signed)


def headline_figure(headline: Headline) -> Forest:
    """The large figure: every system with its interval, the best first."""
    words = headline.words
    share = words.unit == "share"
    rows = [_figure_row(row, share) for row in headline.estimates]
    ends = [bound for row in rows for bound in (row.value, row.low, row.high)]
    around = 0.5 if headline.compares_pairs else None
    low, high = span_axis(ends, within=(0.0, 1.0) if share else None, around=around)
    return Forest(
        "headline-figure",
        f"{headline.label}: {words.name}",
        rows,
        low,
        high,
        words.unit,
        around,
        "as often as not" if headline.compares_pairs else "",
    )


def _figure_row(row: SystemEstimate, share: bool) -> ForestRow:
    value, interval = row.estimate.value, row.estimate.interval
    if not value.defined:
        return ForestRow(row.system, None, f"n/a: {value.undefined}", of=f"n {row.n}", lead=row.system != GOLD)
    value_text = format_percent(float(value)) if share else format_score(float(value), 2)
    return ForestRow(
        row.system,
        value.value,
        value_text,
        name_interval(interval.low, interval.high, "share" if share else "number"),
        f"n {row.n:,}".replace(",", "\u202f"),
        interval.low,
        interval.high,
        lead=row.system != GOLD,
    )


def name_interval(low: float | None, high: float | None, unit: str) -> str:
    """The ends of an interval in words: of a share, of a difference of shares (points), or of numbers."""
    if low is None or high is None:
        return ""
    if unit == "share":
        return f"{format_percent(low).removesuffix(' %')}–{format_percent(high)}"
    if unit == "points":
        return f"{format_difference(100 * low, 0)} to {format_difference(100 * high, 0)}"
    return f"{format_score(low, 2)} to {format_score(high, 2)}"


def name_p(p_value: float) -> str:
    """p = .012, or p < .001."""
    if p_value < 0.001:
        return "p < .001"
    if p_value > 0.995:
        return "p = 1"
    return f"p = {format_score(p_value, 3 if p_value < 0.1 else 2)}"


def duels_figure(headline: Headline | None) -> Duels | None:
    """Wins and losses of every pair; None where the round leads with something else than preferences."""
    if headline is None or not headline.compares_pairs:
        return None
    rows = []
    tests = {(compared.first, compared.second): compared for compared in headline.comparisons}
    counts = count_duels(headline.answers)
    for (first, second), compared in tests.items():
        wins, ties, losses = counts[frozenset((first, second))](first)
        rows.append(_duel(compared, wins, ties, losses))
    return Duels("duels", f"{headline.label}: pair by pair", rows)


def _duel(compared: Comparison, wins: int, ties: int, losses: int) -> Duel:
    test = compared.test
    if not test.difference.defined:
        return Duel(compared.first, compared.second, wins, ties, losses)
    difference = float(test.difference)
    details = name_interval(test.ci95.low, test.ci95.high, "points")
    if compared.holm_p.defined:
        details = ", ".join(filter(None, [details, name_p(float(compared.holm_p))]))
    decided = (1 if difference > 0 else 2) if is_decided(compared) else 0
    value_text = f"{format_difference(100 * difference, 0)} points"
    return Duel(compared.first, compared.second, wins, ties, losses, value_text, details, decided)


def count_duels(answers: Answers) -> Mapping[frozenset[str], Callable[[str], tuple[int, int, int]]]:
    """Pair -> a function from one of its systems to its wins, ties and losses."""
    winners: dict[frozenset[str], list[str]] = {}
    for row in answers.rows:
        if compares_systems(row):
            winner = {"1": row.system, "2": row.other}.get(row.answer, "")
            winners.setdefault(frozenset((row.system, row.other)), []).append(winner)

    def counter(names: list[str]) -> Callable[[str], tuple[int, int, int]]:
        return lambda system: (names.count(system), names.count(""), len(names) - names.count(system) - names.count(""))

    return {pair: counter(names) for pair, names in winners.items()}


def win_matrix(frame: Frame, headline: Headline | None) -> Table | None:
    """Won and lost, row against column; None where the round leads with something else than preferences."""
    if headline is None or not headline.compares_pairs:
        return None
    counts = count_duels(headline.answers)
    systems = [row.system for row in headline.estimates]
    columns = [Column("Row against column", kind="text"), *(Column(name, kind="text", absent="–") for name in systems)]
    columns.append(Column("All", kind="text"))
    rows = []
    for system in systems:
        row, won, lost = [Cell(system)], 0, 0
        for other in systems:
            if (pair := frozenset((system, other))) not in counts or system == other:
                row.append(Cell(None, "these two were not compared" if system != other else "a system against itself"))
                continue
            wins, _ties, losses = counts[pair](system)
            won, lost = won + wins, lost + losses
            row.append(Cell(f"{wins}–{losses}"))
        rows.append([*row, Cell(f"{won}–{lost}")])
    notes = ("Answers that preferred the row, then those that preferred the column; ties are in neither.",)
    signed = table_signature("win-matrix", frame, headline.answers, question=headline.questions[0].key)
    return Table("win-matrix", f"{headline.label}: won–lost", columns, rows, notes=notes, signature=signed)


def is_decided(compared: Comparison, level: float = 0.05) -> bool:
    """Whether the difference is shown: by the test after its correction, and by the interval if there is one."""
    test = compared.test
    if not compared.holm_p.defined or float(compared.holm_p) >= level or not test.difference.defined:
        return False
    if test.ci95.low is None or test.ci95.high is None:
        return True
    return not test.ci95.low <= 0 <= test.ci95.high

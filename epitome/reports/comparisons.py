"""Significance of differences between systems: permutation tests by whole sources, with Holm's correction.

Questions about one summary are paired on samples and swap sources between the systems; questions that compare two
summaries flip the sign of a source's preferences (+1 for the first system, 0 for a tie, -1 for the second), which is
the same test with one number per sample.
"""

from collections.abc import Callable, Iterable
from itertools import combinations

from epitome.figures.forest import Forest, ForestRow, span_axis
from epitome.figures.numbers import format_count, format_difference
from epitome.figures.tables import Cell, Column, Table
from epitome.metrics.ratio_tests import ratio_permutation
from epitome.metrics.significance import Comparison, compare_systems, holm, sign_flip_test
from epitome.reports.answer_parts import score_system
from epitome.reports.answers import Answer, Answers, Frame, ReportQuestion
from epitome.reports.cells import few_sources_notes, table_signature, value_cell
from epitome.reports.span_errors import PER_WORDS, marked_answers, sum_weights
from epitome.reports.subjects import compares_systems
from epitome.rounds.marks import load_marks
from epitome.rounds.question_types import TYPES
from epitome.text.words import n_words

NOTE = (
    "First minus second, of the mean answer per sample over its raters. Paired permutation test that swaps whole "
    "sources."
)
PREFERENCE_NOTE = (
    "Preferences: share of answers for the first minus share for the second (+1, 0 for a tie, -1; mean per sample over "
    "its raters). The test flips the signs of whole sources."
)
HOLM_NOTE = "p is two-sided; Holm's correction over all pairs of systems and all domains of one question."
SWAPS = 10_000
LEVEL = 0.05
MOST_DRAWN = 60
"""Differences in one figure; more can be read in the table only."""


def significance_table(frame: Frame, answers: Answers) -> Table | None:
    """Compare every pair of systems on the samples both were judged on, per question and domain; in the order of the
    questions."""
    rows: list[list[Cell]] = []
    compared: list[ReportQuestion] = []
    for question in frame.questions:
        if not question.asks.compared:
            continue
        question_rows = _question_rows(frame, question, answers.questions([question.key]))
        rows += question_rows
        compared += [question] if question_rows else []
    if not rows:
        return None
    preferences = [question for question in compared if question.asks.compares_pairs]
    notes = [NOTE] if len(preferences) < len(compared) else []
    notes += [PREFERENCE_NOTE] if preferences else []
    kinds = {question.asks for question in compared}
    notes += dict.fromkeys(kind.comparison_note for kind in TYPES.values() if kind in kinds and kind.comparison_note)
    notes += [HOLM_NOTE, *few_sources_notes(answers.names("source"))]
    columns = [Column(head, kind="text") for head in ("Question", "Domain", "First", "Second")]
    columns += [Column("Difference", interval=True, count=True), Column("p", digits=4), Column("Holm p", digits=4)]
    signature_text = table_signature("significance", frame, answers, test="permutation", swaps=SWAPS)
    return Table("significance", "Differences between systems", columns, rows, notes=notes, signature=signature_text)


def significance_figure(table: Table | None) -> Forest | None:
    """The differences of the table on one axis around 0; None where there are none, or too many to read."""
    rows = [] if table is None else [row for row in table.rows if isinstance(row[4].value, float | int)]
    if not rows or len(rows) > MOST_DRAWN:
        return None
    several = len({row[1].value for row in rows}) > 1
    figure_rows = []
    for row in rows:
        question, domain, first, second, difference = row[:5]
        heading = f"{domain.value}: {question.value}" if several else f"{question.value}"
        p_value = row[6].value
        decided = isinstance(p_value, float | int) and p_value < LEVEL
        value, low, high = float(difference.value or 0.0), difference.low, difference.high
        details = ""
        if low is not None and high is not None:
            details = f"{format_difference(low, 2)} to {format_difference(high, 2)}"
        label, of, value_text = (
            f"{first.value} − {second.value}",
            f"n {format_count(difference.n)}",
            format_difference(value, 2),
        )
        figure_rows.append(ForestRow(label, value, value_text, details, of, low, high, heading, lead=decided))
    ends = [bound for row in figure_rows for bound in (row.value, row.low, row.high)]
    low, high = span_axis(ends, around=0.0)
    title = "Differences between systems"
    return Forest("significance-figure", title, figure_rows, low, high, "number", 0.0, "no difference")


def _question_rows(frame: Frame, question: ReportQuestion, answers: Answers) -> list[list[Cell]]:
    comparisons: list[tuple[str, Comparison]] = []
    for domain, name in frame.domains:
        subset = answers.domains([domain])
        if question.asks.compares_pairs:
            tests = compare_preferences(frame, subset.where(compares_systems))
        elif question.asks.arranges:
            scores = [
                (row, system, score_system(question, row, system)) for row in subset.rows for system in row.systems
            ]
            tests = compare_on_samples(frame, scores)
        elif question.asks.marks:
            tests = compare_marks(frame, question, marked_answers(subset, question))
        else:
            number = answer_scorer(question)
            tests = compare_on_samples(
                frame, [(row, row.system, number(row)) for row in subset.rows if not row.other and not row.systems]
            )
        comparisons += [(name, comparison) for comparison in tests]
    adjusted = iter(_holm_cells([compared for _name, compared in comparisons]))
    return [
        [
            Cell(question.label),
            Cell(name),
            Cell(compared.first),
            Cell(compared.second),
            _difference_cell(compared),
            value_cell(compared.test.p_value),
            next(adjusted) if compared.test.p_value.defined else value_cell(compared.test.p_value),
        ]
        for name, compared in comparisons
    ]


def compare_on_samples(frame: Frame, scores: Iterable[tuple[Answer, str, float]]) -> list[Comparison]:
    """Compare systems on one question in one domain, each pair over the samples that both systems have. scores: answer,
    system, and what the answer says of it."""
    sums: dict[str, dict[str, list[float]]] = {}
    source_of = {}
    for row, system, score in scores:
        sums.setdefault(system, {}).setdefault(row.sample, []).append(score)
        source_of[row.sample] = row.source
    systems = [name for name in frame.systems if name in sums]
    if len(systems) < 2:
        return []
    samples = sorted(source_of)
    means: dict[str, list[float | None]] = {
        name: [_mean_or_none(sums[name].get(sample)) for sample in samples] for name in systems
    }
    sources = [source_of[sample] for sample in samples]
    return compare_systems(means, sources, replicates=SWAPS, seed=frame.seed)


def compare_preferences(frame: Frame, answers: Answers) -> list[Comparison]:
    """Test every pair of systems that one preference question compared in one domain; uncorrected for their number."""
    tests = []
    for first, second in combinations(frame.systems, 2):
        preferences: dict[str, list[float]] = {}
        source_of = {}
        for row in answers.rows:
            if {row.system, row.other} == {first, second}:
                preferences.setdefault(row.sample, []).append(preference_for(row, first))
                source_of[row.sample] = row.source
        if preferences:
            samples = sorted(preferences)
            means = [sum(preferences[sample]) / len(preferences[sample]) for sample in samples]
            test = sign_flip_test(means, [source_of[sample] for sample in samples], SWAPS, frame.seed)
            tests.append(Comparison(first, second, test, test.p_value))
    return tests


def compare_marks(frame: Frame, question: ReportQuestion, answers: Answers) -> list[Comparison]:
    """Test every pair of systems on the score of marked errors: the sums over the samples that both have, as in the
    table of scores; uncorrected for the number of pairs."""
    sums: dict[str, dict[str, tuple[float, float]]] = {}
    source_of = {}
    for row in answers.rows:
        weight, words = sums.setdefault(row.system, {}).get(row.sample, (0.0, 0.0))
        added = -PER_WORDS * sum_weights(question, load_marks(row.answer))
        sums[row.system][row.sample] = (weight + added, words + n_words(row.text))
        source_of[row.sample] = row.source
    tests = []
    for first, second in combinations([name for name in frame.systems if name in sums], 2):
        samples = sorted(sums[first].keys() & sums[second].keys())
        if samples:
            ours, theirs = ([sums[system][sample] for sample in samples] for system in (first, second))
            test = ratio_permutation(ours, theirs, [source_of[sample] for sample in samples], SWAPS, frame.seed)
            tests.append(Comparison(first, second, test, test.p_value))
    return tests


def preference_for(row: Answer, system: str) -> float:
    """+1 where the answer prefers this one of the pair's systems, -1 where the other, 0 for a tie."""
    winner = {"1": row.system, "2": row.other}.get(row.answer, "")
    return 0.0 if not winner else 1.0 if winner == system else -1.0


def _mean_or_none(values: list[float] | None) -> float | None:
    return sum(values) / len(values) if values else None


def _holm_cells(comparisons: list[Comparison]) -> list[Cell]:
    defined = [comparison.test.p_value for comparison in comparisons if comparison.test.p_value.defined]
    return [Cell(value) for value in holm([float(value) for value in defined])]


def _difference_cell(comparison: Comparison) -> Cell:
    test = comparison.test
    if not test.difference.defined:
        return Cell(None, test.difference.undefined, n=test.n)
    return Cell(test.difference.value, low=test.ci95.low, high=test.ci95.high, n=test.n)


def answer_scorer(question: ReportQuestion) -> Callable[[Answer], float]:
    """A function from an answer to a number: yes 1, no 0; a step of a scale is its place from 1."""
    score = question.asks.scorer(question.values)
    return lambda row: score(row.answer)

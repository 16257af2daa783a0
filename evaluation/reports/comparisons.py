"""Significance of differences between systems: permutation tests paired on samples, swapping sources, with Holm."""

from collections.abc import Callable

from annotation.figures.tables import Cell, Column, Table
from evaluation.metrics.significance import Comparison, compare_systems, holm
from evaluation.reports.answers import Answer, Answers, Frame, ReportQuestion
from evaluation.reports.cells import table_signature, value_cell

NOTE = (
    "First minus second, of the mean answer per sample over its raters. Paired permutation test that swaps whole "
    "sources; p is two-sided. Holm's correction over all pairs of systems and all domains of one question."
)
SWAPS = 10_000


def significance_table(frame: Frame, answers: Answers) -> Table | None:
    """Compare every pair of systems on the samples both were judged on, per question and domain."""
    rows: list[list[Cell]] = []
    for question in frame.of_type("yes-no", "likert"):
        rows += _question_rows(frame, question, answers.questions([question.key]))
    if not rows:
        return None
    columns = [Column(head, kind="text") for head in ("Question", "Domain", "First", "Second")]
    columns += [Column("Difference", interval=True, count=True), Column("p", digits=4), Column("Holm p", digits=4)]
    signature_text = table_signature("significance", frame, answers, test="permutation", swaps=SWAPS)
    return Table("significance", "Differences between systems", columns, rows, notes=(NOTE,), signature=signature_text)


def _question_rows(frame: Frame, question: ReportQuestion, answers: Answers) -> list[list[Cell]]:
    number = answer_scorer(question)
    comparisons: list[tuple[str, Comparison]] = []
    for domain, name in frame.domains:
        subset = answers.where(lambda row, domain=domain: row.domain == domain and not row.other)  # type: ignore[misc]
        comparisons += [(name, comparison) for comparison in _compare_on_samples(frame, subset, number)]
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


def _compare_on_samples(frame: Frame, answers: Answers, number: Callable[[Answer], float]) -> list[Comparison]:
    """Compare systems on one question in one domain, each pair over the samples that both systems have."""
    sums: dict[str, dict[str, list[float]]] = {}
    source_of = {}
    for row in answers.rows:
        sums.setdefault(row.system, {}).setdefault(row.sample, []).append(number(row))
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
    if question.type == "yes-no":
        return lambda row: float(row.answer == "yes")
    places = {value: float(place) for place, value in enumerate(question.values, 1)}
    return lambda row: places[row.answer]

"""Is the difference between two systems more than chance? Paired on samples, sources swapped, Holm's correction."""

from collections.abc import Callable

from annotation.figures.tables import Cell, Column, Table
from evaluation.metrics.significance import Comparison, compare_systems, holm
from evaluation.reports.answers import Answer, Answers, Asked, Frame
from evaluation.reports.cells import signature, value_cell

NOTE = (
    "First minus second, of the mean answer per sample over its raters. Paired permutation test that swaps whole "
    "sources; p is two-sided. Holm's correction over all pairs of systems and all domains of one question."
)
SWAPS = 10_000


def significance_table(frame: Frame, answers: Answers) -> Table | None:
    """Every pair of systems on the samples that both were judged on, per question and domain."""
    rows: list[list[Cell]] = []
    for question in frame.of_type("yes-no", "likert"):
        rows += _question_rows(frame, question, answers.questions([question.key]))
    if not rows:
        return None
    columns = [Column(head, kind="text") for head in ("Question", "Domain", "First", "Second")]
    columns += [Column("Difference", interval=True, count=True), Column("p", digits=4), Column("Holm p", digits=4)]
    told = signature("significance", frame, answers, test="permutation", swaps=SWAPS)
    return Table("significance", "Differences between systems", columns, rows, notes=(NOTE,), signature=told)


def _question_rows(frame: Frame, question: Asked, answers: Answers) -> list[list[Cell]]:
    number = number_of(question)
    found: list[tuple[str, Comparison]] = []
    for domain, name in frame.domains:
        part = answers.where(lambda row, domain=domain: row.domain == domain and not row.other)  # type: ignore[misc]
        found += [(name, comparison) for comparison in _compared(frame, part, number)]
    adjusted = iter(_holm([each for _name, each in found]))
    return [
        [
            Cell(question.label),
            Cell(name),
            Cell(each.first),
            Cell(each.second),
            _difference(each),
            value_cell(each.test.p_value),
            next(adjusted) if each.test.p_value.defined else value_cell(each.test.p_value),
        ]
        for name, each in found
    ]


def _compared(frame: Frame, answers: Answers, number: Callable[[Answer], float]) -> list[Comparison]:
    """The comparisons of one question in one domain, each over the samples that both systems have."""
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
        name: [_mean(sums[name].get(sample)) for sample in samples] for name in systems
    }
    sources = [source_of[sample] for sample in samples]
    return compare_systems(means, sources, replicates=SWAPS, seed=frame.seed)


def _mean(values: list[float] | None) -> float | None:
    return sum(values) / len(values) if values else None


def _holm(comparisons: list[Comparison]) -> list[Cell]:
    defined = [each.test.p_value for each in comparisons if each.test.p_value.defined]
    return [Cell(value) for value in holm([float(value) for value in defined])]


def _difference(comparison: Comparison) -> Cell:
    test = comparison.test
    if not test.difference.defined:
        return Cell(None, test.difference.undefined, n=test.n)
    return Cell(test.difference.value, low=test.ci95.low, high=test.ci95.high, n=test.n)


def number_of(question: Asked) -> Callable[[Answer], float]:
    """An answer as a number: yes 1, no 0; a step of a scale by its place from 1."""
    if question.type == "yes-no":
        return lambda row: float(row.answer == "yes")
    places = {value: float(place) for place, value in enumerate(question.values, 1)}
    return lambda row: places[row.answer]

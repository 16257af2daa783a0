"""Several systems on the same samples: one table, with intervals and paired tests."""

from __future__ import annotations

import html
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from epitome.figures.tables import ABSENT, Cell, Column, Table
from epitome.measures import ENGLISH, Value
from epitome.metrics.bootstrap import DEFAULT_REPLICATES, DEFAULT_SEED
from epitome.metrics.draws import Draws, mean_of
from epitome.metrics.public.texts import check_counts
from epitome.metrics.rouge_scores import KINDS, VERSION, rouge_signature, rouge_values
from epitome.metrics.significance import REPLICATES, compare_systems
from epitome.results import DIGITS, Score, score_of
from epitome.terminal_progress import show_long_progress

if TYPE_CHECKING:
    from pandas import DataFrame

STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
NOTE = (
    "{stars}: differs from {against} by a paired permutation test over {drawn}, p below .05, .01 and .001 after Holm's "
    "correction for the tests of a column ({n})."
)
COLUMNS = ("system", "metric", "value", "low", "high", "n", "left_out", "difference", "p", "p_holm", "stars")
"""The columns of `to_frame()`."""


class SystemTest(NamedTuple):
    """One system against the one that all are compared with. difference: of means, the system's minus the other's, with
    its interval; p_holm: corrected for the number of systems; None where it is undefined."""

    system: str
    metric: str
    difference: Score
    p: float | None
    p_holm: float | None

    @property
    def stars(self) -> str:
        """*, ** or *** for a corrected p below .05, .01 and .001."""
        p = self.p_holm
        return "" if p is None else next((stars for level, stars in STARS if p < level), "")

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"difference": self.difference.to_dict(), "p": self.p, "p_holm": self.p_holm, "stars": self.stars}


@dataclass(frozen=True, repr=False)
class SystemComparison:
    """scores: by system and metric. tests: of every other system and metric. against: the system they are tested
    against. drawn: what intervals and tests draw, in words."""

    title: str
    scores: Mapping[str, Mapping[str, Score]]
    tests: tuple[SystemTest, ...]
    against: str
    signature: str
    drawn: str = "pairs"

    @property
    def metrics(self) -> tuple[str, ...]:
        """The columns of the table."""
        return tuple(next(iter(self.scores.values())))

    def __getitem__(self, system: str) -> Mapping[str, Score]:
        if system not in self.scores:
            raise KeyError(f"there is no system {system!r}; there are {', '.join(self.scores)}")
        return self.scores[system]

    def find_test(self, system: str, metric: str) -> SystemTest:
        """Raises KeyError for a system or metric that was not tested."""
        for test in self.tests:
            if (test.system, test.metric) == (system, metric):
                return test
        raise KeyError(f"{system!r} was not tested in {metric!r}")

    def note(self) -> str:
        """What the stars mean."""
        stars = ", ".join(stars for _level, stars in reversed(STARS))
        return NOTE.format(stars=stars, against=self.against, drawn=self.drawn, n=len(self.scores) - 1)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: `scores` by system and metric, `tests` likewise, against, signature."""
        tests: dict[str, dict[str, Any]] = {}
        for test in self.tests:
            tests.setdefault(test.system, {})[test.metric] = test.to_dict()
        scores = {system: {name: score.to_dict() for name, score in row.items()} for system, row in self.scores.items()}
        return {"scores": scores, "against": self.against, "tests": tests, "signature": self.signature}

    def to_frame(self) -> DataFrame:
        """A pandas DataFrame with one row per system and metric. Raises ImportError without pandas."""
        try:
            from pandas import DataFrame
        except ImportError as error:
            raise ImportError("to_frame needs pandas: pip install 'epitome[analysis]'") from error
        tests = {(test.system, test.metric): test for test in self.tests}
        rows = []
        for system, row in self.scores.items():
            for metric, score in row.items():
                low, high = score.interval or (None, None)
                test = tests.get((system, metric))
                tested = (test.difference.value, test.p, test.p_holm, test.stars) if test else (None, None, None, "")
                rows.append((system, metric, score.value, low, high, score.n, score.left_out, *tested))
        return DataFrame(rows, columns=list(COLUMNS))

    def to_table(self, digits: int = DIGITS) -> Table:
        """The table that every format is written from: a row per system, in each cell the mean, its stars and 95 %."""
        columns = [Column("System", kind="text"), *(Column(metric) for metric in self.metrics)]
        rows = [
            [Cell(system), *(self._cell(system, metric, digits) for metric in self.metrics)] for system in self.scores
        ]
        return Table("comparison", self.title, columns, rows, notes=(self.note(),), signature=self.signature)

    def _cell(self, system: str, metric: str, digits: int) -> Cell:
        score = self.scores[system][metric]
        if score.value is None:
            return Cell(None, score.undefined)
        stars = "" if system == self.against else self.find_test(system, metric).stars
        bounds = f" [{score.interval[0]:.{digits}f}, {score.interval[1]:.{digits}f}]" if score.interval else ""
        return Cell(f"{score.value:.{digits}f}{stars}{bounds}")

    def to_latex(self, digits: int = DIGITS) -> str:
        r"""A booktabs table; needs \usepackage{booktabs}."""
        return self.to_table(digits).latex()

    def __repr__(self) -> str:
        rows = [["", *self.metrics], *([str(cell.value or ABSENT) for cell in row] for row in self.to_table().rows)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([self.title, *(f"  {line}" for line in lines), f"  {self.note()}", f"  {self.signature}"])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in ("", *self.metrics))
        body = "".join(
            f"<tr><th>{html.escape(str(row[0].value))}</th>"
            + "".join(f"<td>{html.escape(str(cell.value or ABSENT))}</td>" for cell in row[1:])
            + "</tr>"
            for row in self.to_table().rows
        )
        caption = f"<caption>{html.escape(self.title)}</caption>"
        below = f"<p>{html.escape(self.note())}</p><p><code>{html.escape(self.signature)}</code></p>"
        return f"<table>{caption}<tr>{head}</tr>{body}</table>{below}"


def compare(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[str],
    kinds: Sequence[str] = KINDS,
    *,
    against: str | None = None,
    language: str = ENGLISH,
    clusters: Sequence[Hashable] | None = None,
    replicates: int = DEFAULT_REPLICATES,
    test_replicates: int = REPLICATES,
    seed: int = DEFAULT_SEED,
) -> SystemComparison:
    """Systems by name with one prediction per reference, in one order: mean F of ROUGE with 95 % intervals, and paired
    permutation tests of every other system against one.

    kinds: as in `rouge`. against: the system that the others are tested against, by default the first. clusters: what
    belongs together, such as the source of every pair; intervals and tests draw whole clusters, by default pairs.
    test_replicates: random swaps of a test with more than 20 clusters. P-values are corrected by Holm within each kind.
    From 10,000 pairs on progress goes to standard error. Raises ValueError (fewer than two systems, counts, an unknown
    `against` or kind), TypeError.
    """
    if len(systems) < 2:
        raise ValueError(f"{len(systems)} systems: give at least two, as {{name: predictions}}")
    chosen = next(iter(systems)) if against is None else against
    if chosen not in systems:
        raise ValueError(f"there is no system {chosen!r}; there are {', '.join(systems)}")
    for name, predictions in systems.items():
        if isinstance(predictions, str):
            raise TypeError(f"the predictions of {name} are one text: give a list with one entry per reference")
        check_counts(references=references, **{f"predictions of {name}": predictions})
    with show_long_progress("Comparing", len(systems) * len(references)) as advance:
        values = {
            name: rouge_values(references, predictions, kinds, language=language, advance=advance)
            for name, predictions in systems.items()
        }
    draws = Draws(clusters, replicates, seed)
    scores = {
        name: {kind: score_of(kind, _mean(kind, by_kind[kind], draws, language)) for kind in kinds}
        for name, by_kind in values.items()
    }
    tests = [test for kind in kinds for test in _test_kind(kind, values, chosen, clusters, test_replicates, seed)]
    signature = rouge_signature(kinds, language=language).with_(
        n=len(references), replicates=replicates, seed=seed, test=f"permutation.{test_replicates}+holm"
    )
    drawn = "pairs" if clusters is None else "clusters"
    title = f"ROUGE F of {len(systems)} systems, pairs: {len(references)}"
    return SystemComparison(title, scores, tuple(tests), chosen, str(signature), drawn)


def _mean(kind: str, values: Sequence[Value], draws: Draws, language: str) -> Any:
    return mean_of("rouge", VERSION, values, draws, **dict(rouge_signature([kind], language=language).options))


def _test_kind(
    kind: str,
    values: Mapping[str, Mapping[str, Sequence[Value]]],
    against: str,
    clusters: Sequence[Hashable] | None,
    replicates: int,
    seed: int,
) -> list[SystemTest]:
    columns = {name: by_kind[kind] for name, by_kind in values.items()}
    tests = []
    for pair in compare_systems(columns, clusters, against=against, replicates=replicates, seed=seed):
        low, high = pair.test.ci95.low, pair.test.ci95.high
        difference = Score(
            name=kind,
            value=pair.test.difference.value,
            interval=None if low is None or high is None else (low, high),
            n=pair.test.n,
            left_out=pair.test.left_out,
            undefined=pair.test.difference.undefined,
            signature=str(pair.test.signature),
        )
        tests.append(SystemTest(pair.first, kind, difference, pair.test.p_value.value, pair.holm_p.value))
    return tests

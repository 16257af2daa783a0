"""The table of judges held against labels given by hand, above what the paper reports of its own judge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from epitome.agreement.intervals import Interval
from epitome.figures.tables import Cell, Column, Table
from epitome.measures import Signature, Value
from epitome.metrics.aggregate import Aggregate

INVALID = ""
NOTE = (
    "Accuracy: share of the texts labelled by hand on which the judge gave the same answer, with its Wilson 95 % "
    "interval; an invalid answer counts as wrong. κ: Cohen's kappa with the labels by hand, without invalid answers. "
    "Counts: by hand, then by the judge."
)


@dataclass(frozen=True)
class CheckedJudge:
    """confusion: (answer by hand, answer of the judge, "" where it gave none) -> texts."""

    name: str
    accuracy: Aggregate
    interval: Interval
    kappa: Value
    confusion: Mapping[tuple[str, str], int]


def judge_check_table(
    judges: Sequence[CheckedJudge],
    answers: Sequence[str],
    *,
    title: str,
    published: float | None = None,
    source: str = "",
    notes: Sequence[str] = (),
) -> Table:
    """answers: of the question, in its order. published: the accuracy that `source` reports, shown in grey."""
    pairs = [(hand, answer) for hand in answers for answer in (*answers, INVALID)]
    columns = [Column("Judge", kind="text"), Column("Accuracy", interval=True, count=True), Column("κ")]
    columns += [Column(answer or "invalid", group=f"{hand} by hand", digits=0) for hand, answer in pairs]
    rows = [_judge_cells(judge, pairs) for judge in judges]
    quoted: list[int] = []
    if published is not None:
        absent = Cell(None, f"not printed in {source}")
        quoted.append(len(rows))
        rows.append([Cell(f"as printed: {source}"), Cell(published), absent, *[absent for _pair in pairs]])
    signature = describe_accuracy_signature(judges[0].accuracy) if judges else ""
    return Table("judge-check", title, columns, rows, notes=[NOTE, *notes], signature=signature, quoted=quoted)


def describe_accuracy_signature(accuracy: Aggregate) -> str:
    """The signature of an accuracy whose interval is Wilson's, not that of a bootstrap."""
    drawn = ("replicates", "seed", "sources")
    options = tuple(pair for pair in accuracy.signature.options if pair[0] not in drawn)
    return str(Signature(accuracy.signature.name, accuracy.signature.version, options).with_(interval="wilson"))


def _judge_cells(judge: CheckedJudge, pairs: Sequence[tuple[str, str]]) -> list[Cell]:
    accuracy = Cell(judge.accuracy.value.value, low=judge.interval.low, high=judge.interval.high, n=judge.accuracy.n)
    kappa = Cell(judge.kappa.value) if judge.kappa.defined else Cell(None, judge.kappa.undefined)
    return [Cell(judge.name), accuracy, kappa, *(Cell(judge.confusion.get(pair, 0)) for pair in pairs)]

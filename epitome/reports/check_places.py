"""What the rows and columns of a report's tables are about: from the words of a table back to keys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple, TypeVar

from epitome.figures.tables import Table
from epitome.measures.signature import Signature
from epitome.reports.answers import Answer, Frame, ReportQuestion
from epitome.reports.combined import CombinedMaterial
from epitome.reports.subjects import pair_name

AMBIGUOUS = "the words of the table name two things, or none, so the rows behind it cannot be told"
Named = TypeVar("Named")


class Spec(NamedTuple):
    """How a number is computed: statistic and interval by their formulas; of: its rows. reason: why it is not said."""

    statistic: str = ""
    interval: str = ""
    of: Mapping[str, Any] = {}
    reason: str = ""


class Unclear(ValueError):
    """The words of a table name several things, or none."""


@dataclass(frozen=True)
class Places:
    """The report's frame and answers with the names that its tables use."""

    frame: Frame
    rows: Sequence[Answer]
    combined: CombinedMaterial | None = None

    @cached_property
    def subjects(self) -> dict[str, list[str]]:
        """Name of a row -> the systems that it is about: one, a pair, or a list."""
        names = {pair_name(*pair): list(pair) for pair in combinations(self.frame.systems, 2)}
        names |= {row.system: list(row.systems) for row in self.rows if row.systems}
        return names | {system: [system] for system in self.frame.systems}

    @cached_property
    def people(self) -> list[str]:
        """Raters with answers that count, in the order of the frame."""
        present = {row.rater for row in self.rows if not row.quality}
        return [rater for rater in self.frame.raters if rater in present]

    def domains(self, name: object) -> list[str]:
        """The domains of a name; "all" is every one where there are several. Raises Unclear."""
        keys = [key for key, known in self.frame.domains if known == name]
        if name == "all" and not keys:
            return [key for key, _known in self.frame.domains]
        return [_only(keys)]

    def question(self, label: object, *, among: Sequence[ReportQuestion] = (), by: str = "label") -> ReportQuestion:
        """The question of a label, or a code. Raises Unclear."""
        return _only([question for question in among or self.frame.questions if getattr(question, by) == label])

    def question_of(self, table: Table, start: str) -> ReportQuestion:
        """The question whose key follows in the key of the table. Raises Unclear."""
        key = table.key.removeprefix(start).removeprefix("-")
        return _only([question for question in self.frame.questions if question.key == key])

    def systems(self, name: object) -> list[str]:
        """The systems of the name of a row. Raises Unclear."""
        if name not in self.subjects:
            raise Unclear(AMBIGUOUS)
        return self.subjects[str(name)]


def _only(found: Sequence[Named]) -> Named:
    if len(found) != 1:
        raise Unclear(AMBIGUOUS)
    return found[0]


def read_option(table: Table, name: str) -> str:
    """An option of the table's signature; "" without one."""
    return dict(Signature.parse(table.signature).options).get(name, "") if table.signature else ""

"""Which item of a round an output in another tool's file is: the text decides; ids and systems tell equal texts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from epitome.formats.answers import fold_name
from epitome.formats.tools.judgments import OutsideJudgment

LEAST_SHARED = 0.5
"""Share of the shorter of two texts, at their ends, from which they count as versions of one text."""
QUOTED = 24
"""Characters shown before the first difference, and from it on."""


@dataclass(frozen=True)
class ItemOutput:
    """The text of an item. key: of the item; ids: as files may name it; system: that wrote the text."""

    key: int
    text: str
    ids: tuple[str, ...]
    system: str


@dataclass(frozen=True)
class FoundOutput:
    """shift: what positions in the file's output move by in the item's text, where white space at the start differs."""

    output: ItemOutput
    shift: int


@dataclass(frozen=True)
class Difference:
    """Where a text of the file leaves the most similar one of the round. at: characters from 0, of the round's text;
    before: the last ones that both have."""

    at: int
    before: str
    here: str
    there: str


class OutputFinder:
    """Finds items by the texts of their outputs. White space at the ends does not count."""

    def __init__(self, outputs: Iterable[ItemOutput]) -> None:
        self.outputs = [output for output in outputs if output.text.strip()]
        self._by_text: dict[str, list[ItemOutput]] = {}
        for output in self.outputs:
            self._by_text.setdefault(output.text.strip(), []).append(output)

    def find(self, judgment: OutsideJudgment) -> FoundOutput | None:
        """None where no item has the text, or where several have it and neither id nor system tells which."""
        candidates = _narrow(self._by_text.get(judgment.output.strip(), []), judgment)
        if len(candidates) != 1:
            return None
        (output,) = candidates
        return FoundOutput(output, _count_leading(output.text) - _count_leading(judgment.output))

    def has_text(self, text: str) -> bool:
        """Whether any item has the text."""
        return text.strip() in self._by_text

    def find_difference(self, text: str) -> Difference | None:
        """The first character in which the text differs from the most similar one; None where none is similar."""
        text = text.strip()
        best = max(self.outputs, key=lambda output: _count_shared(output.text.strip(), text), default=None)
        if best is None:
            return None
        ours = best.text.strip()
        if _count_shared(ours, text) < LEAST_SHARED * min(len(ours), len(text)) or not text:
            return None
        at = _count_same(ours, text)
        before = ours[max(0, at - QUOTED) : at]
        return Difference(at + _count_leading(best.text), before, ours[at : at + QUOTED], text[at : at + QUOTED])


def _narrow(candidates: Sequence[ItemOutput], judgment: OutsideJudgment) -> Sequence[ItemOutput]:
    """Of items with one text those that the judgment names, as far as it names any."""
    system, item = fold_name(judgment.system), judgment.item.strip()
    if len(candidates) > 1:
        candidates = [output for output in candidates if item in output.ids] or candidates
    if len(candidates) > 1:
        candidates = [output for output in candidates if system == fold_name(output.system)] or candidates
    return candidates


def _count_leading(text: str) -> int:
    return len(text) - len(text.lstrip())


def _count_shared(text: str, other: str) -> int:
    """Characters that two texts share at their start and their end, none counted twice."""
    start = _count_same(text, other)
    rest = min(len(text), len(other)) - start
    return start + min(rest, _count_same(text[::-1], other[::-1]))


def _count_same(text: str, other: str) -> int:
    """Characters from the start that are the same in both."""
    return sum(1 for _pair in takewhile(lambda pair: pair[0] == pair[1], zip(text, other, strict=False)))

"""Edits of a gold summary: applying, undoing, checking them, and deriving them from a changed text.

Offsets are code points of the gold, half open. The text of an example is always the gold with its edits applied, letter
for letter; upper and lower case are ignored only where two texts are compared.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, NamedTuple

MOST_EDITS = 2
MAX_TOKENS = 3000
"""Texts with more tokens are not compared to derive edits: the comparison takes quadratic time."""
NEAR = 3
"""An insertion or deletion within this many tokens of another change belongs to it."""
_TOKENS = re.compile(r"\s+|\w+|[^\w\s]")


class EditFault(ValueError):
    """Edits that do not fit their gold; the message says why."""


@dataclass(frozen=True, slots=True)
class Edit:
    """The gold says `was` at [start, end), the example `now`."""

    start: int
    end: int
    was: str
    now: str

    def as_dict(self) -> dict[str, Any]:
        return {"start": self.start, "end": self.end, "was": self.was, "now": self.now}


def apply_edits(gold: str, edits: Sequence[Edit]) -> str:
    """The text of the example. The edits are in order and do not overlap."""
    pieces, position = [], 0
    for edit in edits:
        pieces += [gold[position : edit.start], edit.now]
        position = edit.end
    return "".join([*pieces, gold[position:]])


def undo_edits(text: str, edits: Sequence[Edit]) -> str:
    """The gold again, from the text of an example."""
    pieces, position, shift = [], 0, 0
    for edit in edits:
        pieces += [text[position : edit.start + shift], edit.was]
        position = edit.start + shift + len(edit.now)
        shift += len(edit.now) - len(edit.was)
    return "".join([*pieces, text[position:]])


def check_edits(gold: str, edits: Sequence[Edit]) -> None:
    """Raises EditFault unless there are one or two edits, in order, that fit the gold and change it."""
    if not 1 <= len(edits) <= MOST_EDITS:
        raise EditFault(f"{len(edits)} edits: give one or two")
    end_before = 0
    for index, edit in enumerate(edits):
        if not end_before <= edit.start <= edit.end <= len(gold):
            raise EditFault(f"edits[{index}]: {edit.start} to {edit.end} overlaps, is out of order or out of range")
        if gold[edit.start : edit.end] != edit.was:
            text_there = gold[edit.start : edit.end][:40]
            raise EditFault(f"edits[{index}]: the gold summary has {text_there!r} there, not {edit.was[:40]!r}")
        if edit.was.lower() == edit.now.lower():
            raise EditFault(f"edits[{index}]: {edit.was[:40]!r} is not changed")
        end_before = edit.end


def derive_edits(gold: str, text: str) -> tuple[Edit, ...]:
    """The edits that turn the gold into the text, by comparing words without regard to case.

    Raises EditFault where the texts are equal or differ in more than two places.
    """
    old, new = _TOKENS.findall(gold), _TOKENS.findall(text)
    if len(old) + len(new) > MAX_TOKENS:
        raise EditFault("the texts are too long to compare: give the edits")
    edits = [
        Edit(start, end, gold[start:end], "".join(new[low:high])) for start, end, low, high in _changed_runs(old, new)
    ]
    if not edits:
        raise EditFault("the text equals the gold summary")
    if len(edits) > MOST_EDITS:
        raise EditFault(f"the text differs from the gold summary in {len(edits)} places: one or two are possible")
    return tuple(edits)


def _changed_runs(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
    """(start, end) in characters of the old text, (low, high) in tokens of the new one, with a word in both."""
    offsets = [0]
    for token in old:
        offsets.append(offsets[-1] + len(token))
    matcher = SequenceMatcher(None, [t.lower() for t in old], [t.lower() for t in new], autojunk=False)
    runs: list[_Run] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        run = _Run(i1, i2, j1, j2)
        if runs and i1 - runs[-1].i2 <= NEAR and not (run.is_replacement and runs[-1].is_replacement):
            runs[-1] = _Run(runs[-1].i1, i2, runs[-1].j1, j2)
        else:
            runs.append(run)
    whole_runs = [run if run.is_replacement else _take_neighbour(run, old, new) for run in runs]
    return [(offsets[run.i1], offsets[run.i2], run.j1, run.j2) for run in whole_runs]


class _Run(NamedTuple):
    """Tokens i1 to i2 of the old text correspond to j1 to j2 of the new one."""

    i1: int
    i2: int
    j1: int
    j2: int

    @property
    def is_replacement(self) -> bool:
        return self.i1 < self.i2 and self.j1 < self.j2


def _take_neighbour(run: _Run, old: list[str], new: list[str]) -> _Run:
    """An insertion or deletion together with the word before it, or at the beginning the one after it."""
    if run.i1:
        n = 2 if run.i1 > 1 and old[run.i1 - 1].isspace() else 1
        return _Run(run.i1 - n, run.i2, run.j1 - n, run.j2)
    n = 2 if len(old) > run.i2 + 1 and old[run.i2].isspace() else 1
    return _Run(run.i1, min(run.i2 + n, len(old)), run.j1, min(run.j2 + n, len(new)))

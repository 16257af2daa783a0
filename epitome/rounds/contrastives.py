"""Contrastive examples in a round: how many of each rule are drawn, and which of their words are marked.

Source: Kumar and Cheung, "Understanding the Behaviour of Neural Abstractive Summarizers using Contrastive Examples",
NAACL 2019: 200 examples for the human check, the same number of each rule.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from epitome.sampling.generator import Generator

DRAW = "contrastives@1"
WORD = re.compile(r"\S+")


def draw_per_rule(ids_by_rule: Mapping[str, Sequence[str]], per_rule: int, seed: int) -> list[str]:
    """Up to per_rule ids of every rule, all equally likely; the same for any order of the ids. A rule with fewer gives
    all that it has."""
    return [
        example_id
        for rule in sorted(ids_by_rule)
        for example_id in Generator(seed, DRAW, rule).shuffled(sorted(ids_by_rule[rule]))[:per_rule]
    ]


@dataclass(frozen=True)
class Mark:
    """A changed word of a text: text[start:end], and the words of the gold that were there."""

    start: int
    end: int
    was: str

    def as_list(self) -> list[Any]:
        return [self.start, self.end, self.was]


@dataclass(frozen=True)
class Piece:
    """A stretch of a text; was: of a changed one, the words of the gold, else None."""

    text: str
    was: str | None = None


def find_marks(gold: str, text: str, edits: Sequence[Mapping[str, Any]]) -> list[Mark]:
    """The changed words of a contrastive example. edits: start, end, was and now, in characters of the gold.

    Where the edits do not lead to the text, as after an import, the words that differ from the gold are found instead.
    """
    marks, shift = [], 0
    for edit in sorted(edits, key=lambda edit: int(edit["start"])):
        start = int(edit["start"]) + shift
        marks.append(Mark(start, start + len(edit["now"]), str(edit["was"])))
        shift += len(edit["now"]) - (int(edit["end"]) - int(edit["start"]))
    words = [str(edit["now"]) for edit in sorted(edits, key=lambda edit: int(edit["start"]))]
    if marks and all(
        text[mark.start : mark.end].casefold() == word.casefold() for mark, word in zip(marks, words, strict=True)
    ):
        return marks
    return _compare_words(gold, text)


def _compare_words(gold: str, text: str) -> list[Mark]:
    """The words of the text that the gold has not at their place, whatever their case."""
    old, new = list(WORD.finditer(gold)), list(WORD.finditer(text))
    matcher = SequenceMatcher(
        None, [word[0].casefold() for word in old], [word[0].casefold() for word in new], autojunk=False
    )
    return [
        Mark(new[new_start].start(), new[new_end - 1].end(), " ".join(word[0] for word in old[old_start:old_end]))
        for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes()
        if tag in ("replace", "insert")
    ]


def cut_pieces(text: str, marks: Sequence[Sequence[Any]]) -> list[Piece]:
    """The text as a sequence of unchanged and changed stretches. marks: as `Mark.as_list` gave them, in order."""
    pieces, at = [], 0
    for start, end, was in marks:
        if text[at:start]:
            pieces.append(Piece(text[at:start]))
        pieces.append(Piece(text[start:end], str(was)))
        at = end
    return [*pieces, Piece(text[at:])] if text[at:] else pieces

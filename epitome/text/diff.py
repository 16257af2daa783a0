"""What changed from one text to the next: by words, or by lines and within changed lines by words."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

TOKENS = re.compile(r"\s+|\w+|[^\w\s]")
SPACED_WORDS = re.compile(r"\S+\s*")
LONG = 4000
"""Changed passages with more tokens than this are shown as removed and added: word diffs take quadratic time."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a diff; `kind` is same, added, removed or gap (unchanged lines left out)."""

    kind: str
    text: str

    @property
    def is_gap(self) -> bool:
        return self.kind == "gap"

    @property
    def is_change(self) -> bool:
        return self.kind in ("added", "removed")


def diff_words(old_text: str, new_text: str) -> list[Piece]:
    """Diff of two texts by words; white space after a word is no difference."""
    pieces: list[Piece] = []
    for is_same, old, new in _steps(SPACED_WORDS.findall(old_text), SPACED_WORDS.findall(new_text), key=str.strip):
        pieces += [Piece("same", "".join(new))] if is_same else _removed_and_added("".join(old), "".join(new))
    return pieces


def diff_texts(old_text: str, new_text: str, *, context: int = 2) -> list[Piece]:
    """Diff of two texts by lines, within changed lines by words; shows `context` unchanged lines around a change."""
    pieces: list[Piece] = []
    steps = list(_steps(old_text.splitlines(keepends=True), new_text.splitlines(keepends=True)))
    for index, (is_same, old, new) in enumerate(steps):
        if is_same:
            pieces += _unchanged_pieces(old, context, first=index == 0, last=index == len(steps) - 1)
        else:
            pieces += _changed_pieces("".join(old), "".join(new))
    return pieces if any(piece.is_change for piece in pieces) else []


def _steps(
    old: list[str], new: list[str], *, key: Callable[[str], str] = str
) -> Iterator[tuple[bool, list[str], list[str]]]:
    """Runs of tokens that are the same in both lists by their key, or that differ: (is same, of old, of new)."""
    match = SequenceMatcher(None, [key(token) for token in old], [key(token) for token in new], autojunk=False)
    for tag, i1, i2, j1, j2 in match.get_opcodes():
        yield tag == "equal", old[i1:i2], new[j1:j2]


def _unchanged_pieces(lines: list[str], context: int, *, first: bool, last: bool) -> list[Piece]:
    head, tail = (0 if first else context), (0 if last else context)
    if len(lines) <= head + tail + 1:
        return [Piece("same", "".join(lines))]
    pieces = [
        Piece("same", "".join(lines[:head])),
        Piece("gap", ""),
        Piece("same", "".join(lines[len(lines) - tail :])),
    ]
    return [piece for piece in pieces if piece.text or piece.is_gap]


def _changed_pieces(old_text: str, new_text: str) -> list[Piece]:
    old, new = TOKENS.findall(old_text), TOKENS.findall(new_text)
    if not old or not new or len(old) + len(new) > LONG:
        return _removed_and_added(old_text, new_text)
    pieces: list[Piece] = []
    removed = added = ""
    for is_same, old_tokens, new_tokens in _steps(old, new):
        old_words, new_words = "".join(old_tokens), "".join(new_tokens)
        if not is_same or ((removed or added) and old_words == " "):  # one space does not split a changed phrase
            removed, added = removed + old_words, added + new_words
            continue
        pieces += [*_removed_and_added(removed, added), Piece("same", old_words)]
        removed = added = ""
    return pieces + _removed_and_added(removed, added)


def _removed_and_added(old_text: str, new_text: str) -> list[Piece]:
    pieces = (Piece("removed", old_text), Piece("added", new_text))
    return [piece for piece in pieces if piece.text]

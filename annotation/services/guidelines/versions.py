"""Reading guideline versions: their worked examples, and what changed from one to the next."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

# "**Example 3.** ..." or "### Example 3"; the word is in the guideline's language.
EXAMPLE = re.compile(r"^(?:#{1,6} +|\*\*)([^\W\d_]+ \d+)\b", re.MULTILINE)
NAME = re.compile(r"[^\W\d_]+ \d+\b")
WORDS = re.compile(r"\s+|\w+|[^\w\s]")
LONG = 4000
"""Changed passages with more words than this are shown as removed and added: word diffs take quadratic time."""


def example_names(text: str) -> list[str]:
    """The worked examples of a Markdown text, in order: paragraphs or headings that begin with a word and a number."""
    return EXAMPLE.findall(text)


def is_example(words: str) -> bool:
    """Whether a paragraph or heading that opens with these words is a worked example."""
    return NAME.match(words) is not None


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a diff; `kind` is same, added, removed or gap (unchanged lines left out)."""

    kind: str
    text: str


def diff_texts(old_text: str, new_text: str, *, context: int = 2) -> list[Piece]:
    """Diff of two texts by lines, within changed lines by words; shows `context` unchanged lines around a change."""
    old, new = old_text.splitlines(keepends=True), new_text.splitlines(keepends=True)
    pieces: list[Piece] = []
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for place, (tag, i1, i2, j1, j2) in enumerate(steps):
        if tag == "equal":
            pieces += _unchanged_pieces(old[i1:i2], context, first=place == 0, last=place == len(steps) - 1)
        else:
            pieces += _changed_pieces("".join(old[i1:i2]), "".join(new[j1:j2]))
    return pieces if any(piece.kind in ("added", "removed") for piece in pieces) else []


def _unchanged_pieces(lines: list[str], context: int, *, first: bool, last: bool) -> list[Piece]:
    head, tail = (0 if first else context), (0 if last else context)
    if len(lines) <= head + tail + 1:
        return [Piece("same", "".join(lines))]
    pieces = [
        Piece("same", "".join(lines[:head])),
        Piece("gap", ""),
        Piece("same", "".join(lines[len(lines) - tail :])),
    ]
    return [piece for piece in pieces if piece.text or piece.kind == "gap"]


def _changed_pieces(old_text: str, new_text: str) -> list[Piece]:
    old, new = WORDS.findall(old_text), WORDS.findall(new_text)
    if not old or not new or len(old) + len(new) > LONG:
        return _removed_and_added(old_text, new_text)
    pieces: list[Piece] = []
    removed = added = ""
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        old_words, new_words = "".join(old[i1:i2]), "".join(new[j1:j2])
        if tag != "equal" or ((removed or added) and old_words == " "):  # one space does not split a changed phrase
            removed, added = removed + old_words, added + new_words
            continue
        pieces += [*_removed_and_added(removed, added), Piece("same", old_words)]
        removed = added = ""
    return pieces + _removed_and_added(removed, added)


def _removed_and_added(old_text: str, new_text: str) -> list[Piece]:
    pieces = (Piece("removed", old_text), Piece("added", new_text))
    return [piece for piece in pieces if piece.text]

"""Edits of a source sentence: which of its code points they replace, and by what."""

from collections.abc import Iterable
from dataclasses import dataclass

from modelbridge.systems.controlled_extract.traced import Traced

Span = tuple[int, int]
Piece = str | Span
"""New text, or a span of the sentence that is kept."""


@dataclass(frozen=True, slots=True)
class Edit:
    """sentence[start:end] becomes the pieces in their order. kind: for tests and counts. cost: how much it is felt, 0
    or more. wide: it moves or drops whole phrases, so it comes before the edits of words. root: the span of the word
    that governs the result, if it is another than before."""

    kind: str
    start: int
    end: int
    pieces: tuple[Piece, ...]
    cost: float
    wide: bool = False
    root: Span | None = None


def swap_words(kind: str, start: int, end: int, text: str, cost: float) -> Edit:
    """An edit that puts other words into one place."""
    return Edit(kind, start, end, (text,), cost)


def apply_edit(traced: Traced, edit: Edit) -> Traced | None:
    """The text after an edit; None if another edit has already changed what this one needs."""
    if edit.start == edit.end:
        return _insert(traced, edit)
    place = traced.locate(edit.start, edit.end)
    if place is None:
        return None
    new = Traced("", ())
    for piece in edit.pieces:
        if isinstance(piece, str):
            lone = len(edit.pieces) == 1
            new += Traced.new(piece, edit.start, edit.end) if lone else Traced.new(piece)
        else:
            inner = traced.locate(*piece)
            if inner is None:
                return None
            new += traced.cut(*inner)
    return traced.replace(*place, new)


def _insert(traced: Traced, edit: Edit) -> Traced | None:
    """Words put between the character before edit.start and the one at it, which must still be neighbours."""
    place = traced.locate(edit.start - 1, edit.start + 1)
    if place is None:
        return None
    at = place[0] + 1
    return traced.replace(at, at, Traced.new("".join(piece for piece in edit.pieces if isinstance(piece, str))))


def apply_edits(traced: Traced, edits: Iterable[Edit]) -> tuple[Traced, list[Edit]]:
    """The text after all edits that are still possible in their order, and these edits."""
    applied = []
    for edit in edits:
        changed = apply_edit(traced, edit)
        if changed is not None:
            traced = changed
            applied.append(edit)
    return traced, applied

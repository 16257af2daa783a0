"""Pieces of a sentence that no longer begin it."""

from typing import Final

from modelbridge.systems.controlled_extract.edits import Piece
from modelbridge.systems.controlled_extract.parsing import Parse

_PARTS_OF_NAMES: Final = frozenset({"new", "like", "first", "last", "old", "high", "great", "general", "national"})
"""Words that begin names, too; before a small letter they do not."""


def lower_first(parse: Parse, start: int, stop: int) -> list[Piece]:
    """text[start:stop] as pieces, with a small first letter unless it is a name's."""
    return lower_pieces(parse, [(start, stop)], start)


def lower_pieces(parse: Parse, pieces: list[Piece], start: int) -> list[Piece]:
    """The pieces with a small first letter, unless the word at `start` is a name."""
    node = next((node for node in parse.nodes if node.start >= start), None)
    following = parse.after(node) if node is not None else None
    if node is not None and following is not None and following.text[0].isupper() and node.tag in ("JJ", "NN", "NNP"):
        return pieces  # "Prime Minister"
    if node is None or not pieces:
        return pieces
    plain = node.tag in ("JJ", "IN") or node.low in _PARTS_OF_NAMES
    common = following is not None and following.text.islower() and node.low in parse.casing.small and plain
    if not common and parse.casing.keeps_capital(node.text, node.tag):
        return pieces
    first = pieces[0]
    if isinstance(first, str):
        return [first[:1].lower() + first[1:], *pieces[1:]]
    return [parse.text[first[0]].lower(), (first[0] + 1, first[1]), *pieces[1:]] if first[1] - first[0] > 1 else pieces

"""Wide edits that move a phrase or a clause: times, adverbial clauses."""

from collections.abc import Iterator
from typing import Final

from modelbridge.systems.controlled_extract.compressing import opening_end
from modelbridge.systems.controlled_extract.edits import Edit, Piece, Span
from modelbridge.systems.controlled_extract.lowering import lower_first
from modelbridge.systems.controlled_extract.parsing import Node, Parse

_TIMES_WORDS = """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december week month year morning afternoon evening night today yesterday
"""
_TIMES: Final = frozenset(_TIMES_WORDS.split())
_GOES_ON: Final = frozenset({"after", "before", "when", "since", "as", "while", "that", "who", "which", "of", "where"})
_TIME_OPENINGS_WORDS = """
    last this next earlier late early
"""
_TIME_OPENINGS: Final = frozenset(_TIME_OPENINGS_WORDS.split())
_NOT_TIMES: Final = frozenset({"may", "march"})
_PLACES: Final = frozenset({"in", "at", "after", "during", "before", "despite", "amid", "near", "outside", "across"})
_NEEDS_PLACE_WORDS = """
    live lives lived living result results resulted resulting put placed based located found rooted engage engaged
    participate participated participating believe believes believed included involved stationed interested
    arrived arrive arrives look looked looking aimed works work worked put come came is was are were been be stay
    stayed remain remained remains born held held used seen
"""
_NEEDS_PLACE: Final = frozenset(_NEEDS_PLACE_WORDS.split())
_LONGEST_MOVED: Final = 7
_SAYING_WORDS = """
    said says say told added reported according
"""
_SAYING: Final = frozenset(_SAYING_WORDS.split())
_CLAUSE_OPENINGS_WORDS = """
    when after before if as although though because until while
"""
_CLAUSE_OPENINGS: Final = frozenset(_CLAUSE_OPENINGS_WORDS.split())


def find_moves(parse: Parse) -> list[Edit]:
    """Wide edits: each moves one adverbial to the other end of its clause."""
    return [*_adverbials(parse), *_adverbial_clauses(parse)]


def _adverbials(parse: Parse) -> Iterator[Edit]:
    """ "On Monday, X left" -> "X left on Monday", and the other way round: times alone."""
    root = parse.root
    if root is None or root.tag not in ("VBD", "VBZ", "VBP", "VBN", "VB", "VBG"):
        return
    ends = _sentence_end(parse)
    for node in parse.children(root, "obl", "advmod"):
        nodes = parse.subtree(node)
        span = parse.span_of(nodes)
        if span is None or not 1 <= len(nodes) <= _LONGEST_MOVED or not (tells_time(nodes) or _tells_place(nodes)):
            continue
        if nodes[0].place == 0:
            yield from _to_end(parse, root, nodes, span, ends)
        elif node.place > root.place:
            yield from _to_front(parse, root, nodes, span)


def tells_time(nodes: list[Node]) -> bool:
    """Whether a phrase names a day, month, year or the like."""
    if nodes[0].tag not in ("IN", "TO") and nodes[0].low not in _TIMES and nodes[0].low not in _TIME_OPENINGS:
        return False
    if nodes[0].tag in ("IN", "TO") and nodes[0].low not in ("in", "on", "at", "during", "since", "after", "before"):
        return False
    if any(node.tag[:2] in ("VB", "WP", "WD", "MD") or node.text in (",", '"', "--") for node in nodes):
        return False
    years = [node for node in nodes if len(node.text) == 4 and node.text.isdigit() and node.text[:2] in ("19", "20")]
    named_times = [
        node for node in nodes if node.low in _TIMES and (node.low not in _NOT_TIMES or node.text[0].isupper())
    ]
    return bool(years or named_times) and nodes[0].low != "every"


def _tells_place(nodes: list[Node]) -> bool:
    """ "in Paris", "after the quake": a place or circumstance that is a short phrase."""
    allowed = nodes[0].low in _PLACES and len(nodes) > 1 and nodes[-1].low not in ("way", "direction", "case", "fact")
    return allowed and all(node.tag in ("DT", "NNP", "NNPS", "NN", "NNS", "JJ", "PRP$", "POS") for node in nodes[1:])


def _to_end(parse: Parse, root: Node, nodes: list[Node], span: Span, ends: int) -> Iterator[Edit]:
    """Only in a simple sentence, where the end is the end of its one clause."""
    comma = parse.after(nodes[-1])
    if comma is None or comma.text != ",":
        return
    if any(True for _ in parse.having("conj", "advcl", "ccomp", "acl:relcl", "parataxis", "acl", "csubj")):
        return
    start = comma.end + 1
    if start < ends and '"' not in parse.text and "“" not in parse.text:
        yield Edit("moved", span[0], ends, ((start, ends), " ", *lower_first(parse, *span)), 0.05, wide=True)


def _to_front(parse: Parse, root: Node, nodes: list[Node], span: Span) -> Iterator[Edit]:
    if root.low in _NEEDS_PLACE and not tells_time(nodes):
        return
    begin = opening_end(parse.text)
    first = next(node for node in parse.nodes if node.start >= begin)
    previous = parse.before(nodes[0])
    subjects = parse.children(root, "nsubj", "nsubj:pass")
    opened = (
        first.tag in ("IN", "CC", "RB", "VBG", "WRB", '"', "``", "TO") or not subjects or subjects[0].place > root.place
    )
    if opened or previous is None or previous.text in (",", '"', "--") or parse.children(root, "parataxis"):
        return
    if any(node.tag == "CC" for node in parse.nodes[root.place : nodes[0].place]):
        return
    if any(node.low in _SAYING and node != root for node in parse.nodes):
        return
    if not subjects or parse.subtree(subjects[0])[0].place != first.place:
        return
    following = parse.after(nodes[-1])
    if following is not None and following.low in _GOES_ON:
        return
    if _phrase_is_quoted(parse, first.start, span[1]):
        return
    front: list[Piece] = ["on ", span] if nodes[0].tag == "NNP" else [span]
    pieces = (*front, ", ", *lower_first(parse, first.start, span[0] - 1))
    yield Edit("moved", first.start, span[1], pieces, 0.03, wide=True)


def _phrase_is_quoted(parse: Parse, start: int, end: int) -> bool:
    return any(mark in parse.text[start:end] for mark in '"“”')


def _sentence_end(parse: Parse) -> int:
    return len(parse.text.rstrip(" .!?"))


def _adverbial_clauses(parse: Parse) -> Iterator[Edit]:
    """ "When he came, Bob left" <-> "Bob left when he came"; never so that a pronoun would find another name."""
    root, ends = parse.root, _sentence_end(parse)
    if (
        root is None
        or any(mark in parse.text for mark in '"“”:;')
        or parse.children(root, "conj", "parataxis", "ccomp")
    ):
        return
    for clause in parse.children(root, "advcl"):
        nodes = parse.subtree(clause)
        span = parse.span_of(nodes)
        if span is None or len(nodes) < 4 or nodes[0].low not in _CLAUSE_OPENINGS:
            continue
        if not parse.children(clause, "nsubj"):
            continue
        subject = next(iter(parse.children(root, "nsubj")), None)
        if subject is None:
            continue
        if nodes[0].place == 0 and subject.tag != "PRP":
            comma = parse.after(nodes[-1])
            if (
                any(True for _ in parse.having("acl:relcl", "acl", "conj", "xcomp"))
                or len(parse.children(root, "advcl")) > 1
            ):
                continue
            if comma is not None and comma.text == "," and comma.end + 1 < ends:
                yield Edit(
                    "moved", span[0], ends, ((comma.end + 1, ends), " ", *lower_first(parse, *span)), 0.06, wide=True
                )
        elif abs(span[1] - ends) <= 1 and nodes[0].place > root.place and subject.tag != "PRP":
            end = span[0] - (2 if parse.text[span[0] - 2] == "," else 1)
            first = parse.nodes[0]
            if first.tag not in ("IN", "CC", "RB", "WRB", "VBG") and end > first.start:
                yield Edit(
                    "moved", first.start, span[1], (span, ", ", *lower_first(parse, first.start, end)), 0.06, wide=True
                )

"""Who said something in a news text: moved to the front, turned into "said that", quotes into reported speech."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from modelbridge.systems.controlled_extract.compressing import opening_end
from modelbridge.systems.controlled_extract.edits import Edit, Piece
from modelbridge.systems.controlled_extract.lowering import lower_first, lower_pieces
from modelbridge.systems.controlled_extract.parsing import Node, Parse
from modelbridge.systems.controlled_extract.reporting import report_token

_SAID_WORDS = """
    said says say added explained noted insisted argued stated recalled told wrote announced reported confirmed
    declared warned reports
"""
_SAID: Final = frozenset(_SAID_WORDS.split())
_NO_NAME: Final = frozenset({"that", "which", "who", "what", "it", "this", "there"})
_FIRST: Final = frozenset({"i", "me", "my", "mine", "myself"})
_SECOND: Final = frozenset({"you", "your", "yours", "yourself"})
_PHRASE_TAGS: Final = frozenset(
    {"DT", "NN", "NNS", "NNP", "NNPS", "PRP", "JJ", "CD", "POS", "IN", "HYPH", "PRP$", "JJS"}
)
_WHEN: Final = re.compile(
    r"^(?:(?:on |late |early )?(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?: (?:morning|night))?"
    r"|in a statement|at the time|earlier|later)?$"
)
_LAST: Final = " .!?"


def find_attribution_edits(parse: Parse) -> list[Edit]:
    """Wide edits: each rebuilds the whole sentence. Empty where it does not say who said something."""
    return [
        *_after_quote(parse),
        *_after_statement(parse),
        *_before_quote(parse),
        *_according_to(parse),
        *_before_statement(parse),
    ]


def _after_quote(parse: Parse) -> Iterator[Edit]:
    """'"We won," said X.' -> 'X said that they won' and 'X said, "We won"'."""
    match = re.fullmatch(r"([\"“])([^\"“”]{12,}),([\"”]) ([^\"“”]+?)[ .]*", parse.text)
    if match is None:
        return
    speaker = _speaker_of(parse, match.start(4), match.end(4))
    if speaker is None:
        return
    lead = _lead(speaker)
    yield from _reported(parse, lead, speaker[0], match.start(2), match.end(2), (0, match.end(4)))
    pieces: tuple[Piece, ...] = (*_capitalize(parse, lead), ", ", match[1], match.span(2), ".", match[3])
    yield Edit("quote", 0, match.end(4), pieces, 0.03, wide=True, root=_span(speaker[1]))


def _before_quote(parse: Parse) -> Iterator[Edit]:
    """'X said, "We won."' -> 'X said that they won'."""
    match = re.fullmatch(
        r"([^\"“”]{3,60}? (?:said|says|added)(?: \w+day)?)[,:] [\"“]([^\"“”]{12,}?)[.,]?[\"”][ .]*", parse.text
    )
    if match is None:
        return
    verb = next((node for node in reversed(parse.nodes) if node.end <= match.end(1) and node.low in _SAID), None)
    nodes = [node for node in parse.nodes if verb and node.start < verb.start]
    if verb is not None and nodes and _is_phrase(nodes):
        yield from _reported(parse, [match.span(1)], nodes, match.start(2), match.end(2), (0, match.end()))


def _after_statement(parse: Parse) -> Iterator[Edit]:
    """ "It burned, X said Monday." -> "X said Monday that it burned"."""
    end = len(parse.text.rstrip(_LAST))
    comma = parse.text.rfind(", ", 0, end)
    while comma > 20:
        speaker = _speaker_of(parse, comma + 2, end)
        if speaker is not None:
            yield from _stated(parse, _lead(speaker), _span(speaker[1]), opening_end(parse.text), comma, end)
            return
        if ", " not in parse.text[comma - 60 : comma] or end - comma > 90:
            return
        comma = parse.text.rfind(", ", 0, comma)


def _according_to(parse: Parse) -> Iterator[Edit]:
    """ "It burned, according to X." -> "X said that it burned"; "According to X, it burned." likewise."""
    text, end = parse.text, len(parse.text.rstrip(_LAST))
    match = re.search(r",? according to ([^,\"“”]{3,60})$", text[:end])
    if match is not None and match.start() > 20 and '"' not in text[: match.start()]:
        nodes = [node for node in parse.nodes if match.start(1) <= node.start < match.end(1)]
        if _is_phrase(nodes):
            start = opening_end(text)
            yield from _stated(parse, [match.span(1), " said"], None, start, match.start(), end)
            body = lower_first(parse, start, match.start())
            pieces: tuple[Piece, ...] = ("According to ", match.span(1), ", ", *body)
            yield Edit("source", start, end, pieces, 0.02, wide=True)
    match = re.match(r"According to ([^,\"“”]{3,60}), ", text)
    if match is not None:
        nodes = [node for node in parse.nodes if match.start(1) <= node.start < match.end(1)]
        apposed = re.match(r"(?:[A-Z][\w.'-]+ ?)+,", parse.text[match.end() :])
        if _is_phrase(nodes) and apposed is None:
            yield from _stated(parse, [match.span(1), " said"], None, match.end(), end, end, begin=0)


def _before_statement(parse: Parse) -> Iterator[Edit]:
    """ "X said that it burned" -> "It burned, X said"; also with the tense that reported speech has."""
    root = parse.root
    if root is None or root.low not in ("said", "says", "say", "added") or any(mark in parse.text for mark in '"“”;'):
        return
    subjects, clauses = parse.children(root, "nsubj"), parse.children(root, "ccomp")
    if len(subjects) != 1 or len(clauses) != 1 or parse.children(root, "conj", "advcl", "parataxis"):
        return
    named_span, said_nodes = parse.span(subjects[0]), parse.subtree(clauses[0])
    end = len(parse.text.rstrip(_LAST))
    start = opening_end(parse.text)
    if (
        named_span is None
        or named_span[0] != start
        or not said_nodes
        or abs(said_nodes[-1].end - end) > 1
        or said_nodes[0].place <= root.place
    ):
        return
    if (
        subjects[0].low in _NO_NAME
        or said_nodes[0].place > root.place + 4
        or not parse.children(clauses[0], "nsubj", "nsubj:pass", "expl")
    ):
        return
    body_start = said_nodes[1].start if said_nodes[0].low == "that" else said_nodes[0].start
    lead_end = parse.nodes[said_nodes[0].place - 1].end
    first = parse.text[body_start].upper()
    words_after = [", ", *lower_first(parse, start, lead_end)]
    if all(node.tag != "PRP" for node in parse.children(clauses[0], "nsubj", "nsubj:pass")):
        yield Edit("source", start, end, (first, (body_start + 1, end), *words_after), 0.05, wide=True, root=None)
    shifted = _reported_pieces(parse, body_start, end)
    if root.low in ("said", "added") and any(isinstance(piece, str) for piece in shifted):
        pieces = ((start, lead_end), " that ", *shifted)
        yield Edit("reported", start, end, pieces, 0.02, wide=True, root=_span(root))


def _stated(
    parse: Parse,
    lead: list[Piece],
    root: tuple[int, int] | None,
    start: int,
    stop: int,
    end: int,
    begin: int | None = None,
) -> Iterator[Edit]:
    """LEAD that text[start:stop], with and without the tense of reported speech."""
    if not _is_statement(parse, start, stop):
        return
    front = _capitalize(parse, lead)
    first = start if begin is None else begin
    quoted = any(mark in parse.text[start:stop] for mark in '"“”')
    yield Edit("source", first, end, (*front, " that ", *lower_first(parse, start, stop)), 0.02, wide=True, root=root)
    present = any(isinstance(piece, tuple) and parse.text[slice(*piece)].endswith(("says", "say")) for piece in lead)
    if not quoted and not present:
        shifted = lower_pieces(parse, _reported_pieces(parse, start, stop), start)
        yield Edit("reported", first, end, (*front, " that ", *shifted), 0.0, wide=True, root=root)


def _is_statement(parse: Parse, start: int, stop: int) -> bool:
    """A clause with a subject and a finite verb, no question, and quotes in pairs."""
    nodes = [node for node in parse.nodes if start <= node.start < stop]
    finite = any(node.tag in ("VBD", "VBZ", "VBP", "MD") for node in nodes)
    text = parse.text[start:stop]
    return (
        finite
        and len(nodes) > 3
        and "?" not in text
        and text.count('"') % 2 == 0
        and text.count("“") == text.count("”")
    )


def _reported(
    parse: Parse, lead: list[Piece], speaker: Sequence[Node], start: int, stop: int, whole_span: tuple[int, int]
) -> Iterator[Edit]:
    """A quote in the words of the one who reports it, if persons can be told without a guess."""
    nodes = [node for node in parse.nodes if start <= node.start < stop]
    lows = {node.low for node in nodes}
    if lows & _SECOND or not _is_statement(parse, start, stop) or nodes[0].tag in ("VB", "UH", "WP", "WRB", "VBP"):
        return
    pronoun = speaker[0].low if len(speaker) == 1 else ""
    if lows & _FIRST and pronoun not in ("he", "she"):
        return
    shifted = lower_pieces(parse, _reported_pieces(parse, start, stop, pronoun), start)
    root = next((node for node in parse.nodes if node.low in _SAID and not start <= node.start < stop), None)
    pieces = (*_capitalize(parse, lead), " that ", *shifted)
    yield Edit("reported", *whole_span, pieces, 0.02, wide=True, root=_span(root) if root else None)


_SINGULAR: Final = {
    "he": {"i": "he", "me": "him", "my": "his", "mine": "his", "myself": "himself"},
    "she": {"i": "she", "me": "her", "my": "her", "mine": "hers", "myself": "herself"},
}


def _reported_pieces(parse: Parse, start: int, stop: int, pronoun: str = "") -> list[Piece]:
    """text[start:stop] with persons and tenses of reported speech."""
    nodes = [node for node in parse.nodes if start <= node.start < stop]
    pieces: list[Piece] = []
    at, previous = start, None
    for node in nodes:
        following = parse.after(node)
        new = _SINGULAR.get(pronoun, {}).get(node.low)
        supported = any(
            child.low in ("did", "do", "does") or child.tag == "MD" for child in parse.children(node, "aux")
        )
        bare = (
            node.tag in ("VBP", "VBZ")
            and not parse.children(node, "nsubj")
            and node.relation not in ("conj", "aux", "cop", "root")
            and not (previous is not None and previous.low == "i")
        )
        if new is None and (supported or bare) and node.tag in ("VB", "VBP", "VBZ"):
            new = node.text
        if new is None:
            new = report_token(node, previous, following.low if following else "", True)
            if previous is not None and previous.low == "i" and pronoun and new in ("were", " were"):
                new = new.replace("were", "was")
        glued = parse.text[node.start - 1 : node.start] == "-" or parse.text[node.end : node.end + 1] == "-"
        if new != node.text and not glued:
            pieces += [(at, node.start), new] if at < node.start else [new]
            at = node.end
        previous = node
    return [*pieces, (at, stop)] if at < stop else pieces


def _speaker_of(parse: Parse, start: int, end: int) -> tuple[list[Node], Node, list[Node]] | None:
    """(the name, the verb, when) of "X said Monday" or "said X, the head of Y"; None if it is neither."""
    nodes = [node for node in parse.nodes if start <= node.start < end]
    verbs = [node for node in nodes if node.low in _SAID and node.tag in ("VBD", "VBZ", "VBP", "VBN")]
    if len(verbs) != 1 or len(nodes) < 2:
        return None
    verb = verbs[0]
    name = [node for node in nodes if node.place < verb.place]
    others = [node for node in nodes if node.place > verb.place]
    if not name:
        return (
            (others, verb, [])
            if _is_phrase(others, commas=True) and verb.low in ("said", "says", "added", "explained")
            else None
        )
    return (name, verb, others) if _is_phrase(name) and _ends_attribution(parse, verb, others, end) else None


def _ends_attribution(parse: Parse, verb: Node, others: Sequence[Node], end: int) -> bool:
    """Whether the verb is followed by a time, a place or the one who was told, or by nothing."""
    if verb.low == "told":
        return _is_phrase(others)
    when = parse.text[others[0].start : end].strip() if others else ""
    if _WHEN.match(when):
        return True
    opened = others[0].low in ("in", "at", "during", "after", "on", "to") and len(others) <= 9
    return opened and all(node.tag in _PHRASE_TAGS or node.tag in ("VBN", "TO") for node in others)


def _is_phrase(nodes: Sequence[Node], commas: bool = False) -> bool:
    """A noun phrase that can be a subject."""
    if (
        not nodes
        or nodes[0].tag == "IN"
        or nodes[0].low in _NO_NAME
        or nodes[0].low in ("him", "her", "them", "me", "us")
    ):
        return False
    allowed = all(
        node.tag in _PHRASE_TAGS
        or (commas and (node.text == "," or node.tag in ("CC", "VBN", "VBZ", "WP", "TO", "VBG", "RB", "VBD")))
        for node in nodes
    )
    return allowed and any(node.tag[:2] in ("NN", "PR") for node in nodes[:6])


def _lead(speaker: tuple[list[Node], Node, list[Node]]) -> list[Piece]:
    name, verb, when = speaker
    lead: list[Piece] = [(name[0].start, name[-1].end)]
    if verb.place < name[0].place and any(node.text == "," for node in name):
        lead.append(",")
    lead += [" ", (verb.start, verb.end)]
    return [*lead, " ", (when[0].start, when[-1].end)] if when else lead


def _capitalize(parse: Parse, lead: Sequence[Piece]) -> list[Piece]:
    """The lead as the beginning of a sentence; what stood there before was no beginning."""
    first = lead[0]
    if isinstance(first, str) or parse.text[first[0]].isupper():
        return list(lead)
    return [parse.text[first[0]].upper(), (first[0] + 1, first[1]), *lead[1:]]


def _span(node: Node) -> tuple[int, int]:
    return node.start, node.end

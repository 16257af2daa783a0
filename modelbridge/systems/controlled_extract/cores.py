"""Shorter readings of a sentence by its parse: what is optional in its clause is left out, alone and together."""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from modelbridge.systems.controlled_extract.compressing import Reading, can_stand_alone, opening_end
from modelbridge.systems.controlled_extract.edits import Span
from modelbridge.systems.controlled_extract.moved_phrases import tells_time
from modelbridge.systems.controlled_extract.parsing import NEGATIONS, Node, Parse
from modelbridge.systems.controlled_extract.tagging import FINITE

MOST_UNITS: Final = 6
MOST_CORES: Final = 10
_FREE_PREPOSITIONS_WORDS = """
    in at during after before near amid despite since across around outside following throughout among alongside
"""
_FREE_PREPOSITIONS: Final = frozenset(_FREE_PREPOSITIONS_WORDS.split())
_FREE_NOUN_PREPOSITIONS_WORDS = """
    in at from near with during across outside throughout among around behind
"""
_FREE_NOUN_PREPOSITIONS: Final = frozenset(_FREE_NOUN_PREPOSITIONS_WORDS.split())
_FREE_MARKS_WORDS = """
    after as while when because since although though before
"""
_FREE_MARKS: Final = frozenset(_FREE_MARKS_WORDS.split())
_LIMITED_WORDS = """
    no any all every only first last most least same such those people anyone someone everyone everything
    something anything one ones nothing none each both few other others way time reason thing things fact number
    lot
"""
_LIMITED: Final = frozenset(_LIMITED_WORDS.split())
_NEEDED_ADVERBS_WORDS = """
    hardly barely nearly almost only allegedly reportedly potentially possibly likely supposedly apparently
    scarcely rarely seldom partially partly virtually probably presumably early family daily weekly monthly yearly
    fully illegally legally falsely wrongly formerly previously unlikely really early poorly badly well
    accidentally
"""
_NEEDED_ADVERBS: Final = frozenset(_NEEDED_ADVERBS_WORDS.split())
_SAYING_WORDS = """
    said says say told added reported according
"""
_SAYING: Final = frozenset(_SAYING_WORDS.split())


def list_core_readings(parse: Parse) -> list[Reading]:
    """At most MOST_CORES readings, longest first; empty where the sentence quotes or nothing is optional."""
    if any(mark in parse.text for mark in '"“”') or parse.root is None:
        return []
    units = _merge(sorted(set(_optional_spans(parse))))[:MOST_UNITS]
    start = opening_end(parse.text)
    opened: tuple[Span, ...] = ((0, start),) if start else ()
    readings: dict[str, Reading] = {}
    for size in range(len(units), 0, -1):
        for some in combinations(units, size):
            kept_text = _keep(parse.text, (*opened, *some))
            if can_stand_alone(kept_text.strip(" .")) and kept_text not in readings:
                share = len(kept_text) / len(parse.text)
                readings[kept_text] = Reading(kept_text, share, tuple(sorted({*opened, *some})))
    ordered = sorted(readings.values(), key=lambda reading: (reading.share, reading.text))
    if len(ordered) > MOST_CORES:
        step = (len(ordered) - 1) / (MOST_CORES - 1)
        ordered = [ordered[round(number * step)] for number in range(MOST_CORES)]
    return ordered


def _merge(spans: list[Span]) -> list[Span]:
    """Without those inside or across an earlier one."""
    merged: list[Span] = []
    for span in spans:
        if not merged or span[0] >= merged[-1][1]:
            merged.append(span)
    return merged


def _keep(text: str, spans: tuple[Span, ...]) -> str:
    kept_pieces, at = [], 0
    for start, end in sorted(spans):
        kept_pieces.append(text[at:start])
        at = max(at, end)
    return " ".join("".join([*kept_pieces, text[at:]]).split())


def _optional_spans(parse: Parse) -> Iterator[Span]:
    root = parse.root
    negated = any(_is_negation(child) for child in parse.children(root)) if root else False
    for node in parse.nodes:
        nodes = parse.subtree(node)
        span = parse.span_of(nodes)
        following = parse.after(nodes[-1])
        previous = parse.before(nodes[0])
        if following is not None and following.low in ("to", "and", "or", "-", "–", "than"):
            continue
        if following is not None and following.text == "," and previous is not None and previous.text != ",":
            continue
        if span is None or nodes[0].place == 0 or any(token.low in _SAYING for token in nodes) or len(nodes) > 18:
            continue
        if node.relation != "conj" and any(token.tag == "CC" for token in nodes):
            continue
        if _is_optional(parse, node, nodes, negated):
            yield _with_space(parse, nodes)


def _is_optional(parse: Parse, node: Node, nodes: list[Node], negated: bool) -> bool:
    head, first = parse.nodes[node.head], nodes[0]
    if node.place < head.place and node.plain_relation != "advmod":
        return False
    if node.plain_relation == "obl":
        return not negated and _is_free_adjunct(parse, node, head, nodes)
    if node.plain_relation == "advcl":
        return not negated and first.low in _FREE_MARKS and bool(parse.children(node, "nsubj")) and head.tag[:2] == "VB"
    if node.plain_relation == "nmod":
        return first.low in _FREE_NOUN_PREPOSITIONS and first.tag == "IN" and not _is_limited(parse, head)
    if node.plain_relation == "acl":
        return (node.tag in ("VBN", "VBG") or first.tag in ("WP", "WDT", "WRB")) and not _is_limited(parse, head)
    if node.plain_relation == "advmod":
        return (
            node.low.endswith("ly")
            and len(nodes) == 1
            and node.low not in _NEEDED_ADVERBS
            and not negated
            and head.tag[:2] == "VB"
        )
    return node.relation == "conj" and _is_second_predicate(parse, node, head, nodes)


def _is_free_adjunct(parse: Parse, node: Node, head: Node, nodes: list[Node]) -> bool:
    """A time, or a place or circumstance that the verb does not need."""
    if node.relation == "obl:unmarked" or node.relation == "obl:tmod":
        return head.tag[:2] == "VB" and len(nodes) <= 4 and tells_time(nodes)
    if nodes[0].low not in _FREE_PREPOSITIONS or head.tag[:2] != "VB" or nodes[1].low in ("least", "most", "all"):
        return False
    if nodes[0].low == "at" and not tells_time(nodes):
        return False
    others = [
        child
        for child in parse.children(head, "obl", "obj", "xcomp", "ccomp")
        if child.place < node.place and child.place > head.place
    ]
    return bool(others) or bool(parse.children(head, "nsubj:pass")) or any(token.tag == "CD" for token in nodes)


def _is_limited(parse: Parse, noun: Node) -> bool:
    """Whether a noun needs what follows: "the only man who ...", "people who ...", "the best way to ..."."""
    words = [noun, *parse.children(noun, "det", "amod", "nummod", "advmod", "case")]
    return (
        any(token.low in _LIMITED or token.tag == "JJS" for token in words)
        or noun.tag in ("PRP", "DT", "CD", "VBG")
        or noun.plain_relation == "root"
    )


def _is_second_predicate(parse: Parse, node: Node, head: Node, nodes: list[Node]) -> bool:
    """ ", and left" after another verb with the same subject, at the end of the sentence."""
    joined = nodes[0].low == "and" and node.tag[:2] == "VB" and head.tag[:2] == "VB"
    finished = any(child.place < node.place for child in parse.children(head, "obj", "xcomp", "ccomp", "obl"))
    return joined and finished and not parse.children(node, "nsubj") and nodes[-1].place >= len(parse.nodes) - 2


def _with_space(parse: Parse, nodes: list[Node]) -> Span:
    """The span with the space before it and the commas around it."""
    start, end = nodes[0].start, nodes[-1].end
    node_before, node_after = parse.before(nodes[0]), parse.after(nodes[-1])
    if node_before is not None and node_before.text == "," and (node_after is None or node_after.text in (",", ".")):
        start = node_before.start
        following = parse.after(node_after) if node_after is not None and node_after.text == "," else None
        return (
            (start, node_after.end)
            if following is not None and node_after and following.tag in FINITE
            else (start, end)
        )
    while start and parse.text[start - 1] == " ":
        start -= 1
    return start, end


def _is_negation(node: Node) -> bool:
    return node.low in NEGATIONS

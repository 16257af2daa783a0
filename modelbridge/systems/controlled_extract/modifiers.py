"""Edits that leave out or set apart what only modifies: adjectives of size and rank, adverbs, appositions in commas."""

import re
from collections.abc import Iterator
from typing import Final

from modelbridge.systems.controlled_extract.edits import Edit
from modelbridge.systems.controlled_extract.noun_phrases import last_of_name
from modelbridge.systems.controlled_extract.parsing import Node, Parse

# Adjectives that a noun phrase can lose without naming something else.
_LOOSE_WORDS = """
    big small large little new young major key key strong serious significant important recent long-time longtime
    growing ongoing crucial vital critical essential notable prominent leading influential powerful popular
    successful wealthy prestigious ambitious broad wide deep clear obvious simple difficult hard tough harsh heavy
    severe grave dire desperate urgent dangerous lengthy brief quick rapid sudden unexpected surprising rare unusual
    strange odd beautiful lovely nice fine proud happy sad angry painful bloody violent fierce famed fabled renowned
    noted celebrated respected beloved dear precious valuable lucrative massive enormous huge tiny vast immense
    considerable substantial sizable numerous countless simple-minded old-fashioned stark sharp steep
    bright dark warm cold quiet loud intense solid robust fresh harmful fellow ample ruthless remote senior veteran
    entire whole unique particular original historic typical ordinary common ideal excellent terrible devastating
    stunning remarkable extraordinary incredible dramatic unprecedented deadly lethal brutal horrific gruesome
    shocking disturbing alarming troubling heated bitter contentious close direct current latest main central
    careful gentle brave cruel savage clever lively busy crowded quaint picturesque scenic luxurious lavish cheap
    expensive affordable useful helpful handy decent fair fantastic wonderful great good terrific awesome
"""
_LOOSE: Final = frozenset(_LOOSE_WORDS.split())
_NEEDS_ADJECTIVE_WORDS = """
    number amount part percentage proportion majority minority group way ways time times term terms thing things one
    ones deal range run day days week weeks month months year years age degree level rate sense hand side scale
    business brother sister screen data bang apple house news town picture issue man men woman women
    generation country world york orleans zealand jersey mexico hampshire
"""
_NEEDS_ADJECTIVE: Final = frozenset(_NEEDS_ADJECTIVE_WORDS.split())
_LOOSE_ADVERBS_WORDS = """
    quickly swiftly suddenly immediately promptly slowly quietly loudly proudly happily sadly eagerly firmly strongly
    deeply greatly widely broadly closely carefully heavily severely badly seriously significantly substantially
    dramatically sharply steadily rapidly gradually repeatedly constantly continually consistently regularly
    effectively essentially fundamentally ultimately eventually finally actively openly publicly personally
    easily increasingly desperately hastily vigorously fiercely violently brutally bravely famously
"""
_LOOSE_ADVERBS: Final = frozenset(_LOOSE_ADVERBS_WORDS.split())
_HELD_APART: Final = frozenset(
    {"not", "n't", "as", "so", "too", "how", "more", "most", "less", "least", "very", "and", "or", ",", "that"}
)
_LONGEST_ASIDE: Final = 9
_NO_ASIDE: Final = re.compile(r"[\"“”();:–—]|--")


def find_modifier_edits(parse: Parse) -> list[Edit]:
    """All of these edits; they may overlap."""
    return [*_loose_adjectives(parse), *_loose_adverbs(parse), *_bracketed_asides(parse), *_swapped_phrases(parse)]


def _loose_adjectives(parse: Parse) -> Iterator[Edit]:
    """ "a small blue house" -> "a blue house"."""
    for node in parse.nodes[1:-1]:
        previous, following = parse.nodes[node.place - 1], parse.nodes[node.place + 1]
        head = parse.nodes[node.head]
        if (
            node.relation == "amod"
            and node.low in _LOOSE
            and node.text.islower()
            and head.tag in ("NN", "NNS")
            and node.place < head.place <= node.place + 4
            and head.low not in _NEEDS_ADJECTIVE
            and following.tag in ("NN", "NNS", "JJ")
            and previous.low not in _HELD_APART
            and previous.tag in ("DT", "PRP$", "POS", "JJ", "IN", "VBD", "VBZ", "VBP", "VBN", "VB", "VBG", "CD")
            and not parse.children(node)
            and parse.text[node.end : following.start] == " "
        ):
            yield Edit("dropped", node.start, following.start, (), 0.04)


def _loose_adverbs(parse: Parse) -> Iterator[Edit]:
    """ "has quickly grown" -> "has grown"."""
    for node in parse.nodes[1:-1]:
        previous, following = parse.nodes[node.place - 1], parse.nodes[node.place + 1]
        head = parse.nodes[node.head]
        if (
            node.tag == "RB"
            and node.relation == "advmod"
            and node.low in _LOOSE_ADVERBS
            and head.tag[:2] == "VB"
            and previous.low not in _HELD_APART
            and following.text not in ("and", "or", "than")
            and not parse.children(node)
            and parse.text[previous.end : node.start] == " "
        ):
            yield Edit("dropped", previous.end, node.end, (), 0.04)


def _bracketed_asides(parse: Parse) -> Iterator[Edit]:
    """ "Ann Lee, a professor in Rome, left" -> "Ann Lee (a professor in Rome) left"."""
    for node in parse.having("appos", "acl:relcl"):
        nodes = [token for token in parse.subtree(node) if token.text != ","]
        span = parse.span_of(nodes)
        if span is None or not 2 <= len(nodes) <= _LONGEST_ASIDE or _NO_ASIDE.search(parse.text[slice(*span)]):
            continue
        previous, following = parse.before(nodes[0]), parse.after(nodes[-1])
        if previous is None or previous.text != "," or following is None or following.text not in (",", "."):
            continue
        head = parse.nodes[node.head]
        last_name = last_of_name(parse, head)
        if head.tag[:2] != "NN" or previous.place != last_name.place + 1 or not _opens_aside(node, nodes):
            continue
        last = parse.after(following) if following.text == "," else None
        if last is not None and (last.tag == "CC" or last.text in ('"', "”")):
            continue
        start, end = last_name.end, following.end if following.text == "," else span[1]
        yield Edit("bracket", start, end, (" (", span, ")"), 0.03)


def _opens_aside(node: Node, nodes: list[Node]) -> bool:
    """An apposition that is a noun phrase of its own, or a clause with its own pronoun and verb."""
    if node.relation == "appos":
        return nodes[0].tag in ("DT", "NN", "JJ", "PRP$") and node.tag in ("NN", "NNS")
    return nodes[0].low in ("which", "who") and node.tag in ("VBD", "VBZ", "VBN", "VBP", "NN", "JJ")


def _swapped_phrases(parse: Parse) -> Iterator[Edit]:
    """ "the mayor and two doctors" -> "two doctors and the mayor": noun phrases that each say where they begin."""
    for node in parse.nodes[1:-1]:
        if node.low not in ("and", "or") or node.relation != "cc":
            continue
        right, first = parse.nodes[node.head], parse.nodes[parse.nodes[node.head].head]
        if right.relation != "conj" or len(parse.children(first, "conj")) != 1 or first.place > node.place:
            continue
        left_nodes = [token for token in parse.subtree(first) if token.place < node.place]
        right_nodes = [token for token in parse.subtree(right) if token.place > node.place]
        if not (_is_closed_phrase(left_nodes, first) and _is_closed_phrase(right_nodes, right)):
            continue
        left_span, right_span = parse.span_of(left_nodes), parse.span_of(right_nodes)
        outer, following = parse.before(left_nodes[0]), parse.after(right_nodes[-1])
        if (
            left_span is None
            or right_span is None
            or left_nodes[-1].place + 1 != node.place
            or left_nodes[0].place == 0
        ):
            continue
        if outer is None or outer.tag not in ("IN", "VBD", "VBZ", "VBP", "VB", "VBG", "VBN", "TO") or outer.low == "as":
            continue
        if following is None or (following.text != "." and following.tag not in ("VBD", "VBZ", "MD", "TO")):
            continue
        yield Edit("order", left_span[0], right_span[1], (right_span, f" {node.text} ", left_span), 0.04)


def _is_closed_phrase(nodes: list[Node], head: Node) -> bool:
    """A short phrase from its article or name to its noun; nothing of it could belong to the other one."""
    return (
        bool(nodes)
        and len(nodes) <= 5
        and nodes[-1] == head
        and head.tag[:2] == "NN"
        and (nodes[0].tag in ("DT", "CD", "PRP$") or all(token.tag == "NNP" for token in nodes))
        and all(token.tag in ("DT", "CD", "PRP$", "JJ", "NN", "NNS", "NNP", "NNPS", "POS") for token in nodes)
    )

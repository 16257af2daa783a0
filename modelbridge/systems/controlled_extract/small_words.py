"""Edits of conjunctions, prepositions, determiners, tenses of saying and commas that style leaves free."""

from collections.abc import Iterator
from typing import Final

from modelbridge.systems.controlled_extract.edits import Edit, swap_words
from modelbridge.systems.controlled_extract.parsing import Node, Parse

_MONTHS_WORDS = """
    January February March April May June July August September October November December
"""
_MONTHS: Final = frozenset(_MONTHS_WORDS.split())
_OPENINGS_WORDS = """
    In On At After Before During Since For
"""
_OPENINGS: Final = frozenset(_OPENINGS_WORDS.split())


def find_small_word_edits(parse: Parse) -> list[Edit]:
    """All of these edits; they may overlap."""
    return [
        *_saying_tenses(parse),
        *_prepositions(parse),
        *_determiners(parse),
        *_opening_commas(parse),
        *_clause_commas(parse),
        *_oxford_commas(parse),
        *_obligations(parse),
    ]


def _saying_tenses(parse: Parse) -> Iterator[Edit]:
    """ "says" -> "said"."""
    for node in parse.nodes[1:]:
        if (
            node.low in ("says", "say")
            and node.tag in ("VBZ", "VBP")
            and parse.children(node, "nsubj")
            and not any(child.low in ("n't", "not") or child.tag == "MD" for child in parse.children(node))
        ):
            yield swap_words("saying", node.start, node.end, "said", 0.02)


def _prepositions(parse: Parse) -> Iterator[Edit]:
    """ "by bombing" -> "through bombing"; "in April 2013" -> "in April of 2013"."""
    for node in parse.nodes[1:-2]:
        first = parse.nodes[node.place + 1]
        if node.low == "by" and first.tag == "VBG" and first.relation == "advcl":
            yield swap_words("preposition", node.start, node.end, "through", 0.05)
        elif node.text in _MONTHS and first.text[:2] in ("19", "20") and len(first.text) == 4 and first.text.isdigit():
            following = parse.nodes[first.place + 1]
            if following.text in (".", ",") or following.tag in ("VBD", "IN", "CC"):
                yield Edit("preposition", first.start, first.start, ("of ",), 0.02)


def _determiners(parse: Parse) -> Iterator[Edit]:
    """ "some people" -> "certain people"; "both A and B" -> "A and B"; "all the men" -> "all of the men"."""
    for node in parse.nodes[1:-1]:
        following = parse.nodes[node.place + 1]
        if node.low == "some" and node.relation == "det" and following.tag == "NNS":
            yield swap_words("determiner", node.start, node.end, "certain", 0.08)
        elif node.low == "both" and node.relation == "cc:preconj":
            yield Edit("determiner", node.start, following.start, (), 0.0)
        elif node.low == "all" and following.low in ("the", "his", "her", "their", "its", "these", "those"):
            yield Edit("determiner", following.start, following.start, ("of ",), 0.0)
        elif (
            node.low == "all"
            and following.low == "of"
            and parse.nodes[following.place + 1 :][:1]
            and parse.nodes[following.place + 1].low in ("the", "his", "her", "their", "its")
        ):
            yield Edit("determiner", following.start, following.end + 1, (), 0.0)


def _opening_commas(parse: Parse) -> Iterator[Edit]:
    """ "On Monday, X left" -> "On Monday X left", and the other way round: short openings do as they please."""
    first = parse.nodes[0]
    if first.text not in _OPENINGS or first.tag != "IN":
        return
    opening = parse.nodes[first.head]
    if opening.plain_relation != "obl" or opening.place > 4:
        return
    last = parse.subtree(opening)[-1]
    following = parse.after(last)
    if last.place != opening.place or following is None:
        return
    if following.text == ",":
        subject = parse.after(following)
        if subject is not None and subject.tag in ("DT", "PRP", "NNS", "PRP$"):
            yield Edit("comma", following.start, following.end, (), 0.03)
    elif following.tag in ("DT", "PRP", "PRP$", "NNP", "NNS"):
        yield Edit("comma", last.end, last.end, (",",), 0.0)


def _clause_commas(parse: Parse) -> Iterator[Edit]:
    """A comma before "and", "but" or "although" where a clause with its own subject follows."""
    for node in parse.nodes[3:-2]:
        previous = parse.nodes[node.place - 1]
        clause = parse.nodes[node.head]
        joins = node.relation == "cc" and clause.relation == "conj" and node.low in ("and", "but")
        opens = node.relation == "mark" and clause.relation == "advcl" and node.low in ("although", "though")
        if not (joins or opens) or previous.text in (",", ";", "--", '"', "”") or previous.tag == "RB":
            continue
        subject = next(iter(parse.children(clause, "nsubj", "nsubj:pass")), None)
        if subject is not None and node.place < subject.place < clause.place and _has_subject_before(parse, clause):
            yield Edit("comma", previous.end, previous.end, (",",), 0.0)


def _has_subject_before(parse: Parse, clause: Node) -> bool:
    head = parse.nodes[clause.head]
    return bool(parse.children(head, "nsubj", "nsubj:pass")) and head.relation in ("root", "conj", "ccomp")


def _oxford_commas(parse: Parse) -> Iterator[Edit]:
    """ "red, white, and blue" -> "red, white and blue"; the other way round in closed_class.py."""
    for node in parse.having("cc"):
        last = parse.nodes[node.head]
        first = parse.nodes[last.head]
        series, previous = parse.children(first, "conj"), parse.before(node)
        alike = len({first.tag, *(token.tag for token in series)}) == 1 and first.tag[:2] == "NN"
        if alike and len(series) >= 2 and series[-1] == last and previous is not None and previous.text == ",":
            yield Edit("comma", previous.start, previous.end, (), 0.0)


def _obligations(parse: Parse) -> Iterator[Edit]:
    """ "they have to go" -> "they must go"."""
    for node in parse.nodes[1:-2]:
        following, second, previous = (
            parse.nodes[node.place + 1],
            parse.nodes[node.place + 2],
            parse.nodes[node.place - 1],
        )
        if (
            node.low == "have"
            and node.tag == "VBP"
            and following.low == "to"
            and second.tag == "VB"
            and previous.tag in ("PRP", "NNS", "NNPS", "WDT", "WP")
        ):
            yield swap_words("verb", node.start, following.end, "must", 0.02)

"""Edits that keep every content word: titles behind names, adverbs behind objects, particles, "who were", "both"."""

from collections.abc import Iterator
from typing import Final

from modelbridge.systems.controlled_extract.edits import Edit, swap_words
from modelbridge.systems.controlled_extract.parsing import Node, Parse

# Titles that become a noun phrase with an article behind the name.
_ROLES_WORDS = """
    spokesman spokeswoman spokesperson director analyst professor officer reporter author actor actress singer
    photographer correspondent activist lawyer attorney journalist historian scientist researcher economist
    psychologist designer producer filmmaker writer novelist researcher expert critic lawmaker commentator
    comedian musician coach teacher doctor epidemiologist biologist engineer prosecutor investigator
"""
_ROLES: Final = frozenset(_ROLES_WORDS.split())
_MOVED_ADVERBS_WORDS = """
    immediately quickly repeatedly quietly carefully openly publicly secretly slowly suddenly briefly again
    successfully illegally regularly personally privately violently peacefully eagerly reluctantly directly
    initially recently frequently automatically temporarily permanently deliberately
"""
_MOVED_ADVERBS: Final = frozenset(_MOVED_ADVERBS_WORDS.split())
_WEEKDAYS: Final = frozenset({"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"})
_LONGEST_OBJECT: Final = 5
_CLOSERS: Final = frozenset({"VBD", "VBZ", "VBP", "MD"})


def find_reordering_edits(parse: Parse) -> list[Edit]:
    """All of these edits; they may overlap."""
    return [
        *_roles_behind_names(parse),
        *_adverbs_behind_objects(parse),
        *_particles(parse),
        *_at_least(parse),
        *_both(parse),
        *_full_relatives(parse),
        *_as_well_as(parse),
        *_swapped_lists(parse),
        *_bare_weekdays(parse),
        *_inverted_sayings(parse),
        *_semicolons(parse),
        *_years(parse),
    ]


def _roles_behind_names(parse: Parse) -> Iterator[Edit]:
    """ "company spokesman Tom Reuter said" -> "Tom Reuter, a company spokesman, said"."""
    for role in parse.nodes[:-2]:
        if role.low not in _ROLES or role.tag not in ("NN", "NNP"):
            continue
        names = _names_after(parse, role)
        if len(names) != 2:
            continue
        first = role
        while first.place and parse.nodes[first.place - 1].tag in ("NN", "NNP", "JJ") and role.place - first.place < 3:
            first = parse.nodes[first.place - 1]
        outer, following = parse.before(first), parse.after(names[-1])
        if (outer is not None and outer.tag not in ("IN", "VBD", ",")) or (outer is not None and outer.low == "of"):
            continue
        if following is None or (following.tag not in _CLOSERS and following.text != "."):
            continue
        span = first.start, role.end
        if "-" in parse.text[slice(*span)] or any(mark in parse.text[span[0] : names[-1].end] for mark in ',"“”('):
            continue
        low = parse.text[span[0]].lower() if first.place == 0 and first.tag != "NNP" else parse.text[span[0]]
        article = "an" if low.lower() in "aeio" else "a"
        end = "" if following.text == "." else ","
        pieces = ((names[0].start, names[-1].end), f", {article} {low}", (span[0] + 1, span[1]), end)
        yield Edit("apposition", span[0], names[-1].end, pieces, 0.03)


def _names_after(parse: Parse, node: Node) -> list[Node]:
    names = []
    for following in parse.nodes[node.place + 1 :]:
        if following.tag != "NNP":
            break
        names.append(following)
    return names


def _adverbs_behind_objects(parse: Parse) -> Iterator[Edit]:
    """ "police quickly closed the road" -> "police closed the road quickly"."""
    for adverb in parse.nodes[1:-2]:
        verb = parse.nodes[adverb.head]
        if (
            adverb.low not in _MOVED_ADVERBS
            or adverb.relation != "advmod"
            or verb.place != adverb.place + 1
            or verb.tag not in ("VBD", "VBZ", "VBP", "VB")
            or parse.children(adverb)
        ):
            continue
        objects = parse.children(verb, "obj")
        if len(objects) != 1 or parse.children(verb, "conj", "xcomp", "ccomp", "compound:prt", "iobj", "cc"):
            continue
        nodes = parse.subtree(objects[0])
        span, following = parse.span_of(nodes), parse.after(nodes[-1])
        short = span is not None and len(nodes) <= _LONGEST_OBJECT and nodes[0].place == verb.place + 1
        if span is None or not short or following is None or following.tag not in (".", ",", "IN"):
            continue
        pieces = ((verb.start, span[1]), " ", (adverb.start, adverb.end))
        yield Edit("order", adverb.start, span[1], pieces, 0.04)


def _particles(parse: Parse) -> Iterator[Edit]:
    """ "carried out the plan" -> "carried the plan out"."""
    for particle in parse.having("compound:prt"):
        verb = parse.nodes[particle.head]
        objects = parse.children(verb, "obj")
        if particle.place != verb.place + 1 or len(objects) != 1 or particle.low not in ("up", "out", "off", "down"):
            continue
        nodes = parse.subtree(objects[0])
        span = parse.span_of(nodes)
        if span is None or not 2 <= len(nodes) <= 3 or nodes[0].place != particle.place + 1 or nodes[0].tag != "DT":
            continue
        yield Edit("order", particle.start, span[1], (span, " ", (particle.start, particle.end)), 0.05)


def _at_least(parse: Parse) -> Iterator[Edit]:
    """ "at least 40 people" -> "40 people or more"."""
    for node in parse.nodes[:-4]:
        least, number, noun = parse.nodes[node.place + 1 : node.place + 4]
        if node.low != "at" or least.low != "least" or number.tag != "CD" or noun.tag != "NNS":
            continue
        following = parse.nodes[noun.place + 1]
        if not number.text[0].isdigit() or following.tag not in (*_CLOSERS, ".", "IN") or following.low == "of":
            continue
        pieces = ((number.start, noun.end), " or more")
        yield Edit("order", node.start, noun.end, pieces, 0.04)


def _both(parse: Parse) -> Iterator[Edit]:
    """ "the mayor and the council agreed" -> "both the mayor and the council agreed"."""
    for node in parse.having("cc"):
        second = parse.nodes[node.head]
        first = parse.nodes[second.head]
        if node.low != "and" or second.relation != "conj" or first.plain_relation not in ("obl", "obj", "nmod"):
            continue
        nodes = parse.subtree(first)
        if len(parse.children(first, "conj")) != 1 or first.tag != "NNP" or second.tag != "NNP" or len(nodes) > 8:
            continue
        inner = [token for token in nodes if token.relation != "case"]
        names = all(token.tag in ("NNP", "CC") for token in inner)
        previous = parse.before(inner[0])
        if (
            names
            and previous is not None
            and previous.low in ("in", "for", "from", "to", "by", "with")
            and len(inner) > 2
        ):
            if node.place in (inner[0].place, inner[-1].place) or parse.text[node.start - 2] == ",":
                continue
            yield Edit("both", inner[0].start, inner[0].start, ("both ",), 0.04)


def _full_relatives(parse: Parse) -> Iterator[Edit]:
    """ "people held in the camp" -> "people who were held in the camp"."""
    root = parse.root
    if root is None or root.tag not in ("VBD", "VBZ", "VBP"):
        return
    for clause in parse.having("acl"):
        noun = parse.nodes[clause.head]
        nodes = parse.subtree(clause)
        if (
            clause.tag != "VBN"
            or clause.relation != "acl"
            or noun.tag not in ("NN", "NNS")
            or nodes[0] != clause
            or clause.place != noun.place + 1
            or len(nodes) < 3
            or nodes[1].tag != "IN"
            or clause.low in ("based", "set", "given", "compared", "called", "named", "aged", "born")
            or parse.text[noun.end : clause.start] != " "
        ):
            continue
        verb = ("were" if noun.tag == "NNS" else "was") if root.tag == "VBD" else ("are" if noun.tag == "NNS" else "is")
        yield Edit("relative", clause.start, clause.start, (f"that {verb} ",), 0.05)


def _as_well_as(parse: Parse) -> Iterator[Edit]:
    """ "with doctors and nurses" -> "with doctors as well as nurses": two nouns that are no subject."""
    for node in parse.having("cc"):
        second = parse.nodes[node.head]
        first = parse.nodes[second.head]
        if (
            node.low == "and"
            and second.relation == "conj"
            and first.plain_relation in ("obj", "obl", "nmod")
            and first.tag in ("NN", "NNS")
            and second.tag in ("NN", "NNS")
            and len(parse.children(first, "conj")) == 1
            and parse.nodes[node.place - 1] == first
            and not any(
                token.low in ("between", "both", "-") for token in parse.nodes[max(0, first.place - 4) : node.place]
            )
            and second.place - node.place <= 3
            and not any(token.tag == "CC" for token in parse.nodes[second.place + 1 : second.place + 4])
        ):
            yield Edit("link", node.start, node.end, ("as well as",), 0.06)


def _swapped_lists(parse: Parse) -> Iterator[Edit]:
    """ "in Rome, Paris and Bonn" -> "in Paris, Rome and Bonn"."""
    for first in parse.nodes[1:-4]:
        comma, second = parse.nodes[first.place + 1 : first.place + 3]
        series = parse.children(first, "conj")
        if (
            len(series) >= 2
            and series[0] == second
            and comma.text == ","
            and first.tag == second.tag
            and first.tag in ("NN", "NNS", "NNP")
            and not any(
                parse.children(token, "compound", "amod", "nmod", "flat", "det", "acl") for token in (first, second)
            )
            and parse.nodes[first.place - 1].tag in ("IN", "VBD", "VBZ", "VBP", "VBG", "VB")
            and parse.nodes[second.place + 1].text in (",", "and", "or")
        ):
            yield Edit(
                "order", first.start, second.end, ((second.start, second.end), ", ", (first.start, first.end)), 0.04
            )


def _bare_weekdays(parse: Parse) -> Iterator[Edit]:
    """ "said on Monday" -> "said Monday"."""
    for node in parse.nodes[2:]:
        preposition, verb = parse.nodes[node.place - 1], parse.nodes[node.place - 2]
        following = parse.after(node)
        if (
            node.text in _WEEKDAYS
            and preposition.low == "on"
            and verb.tag in ("VBD", "NN", "NNS", "VBN")
            and (following is None or following.text in (".", ",") or following.tag == "IN")
        ):
            yield Edit("weekday", preposition.start, node.start, (), 0.03)


def _inverted_sayings(parse: Parse) -> Iterator[Edit]:
    """ "..., officials said." <-> "..., said officials."."""
    for verb in parse.nodes[3:]:
        subjects = parse.children(verb, "nsubj")
        if verb.low not in ("said", "says") or len(subjects) != 1 or subjects[0].tag[:2] != "NN":
            continue
        nodes = parse.subtree(subjects[0])
        span = parse.span_of(nodes)
        first, last = (nodes[0], verb) if nodes[0].place < verb.place else (verb, nodes[-1])
        previous, following = parse.before(first), parse.after(last)
        if (
            span is None
            or len(nodes) > 6
            or previous is None
            or previous.text not in (",", '"', "”")
            or previous.place < 3
        ):
            continue
        if following is not None and following.text not in (".", ","):
            continue
        if any(token.text == "," or token.tag in ("WP", "WDT", "CC", "IN") for token in nodes):
            continue
        if first == verb and nodes[0].place == verb.place + 1:
            yield Edit("saying", verb.start, span[1], (span, " ", (verb.start, verb.end)), 0.01)
        elif nodes[-1].place == verb.place - 1:
            yield Edit("saying", span[0], verb.end, ((verb.start, verb.end), " ", span), 0.03)


def _semicolons(parse: Parse) -> Iterator[Edit]:
    """ "It rained, and the river rose" -> "It rained; the river rose"."""
    for node in parse.having("cc"):
        verb = parse.nodes[node.head]
        first = parse.nodes[verb.head]
        comma, following = parse.before(node), parse.after(node)
        if (
            node.low == "and"
            and comma is not None
            and comma.text == ","
            and following is not None
            and verb.relation == "conj"
            and first.relation == "root"
            and len(parse.children(first, "conj")) == 1
            and parse.children(verb, "nsubj", "nsubj:pass")
            and parse.children(first, "nsubj", "nsubj:pass")
            and following.tag in ("DT", "NNP", "NNS", "PRP", "PRP$")
            and not any(token.tag in ("WP", "WDT") for token in parse.nodes[: node.place])
        ):
            yield Edit("link", comma.start, node.end, (";",), 0.05)


def _years(parse: Parse) -> Iterator[Edit]:
    """ "in 2013" -> "during 2013"."""
    for node in parse.nodes[1:-1]:
        year = parse.nodes[node.place + 1]
        if node.low == "in" and len(year.text) == 4 and year.text.isdigit() and year.text[:2] in ("18", "19", "20"):
            following = parse.after(year)
            if following is None or following.text in (".", ",") or following.tag in ("VBD", "IN", "CC"):
                yield swap_words("preposition", node.start, node.end, "during", 0.05)

"""Edits inside a clause: relative clauses, purposes, tenses, the places of adverbs and adjuncts, dashes."""

import itertools
import re
from collections.abc import Iterator
from typing import Final

from modelbridge.systems.controlled_extract.edits import Edit, swap_words
from modelbridge.systems.controlled_extract.inflecting import PARTICIPLES, PASTS
from modelbridge.systems.controlled_extract.moved_phrases import tells_time
from modelbridge.systems.controlled_extract.parsing import Node, Parse

_KEEPS_PERFECT_WORDS = """
    since for yet already ever never recently so always just long lately still before once twice often far
"""
_KEEPS_PERFECT: Final = frozenset(_KEEPS_PERFECT_WORDS.split())
_ASIDES: Final = re.compile(
    r", (?:however|of course|meanwhile|too|for example|for instance|in fact|indeed|though|then|instead),"
)
_DASHES: Final = re.compile(r" (?:--|–|—) ([^-–—]{3,80}?) (?:--|–|—) ")
_LAST_DASH: Final = re.compile(r" (?:--|–|—) (?=[^-–—]{3,100}$)")
_TOPIC_HEADS_WORDS = """
    report reports story stories book books article articles film films documentary question questions information
    details data concern concerns debate discussion discussions comment comments view views talk talks news
"""
_TOPIC_HEADS: Final = frozenset(_TOPIC_HEADS_WORDS.split())
_DONE_FOR_A_PURPOSE_WORDS = """
    came come comes went go goes traveled travels used use uses using took returned gathered rallied sent launched
    built created joined worked fought seized closed opened changed entered visited attended organized spent moved
    crossed raised hired formed signed stormed deployed launched raced rushed rode marched
"""
_DONE_FOR_A_PURPOSE: Final = frozenset(_DONE_FOR_A_PURPOSE_WORDS.split())
_BEFORE_INFINITIVE_WORDS = """
    order potential courage way ways time ability chance chances opportunity right rights power plan plans attempt
    attempts effort efforts decision need needs reason reasons money means authority desire willingness threat
    offer failure refusal promise ones one something anything nothing place room permission duty responsibility
"""
_BEFORE_INFINITIVE: Final = frozenset(_BEFORE_INFINITIVE_WORDS.split())
_FREE_PREPOSITIONS_WORDS = """
    in on at during after before near with outside inside
"""
_FREE_PREPOSITIONS: Final = frozenset(_FREE_PREPOSITIONS_WORDS.split())
_HEARERS_WORDS = """
    CNN reporters NBC CBS ABC BBC
"""
_HEARERS: Final = frozenset(_HEARERS_WORDS.split())


def find_clause_edits(parse: Parse) -> list[Edit]:
    """All of these edits; they may overlap."""
    return [
        *_relative_openings(parse),
        *_copular_relatives(parse),
        *_purposes(parse),
        *_perfects(parse),
        *_adjunct_orders(parse),
        *_asides(parse),
        *_topics(parse),
        *_periods(parse),
        *_hearers(parse),
        *_futures(parse),
        *_clause_links(parse),
        *_articles(parse),
        *_helpers_of_verbs(parse),
        *_remaining(parse),
    ]


def _relative_openings(parse: Parse) -> Iterator[Edit]:
    """ "the man he met" -> "the man that he met"."""
    for clause in parse.having("acl:relcl"):
        nodes, head = parse.subtree(clause), parse.nodes[clause.head]
        if (
            len(nodes) > 1
            and nodes[0].tag in ("PRP", "DT", "NNP")
            and nodes[0].place == head.place + 1
            and head.tag[:2] == "NN"
            and parse.children(clause, "nsubj")
            and parse.text[head.end : nodes[0].start] == " "
            and nodes[0].low != "that"
        ):
            yield Edit("relative", nodes[0].start, nodes[0].start, ("that ",), 0.0)


def _copular_relatives(parse: Parse) -> Iterator[Edit]:
    """ ", who is the head of X," -> ", the head of X,"."""
    for clause in parse.having("acl:relcl"):
        nodes = parse.subtree(clause)
        previous = parse.before(nodes[0])
        if (
            len(nodes) > 3
            and nodes[0].low in ("who", "which")
            and nodes[1].low in ("is", "was", "are", "were")
            and previous is not None
            and previous.text == ","
            and nodes[2].tag in ("DT", "VBN", "CD")
            and nodes[1].relation in ("cop", "aux:pass")
        ):
            yield Edit("relative", nodes[0].start, nodes[2].start, (), 0.02)


def _purposes(parse: Parse) -> Iterator[Edit]:
    """ "came to help" -> "came in order to help"."""
    for clause in parse.having("advcl"):
        marks = parse.children(clause, "mark")
        head = parse.nodes[clause.head]
        if (
            len(marks) == 1
            and marks[0].low == "to"
            and clause.tag == "VB"
            and head.tag[:2] == "VB"
            and head.place < clause.place
        ):
            previous = parse.before(marks[0])
            if (
                previous is not None
                and previous.low not in _BEFORE_INFINITIVE
                and previous.tag[:2] in ("NN", "PR")
                and previous.place != head.place
                and head.low in _DONE_FOR_A_PURPOSE
            ):
                yield Edit("purpose", marks[0].start, marks[0].start, ("in order ",), 0.04)


def _perfects(parse: Parse) -> Iterator[Edit]:
    """ "has been arrested" -> "was arrested", "have announced" -> "announced"; not where the time still runs."""
    if {node.low for node in parse.nodes} & _KEEPS_PERFECT:
        return
    for node in parse.nodes[:-2]:
        first, second = parse.nodes[node.place + 1], parse.nodes[node.place + 2]
        if node.low not in ("has", "have") or node.relation != "aux" or first.tag != "VBN":
            continue
        previous = parse.before(node)
        if previous is None or previous.tag in ("MD", "TO", "RB") or previous.low in ("not", "i", "we", "you"):
            continue
        if first.low == "been" and second.tag == "VBN":
            yield swap_words("tense", node.start, first.end, "was" if node.low == "has" else "were", 0.05)
        elif first.low != "been" and parse.nodes[node.head].place == first.place:
            past = _past_of_participle(first.low)
            if past:
                yield swap_words("tense", node.start, first.end, past, 0.05)


def _past_of_participle(participle: str) -> str:
    base = PARTICIPLES.get(participle)
    if base:
        return PASTS.get(base, "")
    return participle if participle.endswith("ed") else ""


def _adjunct_orders(parse: Parse) -> Iterator[Edit]:
    """ "left Libya on Tuesday in a boat" -> "left Libya in a boat on Tuesday"."""
    for verb in parse.nodes:
        if verb.tag[:2] != "VB":
            continue
        adjuncts = [
            node for node in parse.children(verb, "obl") if node.place > verb.place and node.relation != "obl:agent"
        ]
        for first, second in itertools.pairwise(adjuncts):
            left_span, right = parse.span(first), parse.span(second)
            opened = [parse.subtree(token)[0].tag for token in (first, second)]
            if left_span is None or right is None or left_span[1] + 1 != right[0] or opened != ["IN", "IN"]:
                continue
            following = next((node for node in parse.nodes if node.start >= right[1]), None)
            words = [len(parse.subtree(token)) for token in (first, second)]
            if not any(tells_time(parse.subtree(token)) for token in (first, second)):
                continue
            if any(parse.subtree(token)[0].low not in _FREE_PREPOSITIONS for token in (first, second)):
                continue
            if (
                max(words) <= 7
                and (following is None or following.text in (".", ","))
                and "," not in parse.text[left_span[0] : right[1]]
                and not any(mark in parse.text[left_span[0] : right[1]] for mark in '"“”')
            ):
                yield Edit("order", left_span[0], right[1], (right, " ", left_span), 0.05)


def _asides(parse: Parse) -> Iterator[Edit]:
    """ ", however," is left out; " -- X -- " becomes ", X,"."""
    for match in _ASIDES.finditer(parse.text):
        yield Edit("aside", *match.span(), (), 0.03)
    pair = False
    for match in _DASHES.finditer(parse.text):
        pair = True
        end = match.end(1)
        inside = [node for node in parse.nodes if match.start(1) <= node.start < end]
        if any(node.tag in ("VBD", "VBZ", "VBP", "MD") for node in inside) and inside[0].tag not in ("WP", "WDT"):
            continue
        if parse.text[end - 1] not in '."”,':
            yield Edit("dash", match.start(), match.end(), (", ", match.span(1), ", "), 0.0)
    last = None if pair else _LAST_DASH.search(parse.text)
    if last is not None and parse.text[last.start() - 1] not in ',."”':
        following = [node for node in parse.nodes if node.start >= last.end()]
        if not any(node.tag in ("VBD", "VBZ", "VBP", "MD") for node in following):
            yield swap_words("dash", *last.span(), ", ", 0.0)


def _topics(parse: Parse) -> Iterator[Edit]:
    """ "questions about X" -> "questions concerning X"; "countries like X" -> "countries such as X"."""
    for node in parse.having("case"):
        noun = parse.nodes[parse.nodes[node.head].head]
        if parse.nodes[node.head].plain_relation != "nmod" or noun.place != node.place - 1:
            continue
        if node.low in ("about", "on") and noun.low in _TOPIC_HEADS:
            yield swap_words("topic", node.start, node.end, "concerning" if node.low == "about" else "about", 0.05)
        elif node.low == "like" and noun.tag == "NNS" and parse.nodes[node.place + 1].low != "that":
            yield swap_words("topic", node.start, node.end, "such as", 0.0)


def _periods(parse: Parse) -> Iterator[Edit]:
    """ "in the past 10 days" -> "over the past 10 days"."""
    for node in parse.nodes[:-2]:
        following, second = parse.nodes[node.place + 1], parse.nodes[node.place + 2]
        if node.low != "in":
            continue
        if following.low == "the" and second.low in ("past", "last"):
            yield swap_words("period", node.start, node.end, "Over" if node.text[0].isupper() else "over", 0.02)


def _hearers(parse: Parse) -> Iterator[Edit]:
    """ "told CNN" -> "said to CNN"."""
    for node in parse.nodes[:-2]:
        hearer, second = parse.nodes[node.place + 1], parse.nodes[node.place + 2]
        if node.low == "told" and node.tag == "VBD" and hearer.text in _HEARERS and second.low in (".", ",", "that"):
            yield swap_words("hearer", node.start, node.end, "said to", 0.02)


def _futures(parse: Parse) -> Iterator[Edit]:
    """ "is going to take" -> "will take"."""
    for node in parse.nodes[1:-3]:
        words = [token.low for token in parse.nodes[node.place : node.place + 3]]
        if (
            words[0] in ("is", "are", "'s", "'re")
            and words[1:] == ["going", "to"]
            and parse.nodes[node.place + 3].tag == "VB"
        ):
            space = " " if words[0].startswith("'") else ""
            yield swap_words("auxiliary", node.start, parse.nodes[node.place + 2].end, f"{space}will", 0.0)


def _clause_links(parse: Parse) -> Iterator[Edit]:
    """ ", and the X did" -> ", while the X did"; ", but could not" -> ", yet could not"."""
    for node in parse.having("cc"):
        verb = parse.nodes[node.head]
        first = parse.nodes[verb.head]
        previous, following = parse.before(node), parse.after(node)
        if (
            verb.relation != "conj"
            or previous is None
            or previous.text != ","
            or following is None
            or verb.tag[:2] != "VB"
        ):
            continue
        if first.tag[:2] != "VB" or len(parse.children(first, "conj")) != 1:
            continue
        subject = next(iter(parse.children(verb, "nsubj", "nsubj:pass")), None)
        if (
            node.low == "and"
            and subject is not None
            and subject.place > node.place
            and following.tag in ("DT", "NNP", "NNS", "NN", "JJ")
        ):
            yield swap_words("link", node.start, node.end, "while", 0.06)
        elif node.low == "but":
            yield swap_words("link", node.start, node.end, "yet", 0.05)


def _articles(parse: Parse) -> Iterator[Edit]:
    """ "police said" -> "the police said"; "authorities" likewise."""
    for node in parse.nodes[:-1]:
        previous, following = parse.before(node), parse.after(node)
        if (
            node.low not in ("police", "authorities")
            or node.plain_relation not in ("nsubj", "obl", "obj")
            or following is None
        ):
            continue
        if (
            following.tag[:2] in ("NN", "CD", "PO")
            or following.text in ("-", "'s")
            or parse.children(node, "det", "amod", "compound", "nmod")
        ):
            continue
        if previous is None or node.text[0].isupper():
            if previous is None:
                new = "The police" if node.low == "police" else "The authorities"
                yield swap_words("article", node.start, node.end, new, 0.0)
        elif previous.tag[:2] not in ("NN", "JJ", "DT", "PR", "CC", "PO") and previous.text != "-":
            yield Edit("article", node.start, node.start, ("the ",), 0.0)


def _helpers_of_verbs(parse: Parse) -> Iterator[Edit]:
    """ "help reduce" -> "help to reduce"; "need to go" -> "have to go"; "was killed" -> "died"."""
    for node in parse.nodes[:-1]:
        following = parse.nodes[node.place + 1]
        if node.low in ("help", "helped", "helps") and node.tag[:2] == "VB" and following.tag == "VB":
            yield Edit("infinitive", following.start, following.start, ("to ",), 0.0)
        elif node.low in ("need", "needs", "needed") and following.low == "to" and node.tag in ("VBP", "VBZ", "VBD"):
            new = {"need": "have", "needs": "has", "needed": "had"}[node.low]
            yield swap_words("verb", node.start, node.end, new, 0.02)
        elif (
            node.low in ("was", "were")
            and following.low == "killed"
            and node.relation == "aux:pass"
            and not parse.children(following, "obl:agent")
            and "by" not in [token.low for token in parse.nodes[following.place :][:6]]
        ):
            yield swap_words("verb", node.start, following.end, "died", 0.04)


def _remaining(parse: Parse) -> Iterator[Edit]:
    """ "remains unclear" -> "is still unclear"; "another march" -> "a further march"; "one of the" -> "among the"."""
    for node in parse.nodes[:-2]:
        following = parse.nodes[node.place + 1]
        previous = parse.before(node)
        if (
            node.low in ("remains", "remained")
            and previous
            and previous.tag[:1] != "W"
            and previous.low != "still"
            and following.tag in ("JJ", "IN", "DT")
            and node.tag in ("VBZ", "VBD")
        ):
            plural = _has_plural_subject(parse, node)
            if node.low == "remains" or not plural:
                yield swap_words(
                    "verb", node.start, node.end, "is still" if node.low == "remains" else "was still", 0.03
                )
        elif node.low == "another" and following.tag == "NN" and node.relation == "det":
            yield swap_words(
                "article", node.start, node.end, "A further" if node.text[0].isupper() else "a further", 0.08
            )
        elif (
            node.low == "one"
            and following.low == "of"
            and node.relation == "root"
            and parse.nodes[node.place + 2].low == "the"
            and previous is not None
            and previous.low in ("is", "was")
        ):
            yield swap_words("verb", node.start, following.end, "among", 0.04)


def _has_plural_subject(parse: Parse, verb: Node) -> bool:
    subject = next(iter(parse.children(verb, "nsubj")), None)
    return subject is not None and (subject.tag in ("NNS", "NNPS") or bool(parse.children(subject, "conj")))

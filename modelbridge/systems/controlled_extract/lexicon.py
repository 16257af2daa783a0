"""Words and phrases that can stand for one another where their frame allows it. Data: lexicon.toml."""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from modelbridge.systems.controlled_extract.edits import Edit, swap_words
from modelbridge.systems.controlled_extract.inflecting import inflect_noun, inflect_verb
from modelbridge.systems.controlled_extract.parsing import Node, Parse

FILE = Path(__file__).with_name("lexicon.toml")
VERB_TAGS: Final = ("VB", "VBP", "VBZ", "VBD", "VBN", "VBG")
_AREAS_WORDS = """
    country state region nation world globe city area continent island province county
"""
_AREAS: Final = frozenset(_AREAS_WORDS.split())
_PERSONS: Final = frozenset({"him", "her", "them", "us", "people", "men", "women", "children", "residents", "someone"})
WORD_COST: Final = 0.10


@dataclass(frozen=True, slots=True)
class Pair:
    """old, new: lower-case words. tag: of the first old word, "" for any. frame: what must be there."""

    old: tuple[str, ...]
    new: str
    tag: str
    frame: str


@cache
def _load_pairs() -> Mapping[str, tuple[Pair, ...]]:
    """By the first old word; longer ones first."""
    tables = tomllib.loads(FILE.read_text(encoding="utf-8"))
    pairs = [
        *_read_inflected(tables["verbs"]["pairs"], VERB_TAGS, inflect_verb),
        *_read_inflected(tables["nouns"]["pairs"], ("NN", "NNS"), inflect_noun),
        *_read_words(tables["words"]["pairs"]),
        *(
            Pair(tuple(old.lower().split()), new, "", frame)
            for old, new, frame in _split_lines(tables["phrases"]["pairs"])
        ),
    ]
    by_first: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_first.setdefault(pair.old[0], []).append(pair)
    return {first: tuple(sorted(some, key=lambda pair: -len(pair.old))) for first, some in by_first.items()}


def _split_lines(block: str) -> Iterator[tuple[str, str, str]]:
    for line in block.strip().splitlines():
        pair, _, frame = line.partition("|")
        old, _, new = pair.partition(">")
        yield old.strip(), new.strip(), frame.strip()


def _read_inflected(block: str, tags: tuple[str, ...], inflect: Callable[[str, str], str]) -> Iterator[Pair]:
    """A pair for each form: the first word of a verb is inflected, the last of a noun."""
    verbs = tags is VERB_TAGS
    for old, new, frame in _split_lines(block):
        for tag in tags:
            yield Pair(
                tuple(_inflect(old, tag, inflect, verbs).split()), _inflect(new, tag, inflect, verbs), tag, frame
            )


def _inflect(text: str, tag: str, inflect: Callable[[str, str], str], verb: bool) -> str:
    if not verb:
        return inflect(text, tag)
    first, _, others = text.partition(" ")
    return f"{inflect(first, tag)} {others}".strip()


def _read_words(block: str) -> Iterator[Pair]:
    for old, new, frame in _split_lines(block):
        tag, _, word = old.partition(" ")
        yield Pair((word,), new, tag, frame)


def find_word_edits(parse: Parse, guarded: tuple[tuple[int, int], ...]) -> list[Edit]:
    """The first possible replacement at each place. guarded: spans that stay as they are (quotes, names)."""
    edits: list[Edit] = []
    for node in parse.nodes:
        edit = None if _is_guarded(node, guarded) else _edit_at(parse, node)
        if edit is not None:
            edits.append(edit)
    return edits


def _is_guarded(node: Node, guarded: tuple[tuple[int, int], ...]) -> bool:
    return any(start < node.end and node.start < end for start, end in guarded)


def _edit_at(parse: Parse, node: Node) -> Edit | None:
    for pair in _load_pairs().get(node.low, ()):
        nodes = parse.nodes[node.place : node.place + len(pair.old)]
        if tuple(token.low for token in nodes) != pair.old or (pair.tag and node.tag != pair.tag):
            continue
        if not _fits(parse, nodes, pair):
            continue
        new = pair.new[0].upper() + pair.new[1:] if node.text[0].isupper() else pair.new
        return swap_words("word", node.start, nodes[-1].end, new, WORD_COST)
    return None


def _fits(parse: Parse, nodes: tuple[Node, ...], pair: Pair) -> bool:
    first, last = nodes[0], nodes[-1]
    if any(node is not None and node.text in ("-", "–") for node in (parse.before(first), parse.after(last))):
        return False
    node_before = parse.before(first)
    if node_before is not None and node_before.low == "even" and first.low in ("though", "if"):
        return False
    if (
        pair.tag == "JJ"
        and node_before is not None
        and node_before.low in ("most", "more", "less", "least", "as", "so", "too")
    ):
        return False
    if pair.old[0] == "big" and _next_low(parse, last) in ("deal", "data", "time", "screen", "name", "brother"):
        return False
    if first.place and first.text[0].isupper() and first.tag[:2] in ("NN", "JJ"):
        return False
    if first.tag in ("NN", "NNS") and pair.tag == first.tag and not _is_lone_noun(parse, first):
        return False
    if any(node.tag in ("NNP", "NNPS") for node in nodes if pair.old[0] != "the"):
        return False
    unsure = first.tag == "VBN" and pair.tag == "VBN" and not parse.children(first, "aux")
    if unsure and (first.plain_relation != "acl" or not pair.new.split()[0].endswith("ed")):
        return False
    if first.tag in VERB_TAGS and pair.tag and len(nodes) == 1 and parse.children(first, "compound:prt"):
        return False
    if pair.frame == "phrase" or (pair.tag == "IN" and pair.frame == ""):
        return _opens_phrase(parse, first, last)
    if pair.tag == "RB" and " " in pair.new and _next_tag(parse, last)[:2] in ("VB", "JJ", "RB", "IN"):
        return False
    check = _FRAMES.get(pair.frame)
    return check is None or check(parse, first, last)


def _is_lone_noun(parse: Parse, node: Node) -> bool:
    following = parse.after(node)
    return node.plain_relation != "compound" and not (following and following.text in ("-", "'s", "'", "’s"))


def _opens_phrase(parse: Parse, first: Node, last: Node) -> bool:
    if first.low in ("after", "before", "following"):
        for node in parse.nodes[last.place + 1 : last.place + 9]:
            if node.tag in ("VBD", "VBZ", "VBP", "MD", "VBN"):
                return False
            if node.text == ",":
                break
    return first.plain_relation in ("case", "fixed") and _next_tag(parse, last).startswith(
        ("DT", "NN", "PRP", "CD", "JJ", "POS")
    )


def _next_tag(parse: Parse, node: Node) -> str:
    following = parse.after(node)
    return following.tag if following else ""


def _next_low(parse: Parse, node: Node) -> str:
    following = parse.after(node)
    return following.low if following else ""


def _has_object(parse: Parse, first: Node, last: Node) -> bool:
    """A noun phrase of its own right after the verb, and nothing that would make another verb of it."""
    objects = parse.children(first, "obj")
    return (
        len(objects) == 1
        and objects[0].tag[:2] in ("NN", "PR")
        and not parse.children(first, "compound:prt", "xcomp", "iobj", "expl", "ccomp")
        and _next_tag(parse, last)[:2] in ("DT", "NN", "PR", "JJ", "CD")
        and (last.place == first.place or not parse.children(first, "nsubj:pass"))
        and first.relation not in ("amod", "compound")
    )


def _takes_that(parse: Parse, first: Node, last: Node) -> bool:
    return _next_low(parse, last) == "that" and bool(parse.children(first, "ccomp"))


def _is_passive(parse: Parse, first: Node, last: Node) -> bool:
    return bool(parse.children(first, "aux:pass")) and first.tag == "VBN"


def _takes_person(parse: Parse, first: Node, last: Node) -> bool:
    """A person who is to do something: "urged him to ..."."""
    following = parse.after(last)
    to = [node for node in parse.nodes[last.place + 1 : last.place + 7] if node.low == "to" and node.tag == "TO"]
    return bool(to) and following is not None and following.tag[:2] in ("NN", "PR", "DT")


def _before_noun(parse: Parse, first: Node, last: Node) -> bool:
    return first.relation == "amod" and _next_tag(parse, last)[:2] in ("NN", "JJ")


_FRAMES: Final[Mapping[str, Callable[[Parse, Node, Node], bool]]] = {
    "to": lambda parse, first, last: _next_low(parse, last) == "to" and bool(parse.children(first, "xcomp")),
    "that": _takes_that,
    "object": _has_object,
    "passive": _is_passive,
    "person": _takes_person,
    "intransitive": lambda parse, first, last: _next_low(parse, last) != "to" and not parse.children(first, "obj"),
    "attribute": _before_noun,
    "predicate": lambda parse, first, last: first.relation != "amod" and bool(parse.children(first, "cop")),
    "number": lambda parse, first, last: _next_tag(parse, last) in ("CD", "$"),
    "numberplural": lambda parse, first, last: (
        _next_tag(parse, last) == "CD"
        and last.place + 2 < len(parse.nodes)
        and parse.nodes[last.place + 2].tag in ("NNS", "JJ")
    ),
    "plural": lambda parse, first, last: (
        _next_tag(parse, last) in ("NNS", "JJ")
        and not any(node.low in ("as", "so", "how", "too", "the", "many") for node in [parse.before(first)] if node)
    ),
    "singular": lambda parse, first, last: _next_tag(parse, last) == "NN",
    "clause": lambda parse, first, last: (
        first.relation in ("mark", "cc") and _opens_clause(parse, first) and not _follows_be(parse, first)
    ),
    "end": lambda parse, first, last: _next_low(parse, last) in ("", ".", ","),
    "base": lambda parse, first, last: _next_tag(parse, last) == "VB" and first.relation in ("aux", "root", "fixed"),
    "place": lambda parse, first, last: _has_object(parse, first, last) and _next_tag(parse, last) == "NNP",
    "hearer": lambda parse, first, last: (
        bool(parse.children(first, "ccomp"))
        and bool(parse.children(first, "obj", "iobj"))
        and any(node.low == "that" for node in parse.nodes[last.place + 2 : last.place + 5])
    ),
    "list": lambda parse, first, last: (
        first.relation == "case"
        and (before := parse.before(first)) is not None
        and before.text == ","
        and parse.nodes[before.place - 1].tag == "NNS"
        and _next_tag(parse, last) not in ("CD", "IN", "RB", "JJS")
    ),
    "asked": lambda parse, first, last: first.relation == "mark" and parse.nodes[first.head].relation == "ccomp",
    "period": lambda parse, first, last: any(
        node.low in ("past", "last", "next", "coming", "weekend", "summer")
        for node in parse.nodes[last.place + 1 :][:2]
    ),
    "verbal": lambda parse, first, last: _next_tag(parse, last) in ("VBG", "VBN", "JJ"),
    "preverb": lambda parse, first, last: _next_tag(parse, last) == "VBD" and first.place > 0,
    "area": lambda parse, first, last: any(node.low in _AREAS for node in parse.nodes[last.place + 1 : last.place + 4]),
}


def _follows_be(parse: Parse, first: Node) -> bool:
    node_before = parse.before(first)
    return node_before is not None and node_before.low in (
        "is",
        "was",
        "are",
        "were",
        "be",
        "been",
        "'s",
        "not",
        "n't",
        "just",
        "only",
    )


def _opens_clause(parse: Parse, first: Node) -> bool:
    """Whether the conjunction's clause has a subject of its own and begins with it."""
    clause = parse.nodes[first.head]
    following = parse.after(first)
    return (
        bool(parse.children(clause, "nsubj"))
        and following is not None
        and following.tag[:2] in ("DT", "NN", "PR", "EX")
    )

"""Edits inside noun phrases: possessives, names of nations, coordinations, appositions, ages, titles, first names."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from modelbridge.systems.controlled_extract.edits import Edit, Piece
from modelbridge.systems.controlled_extract.parsing import Node, Parse

_NEVER_OWNED_WORDS = """
    number part lot kind sort type rest majority use lack series group piece pair amount set range result case one
    variety course way form sense bit couple dozen dozens hundreds thousands millions half all none some any many
    most much matter state city town month end level period risk hope amount source cause idea issue question fact
    word front top middle side back bottom edge heart center handful list feeling charge charges act acts crime
    allegations threat fear wave cup bottle glass line means point share rate rates sign signs area place time
    times day days year years out sum cost evidence proof loss array string host body sheet cut mix mixture team
    teams crowd member members head spirit power kinds types forms parts lots pieces
"""
_NEVER_OWNED: Final = frozenset(_NEVER_OWNED_WORDS.split())
_ENDS: Final = ("'s", "’s", "'", "’")
_NATION_PAIRS: Final = """
    Syrian/Syria Iraqi/Iraq Iranian/Iran French/France German/Germany Japanese/Japan Chinese/China Russian/Russia
    Israeli/Israel Egyptian/Egypt Turkish/Turkey Yemeni/Yemen Pakistani/Pakistan Afghan/Afghanistan Indian/India
    Australian/Australia Canadian/Canada Mexican/Mexico Italian/Italy Spanish/Spain Greek/Greece Swiss/Switzerland
    Swedish/Sweden Norwegian/Norway Danish/Denmark Dutch/Netherlands Polish/Poland Ukrainian/Ukraine Kenyan/Kenya
    Nigerian/Nigeria Libyan/Libya Tunisian/Tunisia Moroccan/Morocco Lebanese/Lebanon Jordanian/Jordan Cuban/Cuba
    Brazilian/Brazil Argentine/Argentina Chilean/Chile Colombian/Colombia Venezuelan/Venezuela Indonesian/Indonesia
    Malaysian/Malaysia Thai/Thailand Vietnamese/Vietnam Nepali/Nepal Nepalese/Nepal British/Britain Irish/Ireland
    Scottish/Scotland Belgian/Belgium Austrian/Austria Hungarian/Hungary Armenian/Armenia Somali/Somalia
    Ethiopian/Ethiopia Cypriot/Cyprus European/Europe African/Africa Portuguese/Portugal Finnish/Finland
"""
_NATIONS: Final = {old: new for pair in _NATION_PAIRS.split() for old, new in [pair.split("/")] if new != "Netherlands"}
_OF_NATION_WORDS = """
    government army military economy parliament president people coast border constitution navy capital leadership
    leader population foreign territory province city town regime opposition
"""
_OF_NATION: Final = frozenset(_OF_NATION_WORDS.split())
_IN_NATION_WORDS = """
    court village hospital prison city town province newspaper school university company official officials police
    media authorities soldiers troops security border
"""
_IN_NATION: Final = frozenset(_IN_NATION_WORDS.split())
_AGED: Final = re.compile(
    r"\b(\d{1,2})-year-old (man|woman|boy|girl|student|son|daughter|brother|sister|child|resident)(?=[ ,.])"
    r"(?! (?:hours|days|minutes|weeks|months|years)\b)"
)
_TITLES_WORDS = """
    president minister secretary sen rep gov senator governor mayor dr mr mrs ms prof professor spokesman
    spokeswoman chief officer commissioner director attorney general ambassador judge justice chairman sheriff
    detective lt capt sgt col gen king actor actress singer author reporter correspondent analyst coach pop
"""
_TITLES: Final = frozenset(_TITLES_WORDS.split())


def find_noun_phrase_edits(parse: Parse, surnames: Collection[str] = ()) -> list[Edit]:
    """All of these edits; they may overlap. surnames: names that the source also uses without a first name."""
    return [
        *_possessives(parse),
        *_of_phrases(parse),
        *_nations(parse),
        *_coordinations(parse),
        *_appositions(parse),
        *_ages(parse),
        *_titles(parse),
        *_first_names(parse, surnames),
    ]


def _possessives(parse: Parse) -> Iterator[Edit]:
    """ "Iran's nuclear program" -> "the nuclear program of Iran"; "Monday's vote" -> "the vote on Monday"."""
    for mark in parse.nodes[1:-1]:
        if mark.text not in _ENDS or mark.tag != "POS":
            continue
        owner = parse.nodes[mark.head] if parse.nodes[mark.head].place < mark.place else parse.nodes[mark.place - 1]
        owner_nodes = _owner_nodes(parse, mark)
        thing = _thing_nodes(parse, mark)
        if not owner_nodes or not thing or (owner_nodes[-1].place != owner.place and owner.place > mark.place):
            continue
        outer = parse.before(owner_nodes[0])
        if outer is not None and (
            outer.tag in ("NNP", "PRP$", "JJ", "NN", "CD", "POS", "DT", "NNPS", "CC") or outer.text in ("-", "&")
        ):
            continue
        head, owner_name = thing[-1], owner_nodes
        following = parse.after(head)
        if (
            head.tag == "NNS"
            and len(thing) > 1
            and following is not None
            and following.tag in ("IN", "DT", "PRP$", "TO")
        ):
            continue  # the last noun may be the verb
        if head.low in ("disease", "lymphoma", "syndrome", "law", "paradox", "day", "house"):
            continue
        if following is not None and (
            following.low in ("of", "'s", "-", "and", "or") or following.tag in ("NN", "NNS", "NNP", "POS")
        ):
            continue
        day = owner_name[0].text.endswith("day") and len(owner_name) == 1
        if day and following is not None and following.tag == "IN":
            continue
        start = owner_name[0].start
        article = "The " if start == 0 and parse.text[0].isupper() else "the "
        owner_pieces: list[Piece] = [(start, owner_name[-1].end)]
        if start == 0 and owner_name[0].tag == "DT":
            owner_pieces = [parse.text[0].lower(), (1, owner_name[-1].end)]
        pieces = (article, (thing[0].start, head.end), " on " if day else " of ", *owner_pieces)
        yield Edit(
            "possessive", start, head.end, pieces, 0.05 if owner_name[0].tag != "DT" or len(thing) == 1 else 0.08
        )


def _owner_nodes(parse: Parse, mark: Node) -> list[Node]:
    """The owner before "'s": a name, or an article with one or two nouns."""
    place = mark.place
    while place and parse.nodes[place - 1].tag in ("NNP", "NNPS") and mark.place - place < 4:
        place -= 1
    if place < mark.place:
        first = parse.nodes[place]
        return [] if first.text[0].islower() or mark.place - place > 3 else list(parse.nodes[place : mark.place])
    while place and parse.nodes[place - 1].tag in ("NN", "NNS", "JJ") and mark.place - place < 3:
        place -= 1
    if place == mark.place or not place or parse.nodes[place - 1].low != "the":
        return []
    return list(parse.nodes[place - 1 : mark.place])


def _thing_nodes(parse: Parse, mark: Node) -> list[Node]:
    """What is owned: up to three common words that end in a noun."""
    nodes: list[Node] = []
    for node in parse.nodes[mark.place + 1 : mark.place + 5]:
        if node.tag not in ("NN", "NNS", "JJ", "VBN") or node.low in (
            "own",
            "first",
            "last",
            "next",
            "worst",
            "best",
            "most",
        ):
            break
        nodes.append(node)
    return nodes if nodes and len(nodes) <= 3 and nodes[-1].tag in ("NN", "NNS") else []


def _of_phrases(parse: Parse) -> Iterator[Edit]:
    """ "the president of Iran" -> "Iran's president"; "the roof of the house" -> "the house's roof"."""
    for node in parse.nodes[1:-2]:
        article, preposition = parse.nodes[node.place - 1], parse.nodes[node.place + 1]
        if node.tag not in ("NN", "NNS") or article.low != "the" or preposition.low != "of" or node.low in _NEVER_OWNED:
            continue
        owner = _owner_after(parse, preposition)
        if not owner or owner[-1].text.endswith("s") or node.low.endswith(("ing", "tion")):
            continue
        start = article.start
        is_named = owner[0].tag != "DT"
        pieces: list[Piece] = [(owner[0].start, owner[-1].end)]
        if start == 0 and not is_named:
            pieces = ["T", (owner[0].start + 1, owner[-1].end)]
        yield Edit(
            "possessive", start, owner[-1].end, (*pieces, "'s ", (node.start, node.end)), 0.04 if is_named else 0.07
        )


def _owner_after(parse: Parse, preposition: Node) -> list[Node]:
    """A name or "the" with one noun, and nothing after it that belongs to it."""
    nodes = parse.nodes[preposition.place + 1 :]
    size = 0
    while size < len(nodes) and nodes[size].tag == "NNP" and size < 4:
        size += 1
    if size == 0 and len(nodes) > 1 and nodes[0].low == "the" and nodes[1].tag == "NN":
        size = 2
    following = nodes[size] if size < len(nodes) else None
    closed = following is None or following.tag in ("VBD", "VBZ", "VBP", "MD", ".", "TO")
    return list(nodes[:size]) if 0 < size < 4 and closed else []


def _nations(parse: Parse) -> Iterator[Edit]:
    """ "the Syrian army" -> "Syria's army", "a Japanese court" -> "a court in Japan"."""
    for node in parse.nodes[:-1]:
        nation, noun, previous = _NATIONS.get(node.text), parse.nodes[node.place + 1], parse.before(node)
        following = parse.after(noun)
        if nation is None or noun.tag not in ("NN", "NNS") or not noun.text.islower() or node.tag not in ("JJ", "NNP"):
            continue
        if following is not None and (
            following.tag in ("NN", "NNS", "NNP", "POS", "HYPH", "CC", "IN") or following.text == "-"
        ):
            continue
        if previous is not None and previous.low == "the" and noun.low in _OF_NATION:
            yield Edit("nation", previous.start, noun.end, (nation, "'s ", (noun.start, noun.end)), 0.03)
        elif previous is not None and noun.low in _IN_NATION and previous.tag not in ("NNP", "HYPH", "CC", "NN"):
            yield Edit("nation", node.start, noun.end, ((noun.start, noun.end), f" in {nation}"), 0.04)


def _coordinations(parse: Parse) -> Iterator[Edit]:
    """ "Iraq and Syria" -> "Syria and Iraq": two nouns of one kind that nothing else depends on."""
    for node in parse.nodes[1:-1]:
        if node.low not in ("and", "or") or node.tag != "CC":
            continue
        left_run, right_run = _noun_run(parse, node.place - 1, -1), _noun_run(parse, node.place + 1, 1)
        if (
            not left_run
            or not right_run
            or len(left_run) != len(right_run)
            or {token.tag for token in left_run} != {token.tag for token in right_run}
        ):
            continue
        outer, following = parse.before(left_run[0]), parse.after(right_run[-1])
        if outer is None or outer.tag in (
            "JJ",
            "JJR",
            "JJS",
            "CD",
            "POS",
            "PRP$",
            "DT",
            "VBN",
            "VBG",
            "CC",
            "HYPH",
            "NN",
        ):
            continue
        if outer.text in ("-", "&", ",") or outer.low in ("between", "both", "either") or len(left_run) > 2:
            continue
        if following is not None and following.tag not in ("VBD", "VBP", "MD", ".", "VBZ"):
            continue
        pieces: tuple[Piece, ...] = (
            (right_run[0].start, right_run[-1].end),
            f" {node.text} ",
            (left_run[0].start, left_run[-1].end),
        )
        yield Edit("order", left_run[0].start, right_run[-1].end, pieces, 0.04)


def _noun_run(parse: Parse, place: int, step: int) -> list[Node]:
    """The run of nouns of one tag from a place on, outward."""
    nodes: list[Node] = []
    while 0 <= place < len(parse.nodes) and parse.nodes[place].tag in ("NN", "NNS", "NNP"):
        if nodes and parse.nodes[place].tag != nodes[0].tag:
            return []
        nodes.append(parse.nodes[place])
        place += step
    return nodes if step > 0 else nodes[::-1]


def _appositions(parse: Parse) -> Iterator[Edit]:
    """ "Ann Lee, a professor in Rome, left" -> "A professor in Rome, Ann Lee, left"."""
    for node in parse.having("appos"):
        name = parse.nodes[node.head]
        nodes = parse.subtree(node)
        inner = [token for token in nodes if token.text != ","]
        span = parse.span_of(inner)
        place = name.place
        while place and parse.nodes[place - 1].tag == "NNP":
            place -= 1
        first = parse.nodes[place]
        outer = parse.before(first)
        if span is None or name.tag != "NNP" or inner[0].tag != "DT" or name.place - place > 3 or len(inner) > 9:
            continue
        previous, following = parse.before(inner[0]), parse.after(inner[-1])
        last = last_of_name(parse, name)
        if (
            previous is None
            or following is None
            or previous.text != ","
            or following.text != ","
            or previous.place != last.place + 1
        ):
            continue
        if outer is not None and outer.tag not in (",", "IN", "CC", "VBD"):
            continue
        pieces: list[Piece] = [span, ", ", (first.start, last.end)]
        if first.start == 0:
            pieces = [parse.text[span[0]].upper(), (span[0] + 1, span[1]), *pieces[1:]]
        yield Edit("apposition", first.start, inner[-1].end, tuple(pieces), 0.04)


def last_of_name(parse: Parse, head: Node) -> Node:
    """The last word of the name that a word begins: its surname."""
    while head.tag == "NNP" and (following := parse.after(head)) is not None and following.tag == "NNP":
        head = following
    return head


def _ages(parse: Parse) -> Iterator[Edit]:
    """ "Ann Smith, 30, said" -> "30-year-old Ann Smith said"; "a 30-year-old man" -> "a man aged 30"."""
    for match in _AGED.finditer(parse.text):
        yield Edit("age", match.start(), match.end(), (match.span(2), " aged ", match.span(1)), 0.02)
    nodes = parse.nodes
    for node in nodes[2:-1]:
        comma, following = nodes[node.place - 1], nodes[node.place + 1]
        if node.tag != "CD" or not re.fullmatch(r"\d\d", node.text) or comma.text != "," or following.text != ",":
            continue
        name = _noun_run(parse, comma.place - 1, -1)
        outer = parse.before(name[0]) if name else None
        plain = outer is None or (outer.tag[:2] not in ("NN", "JJ", "DT", "CC") and outer.text != ",")
        if name and len(name) in (2, 3) and name[0].tag == "NNP" and plain:
            pieces: tuple[Piece, ...] = ((node.start, node.end), "-year-old ", (name[0].start, name[-1].end))
            second = parse.after(following)
            end = node.end if second is not None and second.tag in ("DT", "NN", "JJ", "WP", "NNP") else following.end
            yield Edit("age", name[0].start, end, pieces, 0.0)


def _titles(parse: Parse) -> Iterator[Edit]:
    """ "French President Francois Hollande" -> "Francois Hollande": the name alone says who it is."""
    nodes = parse.nodes
    for node in nodes[:-2]:
        first, second = nodes[node.place + 1], nodes[node.place + 2]
        if node.low.rstrip(".") not in _TITLES or first.tag != "NNP" or second.tag != "NNP":
            continue
        if first.low.rstrip(".") in _TITLES or parse.text[node.end : first.start] != " ":
            continue
        place = node.place
        while place and nodes[place - 1].tag in ("NN", "NNP", "JJ") and place > node.place - 4:
            place -= 1
        outer = nodes[place - 1] if place else None
        if outer is None or outer.tag not in ("IN", "VBD", "VBZ", ",", "TO") or outer.low in ("of", "as"):
            continue
        yield Edit("title", nodes[place].start, first.start, (), 0.06)


def _first_names(parse: Parse, surnames: Collection[str]) -> Iterator[Edit]:
    """ "Hillary Clinton" -> "Clinton", where the source calls her so, too."""
    for node in parse.nodes[:-1]:
        surname, outer = parse.nodes[node.place + 1], parse.before(node)
        if node.tag != "NNP" or f"{node.text} {surname.text}" not in surnames:
            continue
        if outer is None or outer.tag not in ("NNP", "CD", "HYPH") or outer.low.rstrip(".") in _TITLES:
            yield Edit("surname", node.start, surname.start, (), 0.03)


def find_surnames(texts: Sequence[str]) -> frozenset[str]:
    """ "First Last" of each person whom the source also calls "Last" alone as a subject or owner."""
    joined = " ".join(texts)
    alone = {
        match[1]
        for match in re.finditer(
            r"(?:^|[.,;:\"“”!?)] |\b[a-z]+ )([A-Z][a-z]{2,})(?= (?:said|says|was|is|has|had|told|also|added|did)\b)",
            joined,
        )
    }
    full = re.findall(r"\b[a-z]+ ([A-Z][a-z]+) ([A-Z][a-z]{2,})\b(?! [A-Z])", joined)
    lasts: dict[str, set[str]] = {}
    for first, last in full:
        if last in alone and first not in _NOT_FIRST:
            lasts.setdefault(last, set()).add(first)
    return frozenset(f"{next(iter(firsts))} {last}" for last, firsts in lasts.items() if len(firsts) == 1)


_NOT_FIRST_WORDS = """
    The A An In On At North South East West New San Los Saint Mount Lake President King
"""
_NOT_FIRST: Final = frozenset(_NOT_FIRST_WORDS.split())

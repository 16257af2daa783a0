"""Words of the four classes that the rules change, with what their conditions and filters need to know of them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

CLASSES: Final = ("N", "P", "V", "A")
"""Noun, preposition, verb, adjective."""
CLASS_OF_TAG: Final = {
    **dict.fromkeys(("NN", "NNS", "NNP"), "N"),
    "IN": "P",
    **dict.fromkeys(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"), "V"),
    **dict.fromkeys(("JJ", "JJR", "JJS"), "A"),
}
WINDOW: Final = 2
"""Words to the left and to the right that are a word's context."""
GOLD_WORDS: Final = 100
SOURCE_WORDS: Final = 400
COMMON, PROPER = "common", "proper"
_RUN = re.compile(r"\S+")
_HYPHENS = frozenset("-‐‑–/")


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a parsed text. tag: Penn. relation, head_relation: Universal Dependencies of itself and of its head.
    determiner: whether it is the determiner of the token right after it."""

    text: str
    start: int
    end: int
    tag: str
    relation: str = ""
    head_relation: str = ""
    begins_sentence: bool = False
    determiner: bool = False

    @property
    def is_word(self) -> bool:
        return any(map(str.isalnum, self.text))


@dataclass(frozen=True, slots=True)
class Word:
    """A word that a rule may change. group: only words of one class and group are exchanged. core: without determiner,
    in lower case. text: with it, in the case that it has within a sentence. context: the words round it, lower case.
    capital: whether its place asks for a capital letter. first, last: numbers of its tokens."""

    kind: str
    group: str
    core: str
    text: str
    tag: str
    start: int
    end: int
    segment: int
    context: frozenset[str]
    capital: bool
    first: int
    last: int

    @property
    def is_noun(self) -> bool:
        return self.kind == "N"

    @property
    def is_verb(self) -> bool:
        return self.kind == "V"


def cut_words(text: str, n: int) -> str:
    """The text up to its n-th white-space word."""
    for number, match in enumerate(_RUN.finditer(text), 1):
        if number == n:
            return text[: match.end()]
    return text


def cut_segments(segments: Sequence[str], n: int) -> list[str]:
    """The segments up to the n-th word of all."""
    cut_texts: list[str] = []
    for segment in segments:
        if n <= 0:
            break
        cut_texts.append(cut_words(segment, n))
        n -= len(cut_texts[-1].split())
    return cut_texts


def list_words(tokens: Sequence[Token], segment: int = 0) -> Iterator[Word]:
    """The words of the four classes, in order."""
    lows = [token.text.lower() if token.is_word else "" for token in tokens]
    plain = [position for position, low in enumerate(lows) if low]
    rank = {place: position for position, place in enumerate(plain)}
    for index, token in enumerate(tokens):
        kind = CLASS_OF_TAG.get(token.tag)
        if kind is None or index not in rank or _is_part_of_word(tokens, index):
            continue
        takes = token.tag == "NNP" and index > 0 and tokens[index - 1].determiner
        first = index - 1 if takes else index
        lead = tokens[first]
        text = lead.text + " " + token.text if takes else token.text
        yield Word(
            kind=kind,
            group=_find_group(token),
            core=lows[index],
            text=_lower_first(text) if lead.begins_sentence and lead.tag != "NNP" else text,
            tag=token.tag,
            start=lead.start,
            end=token.end,
            segment=segment,
            context=_read_context(lows, plain, rank[index], first),
            capital=lead.begins_sentence and lead.text[:1].isupper(),
            first=first,
            last=index,
        )


def _is_part_of_word(tokens: Sequence[Token], place: int) -> bool:
    """Whether it is written together with what is beside it: "do" and "n't", the parts of "well-known"."""
    token = tokens[place]
    previous = tokens[place - 1] if place else None
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if previous is not None and previous.end == token.start and (previous.is_word or previous.text in _HYPHENS):
        return True
    touches_next = following is not None and following.start == token.end
    return (
        touches_next
        and following is not None
        and following.tag != "POS"
        and (following.is_word or following.text in _HYPHENS)
    )


def _find_group(token: Token) -> str:
    if token.tag in ("NN", "NNS"):
        return COMMON
    if token.tag == "NNP":
        return PROPER
    return f"{token.relation}/{token.head_relation}" if token.tag == "IN" else ""


def _read_context(lows: list[str], plain: list[int], number: int, first: int) -> frozenset[str]:
    """Up to two words on either side, without the determiner that belongs to the word."""
    left_places = [place for place in plain[max(0, number - WINDOW - 1) : number] if place < first][-WINDOW:]
    return frozenset(lows[index] for index in (*left_places, *plain[number + 1 : number + 1 + WINDOW]))


def _lower_first(text: str) -> str:
    """Without the capital letter of a sentence's beginning; words in capitals stay."""
    word = text.split(" ", 1)[0]
    return text if len(word) > 1 and word.isupper() else text[:1].lower() + text[1:]


def place_word(text: str, place: Word) -> str:
    """The text of a word as it is written at another word's place."""
    return text[:1].upper() + text[1:] if place.capital else text

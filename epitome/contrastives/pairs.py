"""Pairs of words to exchange (gold rules) or to replace (source rules), and the filters that remove some of them.

Every pair that meets the conditions of its class is counted, and every one that a filter removes, by name.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from epitome.contrastives.edits import Edit
from epitome.contrastives.inflection import Inflector
from epitome.contrastives.words import Token, Word, place_word

PAIRS, SAME_WORD, USED_PAIR, PLAIN_LIST, SAME_CONTEXT = "pairs", "same word", "used pair", "plain list", "same context"
NO_FORM, DOUBLE, AS_GOLD, AVAILABLE, DRAWN = "no form", "double", "as gold", "available", "drawn"
STEPS: Final = (
    *(PAIRS, SAME_WORD, USED_PAIR, PLAIN_LIST, SAME_CONTEXT, NO_FORM, DOUBLE, AS_GOLD),
    *(AVAILABLE, DRAWN),
)
"""What is counted for each rule, in this order: pairs, those that each filter removes, those left and those drawn."""
FILTERS: Final = STEPS[1:-2]
SHARED_CONTEXT: Final = 0.65
"""With so large a share of the shorter context in common, the result is probably true."""
_JOINERS = frozenset({",", "and", "or"})


class Choice(NamedTuple):
    """One possible example: words put in places of the gold. origin: the word of the source, for source rules."""

    placed: tuple[tuple[Word, str], ...]
    origin: Word | None = None

    @property
    def group(self) -> str:
        return self.placed[0][0].group

    def build_edits(self, gold: str) -> tuple[Edit, ...]:
        return tuple(Edit(place.start, place.end, gold[place.start : place.end], now) for place, now in self.placed)


class Filters:
    """Counts of one rule, and the texts of a tuple that there are already (shared by its rules)."""

    def __init__(self, gold: str, seen: set[str], inflect: Inflector | None) -> None:
        self.gold, self.low_gold, self.seen, self.inflect = gold, gold.lower(), seen, inflect
        self.counts: Counter[str] = Counter()

    def admit(self, *placed: tuple[Word, str], origin: Word | None = None) -> Choice | None:
        """The choice that puts these words in these places, unless it changes nothing or exists already."""
        written = tuple([(place, place_word(text, place)) for place, text in placed])
        low = self._lower_text(written)
        if low is None:
            self.counts[AS_GOLD] += 1
            return None
        if low in self.seen:
            self.counts[DOUBLE] += 1
            return None
        self.seen.add(low)
        self.counts[AVAILABLE] += 1
        return Choice(written, origin)

    def _lower_text(self, written: tuple[tuple[Word, str], ...]) -> str | None:
        """The text in lower case; None where a place or the whole stays as it is."""
        gold, low_gold = self.gold, self.low_gold
        is_aligned = len(gold) == len(low_gold)  # some letters become two in lower case
        pieces, end = [], 0
        for place, now in written:
            low = now.lower()
            if low == gold[place.start : place.end].lower():
                return None
            pieces += [(low_gold if is_aligned else gold)[end : place.start], low]
            end = place.end
        text = "".join([*pieces, (low_gold if is_aligned else gold)[end:]])
        text = text if is_aligned else text.lower()
        return None if text == low_gold else text

    def inflect_for(self, word: Word, place: Word) -> str | None:
        """The word as it would be written in the other's place, None where it has no such form."""
        return word.text if self.inflect is None else self.inflect(word, place)


def list_gold_choices(words: Sequence[Word], tokens: Sequence[Token], filters: Filters) -> Iterator[Choice]:
    """Exchanges of two words of one class within the gold."""
    used: set[tuple[str, ...]] = set()
    counts = filters.counts
    for first, second in combinations(words, 2):
        if first.group != second.group:
            continue
        counts[PAIRS] += 1
        key = tuple(sorted((first.core, second.core)))
        if first.core == second.core:
            counts[SAME_WORD] += 1
        elif key in used:
            counts[USED_PAIR] += 1
        elif _are_in_plain_list(first, second, tokens):
            counts[PLAIN_LIST] += 1
        else:
            there, here = filters.inflect_for(first, second), filters.inflect_for(second, first)
            if there is None or here is None:
                counts[NO_FORM] += 1
                continue
            used.add(key)
            if (choice := filters.admit((first, here), (second, there))) is not None:
                yield choice


def _are_in_plain_list(one: Word, other: Word, tokens: Sequence[Token]) -> bool:
    """Whether only commas, "and", "or" and words of the same class are between: order in a list says nothing. Two
    words without anything between them are no list."""
    tags = _LIST_TAGS[one.kind]
    between = tokens[one.last + 1 : other.first]
    return any(token.text.lower() in _JOINERS for token in between) and all(
        token.text.lower() in _JOINERS or token.tag in tags or token.determiner for token in between
    )


_LIST_TAGS: Final = {
    "N": frozenset({"NN", "NNS", "NNP", "NNPS"}),
    "P": frozenset({"IN"}),
    "V": frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"}),
    "A": frozenset({"JJ", "JJR", "JJS"}),
}


def list_source_choices(places: Sequence[Word], source: Sequence[Word], filters: Filters) -> Iterator[Choice]:
    """Replacements of a word of the gold by a word of the source of the same class. A word that occurs several times in
    the source is one candidate; it is removed if it occurs in the gold's context in any of its places."""
    candidates = _collect_candidates(source)
    used: set[tuple[str, str]] = set()
    counts = filters.counts
    for place in places:
        for core, candidate in candidates[place.group].items():
            counts[PAIRS] += 1
            if core == place.core:
                counts[SAME_WORD] += 1
            elif (place.core, core) in used:
                counts[USED_PAIR] += 1
            elif candidate.stands_in_context_of(place):
                counts[SAME_CONTEXT] += 1
            else:
                word = candidate.occurrences[0]
                text = filters.inflect_for(word, place)
                if text is None:
                    counts[NO_FORM] += 1
                    continue
                used.add((place.core, core))
                if (choice := filters.admit((place, text), origin=word)) is not None:
                    yield choice


class _Candidate:
    """A word of the source: all its occurrences, and every word round them."""

    __slots__ = ("around", "occurrences")

    def __init__(self) -> None:
        self.occurrences: list[Word] = []
        self.around: set[str] = set()

    def stands_in_context_of(self, place: Word) -> bool:
        if place.context.isdisjoint(self.around):
            return False
        return any(have_same_context(place, word) for word in self.occurrences)


def _collect_candidates(source: Sequence[Word]) -> defaultdict[str, dict[str, _Candidate]]:
    """group -> core -> candidate, in the order of the source."""
    candidates: defaultdict[str, dict[str, _Candidate]] = defaultdict(dict)
    for word in source:
        candidate = candidates[word.group].setdefault(word.core, _Candidate())
        candidate.occurrences.append(word)
        candidate.around |= word.context
    return candidates


def have_same_context(one: Word, other: Word) -> bool:
    """Whether the words round both are the same for the most part."""
    if one.context.isdisjoint(other.context):
        return False
    shorter = min(len(one.context), len(other.context))
    return len(one.context & other.context) >= SHARED_CONTEXT * shorter

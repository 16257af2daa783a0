"""What a span of a summary adds to every measure, so that a search can sum instead of measuring again.

The sums equal the real measures except for effects across spans (n-grams over a border, a tag that depends on its
neighbours), so the finalists of the search are measured again with the real measures.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from epitome.measures import SourceIndex, Tagger
from epitome.measures.content_tokens import content_tokens
from epitome.measures.keywords import match_keywords
from epitome.measures.length import split_tokens
from epitome.measures.source import build_ngrams, plain_words
from epitome.measures.speaker import collect_chunk_tokens
from epitome.measures.stopwords import STOP_WORDS
from epitome.measures.syllables import count_syllables
from epitome.measures.topic import topic_words

_WEIGHTS = {"VBG": 0.3, "NN": 0.5, "CD": 0.6}
"""0.2 of any token and what specificity adds for its tag."""
_OTHER = 0.2
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Piece:
    """tokens, dense (numerator of specificity), content tokens, n-grams and those that
    occur in the source (2, 3), white-space words, and words as readability counts them with their syllables."""

    tokens: int = 0
    dense: float = 0.0
    content: int = 0
    pairs: int = 0
    pairs_in: int = 0
    triples: int = 0
    triples_in: int = 0
    words: int = 0
    plain: int = 0
    syllables: int = 0


class TokenWeights:
    """The weight of each token in specificity, by sentence, so that the result of a request does not depend on earlier
    requests."""

    def __init__(self, tagger: Tagger | None) -> None:
        self._tagger = tagger
        self._known: dict[int, dict[str, float]] = {}

    def learn(self, sentences: Mapping[int, str]) -> None:
        """Tag the sentences, by number, as specificity does: lower case, without stop words."""
        if self._tagger is None:
            return
        batch = [
            [low for low in map(str.lower, split_tokens(text)) if low not in STOP_WORDS] for text in sentences.values()
        ]
        for number, words, tags in zip(sentences, batch, self._tagger.tag(batch), strict=True):
            by_token = self._known.setdefault(number, {})
            for word, tag in zip(words, tags, strict=True):
                by_token.setdefault(word, _WEIGHTS.get(tag, _OTHER))

    def of(self, token: str, number: int) -> float:
        """The weight of a token in a variant of this sentence; estimated from its shape if the sentence lacks it."""
        known = self._known.get(number, {}).get(token)
        if known is not None:
            return known
        if not token[:1].isalnum():
            return _OTHER
        return 0.6 if token.isdigit() else 0.3 if token.endswith("ing") else 0.35


NO_SENTENCE = -1
"""The sentence number of words that belong to no sentence."""


class Pieces:
    """The pieces of one source; each text is measured once."""

    def __init__(self, index: SourceIndex, weights: TokenWeights) -> None:
        self.index, self.weights = index, weights
        self._kept: dict[tuple[str, int], tuple[Piece, tuple[str, ...]]] = {}

    def of(self, text: str, number: int) -> tuple[Piece, tuple[str, ...]]:
        """(the piece, its content tokens) of a variant of a sentence."""
        key = text, number
        if key not in self._kept:
            self._kept[key] = self._measured(text, number)
        return self._kept[key]

    def _measured(self, text: str, number: int) -> tuple[Piece, tuple[str, ...]]:
        low_tokens = list(map(str.lower, split_tokens(text)))
        words, plain = plain_words(text), _WORD.findall(text)
        pairs, triples = set(build_ngrams(words, 2)), set(build_ngrams(words, 3))
        content = tuple(content_tokens(text))
        piece = Piece(
            tokens=len(low_tokens),
            dense=sum(self.weights.of(token, number) for token in low_tokens if token not in STOP_WORDS),
            content=len(content),
            pairs=len(pairs),
            pairs_in=len(pairs & self.index.grams(2)),
            triples=len(triples),
            triples_in=len(triples & self.index.grams(3)),
            words=len(text.split()),
            plain=len(plain),
            syllables=sum(map(count_syllables, plain)),
        )
        return piece, content


@dataclass(frozen=True)
class RequestedTerms:
    """The topic words and keywords of one request as bits, and the words of its speakers."""

    topics: tuple[str, ...]
    keywords: tuple[str, ...]
    speakers: tuple[str, ...]
    index: SourceIndex

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(topic_words(self.topics))) if self.topics else ()

    @cached_property
    def said(self) -> frozenset[str]:
        return frozenset(collect_chunk_tokens(self.speakers, self.index)) if self.speakers else frozenset()

    @cached_property
    def bits(self) -> Mapping[int, str]:
        return dict(enumerate([*self.words, *self.keywords]))

    def mask(self, text: str) -> int:
        """Bit mask of the topic words and keywords that occur in a text, matched as their measures do."""
        low = text.lower()
        mask = sum(1 << place for place, word in enumerate(self.words) if word in low)
        if self.keywords:
            for position, is_present in enumerate(match_keywords(text, self.keywords), len(self.words)):
                mask |= int(is_present) << position
        return mask

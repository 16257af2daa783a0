"""What a stretch of a summary adds to every measure, so that a search can add up instead of measuring anew.

The sums equal the library's measures but for what happens across stretches (n-grams over a border, a tag that depends
on its neighbours), so the search's last candidates are measured by the library itself.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from annotation.measures import SourceIndex, Tagger
from annotation.measures.content import content_tokens
from annotation.measures.keywords import success
from annotation.measures.length import tokens
from annotation.measures.readability import syllables
from annotation.measures.source import grams, plain_words
from annotation.measures.speaker import said_in_chunks
from annotation.measures.stopwords import STOP_WORDS
from annotation.measures.topic import topic_words

_WEIGHTS = {"VBG": 0.3, "NN": 0.5, "CD": 0.6}
"""0.2 of any token and what specificity adds for its tag."""
_OTHER = 0.2
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Piece:
    """tokens, dense (numerator of specificity), content tokens and those the speakers said, n-grams and those that
    stand in the source (2, 3), white-space words, and words as readability counts them with their syllables."""

    tokens: int = 0
    dense: float = 0.0
    content: int = 0
    said: int = 0
    pairs: int = 0
    pairs_in: int = 0
    triples: int = 0
    triples_in: int = 0
    words: int = 0
    plain: int = 0
    syllables: int = 0


class Weights:
    """The part of each token in specificity, learnt from the source's sentences as they are used."""

    def __init__(self, tagger: Tagger | None) -> None:
        self._tagger = tagger
        self._known: dict[str, float] = {}

    def learn(self, texts: Sequence[str]) -> None:
        """Tag the sentences as specificity does: lower case, without stop words."""
        if self._tagger is None:
            return
        batch = [[low for low in map(str.lower, tokens(text)) if low not in STOP_WORDS] for text in texts]
        for words, tags in zip(batch, self._tagger.tag(batch), strict=True):
            for word, tag in zip(words, tags, strict=True):
                self._known.setdefault(word, _WEIGHTS.get(tag, _OTHER))

    def of(self, token: str) -> float:
        known = self._known.get(token)
        if known is not None:
            return known
        if not token[:1].isalnum():
            return _OTHER
        return 0.6 if token.isdigit() else 0.3 if token.endswith("ing") else 0.35


class Pieces:
    """The pieces of one source, each text measured once."""

    def __init__(self, index: SourceIndex, weights: Weights) -> None:
        self.index, self.weights = index, weights
        self._kept: dict[str, tuple[Piece, tuple[str, ...]]] = {}

    def of(self, text: str) -> tuple[Piece, tuple[str, ...]]:
        """(the piece without `said`, its content tokens)."""
        if text not in self._kept:
            self._kept[text] = self._measured(text)
        return self._kept[text]

    def _measured(self, text: str) -> tuple[Piece, tuple[str, ...]]:
        own = list(map(str.lower, tokens(text)))
        dense = sum(self.weights.of(token) for token in own if token not in STOP_WORDS)
        words = plain_words(text)
        pairs, triples = set(grams(words, 2)), set(grams(words, 3))
        content = tuple(content_tokens(text))
        piece = Piece(
            tokens=len(own),
            dense=dense,
            content=len(content),
            pairs=len(pairs),
            pairs_in=len(pairs & self.index.grams(2)),
            triples=len(triples),
            triples_in=len(triples & self.index.grams(3)),
            words=len(text.split()),
            plain=len(_WORD.findall(text)),
            syllables=sum(map(syllables, _WORD.findall(text))),
        )
        return piece, content


@dataclass(frozen=True)
class Asked:
    """Topic words and keywords as bits, and the speakers' words, of one request."""

    topics: tuple[str, ...]
    keywords: tuple[str, ...]
    speakers: tuple[str, ...]
    index: SourceIndex

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(topic_words(self.topics))) if self.topics else ()

    @cached_property
    def said(self) -> frozenset[str]:
        return frozenset(said_in_chunks(self.speakers, self.index)) if self.speakers else frozenset()

    @cached_property
    def bits(self) -> Mapping[int, str]:
        return dict(enumerate([*self.words, *self.keywords]))

    def mask(self, text: str) -> int:
        """Which of the topic words and keywords stand in a text, as the measures of both see it."""
        low = text.lower()
        mask = sum(1 << place for place, word in enumerate(self.words) if word in low)
        if self.keywords:
            for place, found in enumerate(success(text, self.keywords), len(self.words)):
                mask |= int(found) << place
        return mask

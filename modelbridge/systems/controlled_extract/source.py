"""One source, prepared once for all requests to it."""

from collections.abc import Mapping, Sequence
from typing import cast

from annotation.measures import Domain, SourceIndex, Tagger
from annotation.measures.topic import topic_words
from annotation.text.sentences import Segment
from modelbridge.systems.controlled_extract.pieces import Asked, Pieces, Weights
from modelbridge.systems.controlled_extract.relevance import Relevance, material_of, relevance_of
from modelbridge.systems.controlled_extract.search import Balance, Candidate, Problem
from modelbridge.systems.controlled_extract.sentences import Sentence
from modelbridge.systems.controlled_extract.tagging import tag_all
from modelbridge.systems.controlled_extract.targets import Models, costs_of
from modelbridge.systems.controlled_extract.variants import Variant, as_it_is, variants
from modelbridge.systems.controlled_extract.wanted import Wanted

CANDIDATES = 22
READABLE = 0.9
"""Flaw from which on a sentence is taken only where nothing better is left."""
FEWEST = 4


class PreparedSource:
    """Sentences, their forms and their measures, made when first needed and kept."""

    def __init__(
        self,
        segments: Sequence[Mapping[str, str]],
        domain: Domain,
        *,
        language: str,
        tagger: Tagger | None,
        models: Models,
    ) -> None:
        segments = [{key: _storable(text) for key, text in segment.items()} for segment in segments]
        self.material = material_of(segments, domain)
        self.index = SourceIndex(cast(list[Segment], segments), domain=domain)
        self._models = models
        self._english = language.lower().startswith("en")
        self.tagger = tagger if self._english else None
        self.pieces = Pieces(self.index, Weights(self.tagger))
        self._variants: dict[int, tuple[Variant, ...]] = {}

    def problem(self, wanted: Wanted, balance: Balance, *, in_words: bool) -> Problem:
        """What is to be searched for a request. candidates is empty for a source without a word."""
        relevance = relevance_of(self.material, [*wanted.topics, *wanted.keywords], wanted.speakers)
        asked = Asked(wanted.topics, wanted.keywords, wanted.speakers, self.index)
        chosen = self._chosen(relevance, asked)
        self._prepare(chosen)
        return Problem(
            candidates=tuple(self._candidates(chosen, relevance)),
            costs=costs_of(self.material, relevance, wanted, self._models),
            needs=tuple(self._needs(asked)),
            balance=balance,
            pieces=self.pieces,
            asked=asked,
            in_words=in_words,
        )

    def _chosen(self, relevance: Relevance, asked: Asked) -> list[Sentence]:
        """The sentences to choose from: the most relevant that read well, and for each wanted word one that has it."""
        sentences = self.material.sentences
        worth = {each.number: relevance.sentences[each.number] - 0.4 * each.flaw for each in sentences}
        ordered = sorted(sentences, key=lambda each: (-round(worth[each.number], 9), each.number))
        readable = [each for each in ordered if each.flaw < READABLE]
        chosen = readable[:CANDIDATES] if len(readable) >= FEWEST else ordered[:FEWEST]
        for bit in asked.bits:
            having = [each for each in readable if asked.mask(each.text) >> bit & 1]
            chosen += [each for each in having[:2] if each not in chosen]
        return sorted(chosen, key=lambda each: each.number)

    def _prepare(self, chosen: Sequence[Sentence]) -> None:
        new = [each for each in chosen if each.number not in self._variants]
        if not new:
            return
        self.pieces.weights.learn({each.number: each.text for each in new})
        for each, tokens in zip(new, tag_all([each.text for each in new], self.tagger), strict=True):
            self._variants[each.number] = tuple(variants(each, tokens, english=self._english))

    def _candidates(self, chosen: Sequence[Sentence], relevance: Relevance) -> list[Candidate]:
        """Their scores as shares of the best; what cannot be told as a sentence stays out, unless nothing can."""
        top = max((relevance.sentences[each.number] for each in chosen), default=0.0) or 1.0
        if not any(self._variants[each.number] for each in chosen):
            self._variants |= {each.number: (as_it_is(each),) for each in chosen}
        return [
            Candidate(
                number=each.number,
                score=round(relevance.sentences[each.number] / top, 9),
                flaw=each.flaw,
                leans=each.leans,
                stems=frozenset(self.material.sentence_stems[each.number]),
                variants=self._variants[each.number],
            )
            for each in chosen
            if self._variants[each.number]
        ]

    def _needs(self, asked: Asked) -> list[tuple[int, float]]:
        """The wanted words and what leaving one out costs: its share, less where the source hardly has it."""
        low = self.index.joined.lower()
        words = topic_words(asked.topics)
        found = []
        for place, word in enumerate(asked.words):
            often = low.count(word)
            likely = 0.0 if not often else 0.1 if often == 1 and self.material.dialogue else 1.0
            found.append((place, likely * words.count(word) / max(1, len(words))))
        keyword = 1.0 / max(1, len(asked.keywords))
        return found + [(place, keyword) for place in range(len(asked.words), len(asked.words) + len(asked.keywords))]


def _storable(text: str) -> str:
    """With a replacement character for each half of a pair, which no tagger takes."""
    return text.encode("utf-8", "replace").decode("utf-8")

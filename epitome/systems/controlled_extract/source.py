"""A source that is prepared once for all requests to it."""

from collections.abc import Mapping, Sequence
from typing import cast

from epitome.measures import Domain, SourceIndex, Tagger
from epitome.measures.topic import topic_words
from epitome.systems.controlled_extract.increments import Pieces, RequestedTerms, TokenWeights
from epitome.systems.controlled_extract.letter_case import Casing
from epitome.systems.controlled_extract.relevance import Relevance, material_of, relevance_of
from epitome.systems.controlled_extract.request_targets import RequestTargets
from epitome.systems.controlled_extract.search import Balance, Candidate, Problem
from epitome.systems.controlled_extract.sentences import Sentence
from epitome.systems.controlled_extract.tagging import tag_all
from epitome.systems.controlled_extract.targets import Models, costs_of
from epitome.systems.controlled_extract.variants import Variant, list_variants, unchanged_variant
from epitome.text.sentences import Segment

CANDIDATES = 22
READABLE = 0.9
"""Sentences with at least this flaw are only used if there are too few better ones."""
FEWEST = 4


class PreparedSource:
    """Sentences, their variants and their measures, computed on demand and cached."""

    def __init__(
        self,
        segments: Sequence[Mapping[str, str]],
        domain: Domain,
        *,
        language: str,
        tagger: Tagger | None,
        models: Models,
    ) -> None:
        segments = [{key: _make_storable(text) for key, text in segment.items()} for segment in segments]
        self.material = material_of(segments, domain)
        self.index = SourceIndex(cast(list[Segment], segments), domain=domain)
        self._models = models
        self._english = language.lower().startswith("en")
        self.tagger = tagger if self._english else None
        self._casing = Casing.of(self.material.texts)
        self.pieces = Pieces(self.index, TokenWeights(self.tagger))
        self._variants: dict[int, tuple[Variant, ...]] = {}

    def problem(self, targets: RequestTargets, balance: Balance, *, in_words: bool) -> Problem:
        """The search problem for a request. candidates is empty for a source without words."""
        relevance = relevance_of(self.material, [*targets.topics, *targets.keywords], targets.speakers)
        terms = RequestedTerms(targets.topics, targets.keywords, targets.speakers, self.index)
        chosen = self._chosen(relevance, terms)
        self._prepare(chosen)
        return Problem(
            candidates=tuple(self._candidates(chosen, relevance)),
            costs=costs_of(self.material, relevance, targets, self._models),
            needs=tuple(self._term_weights(terms)),
            balance=balance,
            pieces=self.pieces,
            terms=terms,
            in_words=in_words,
        )

    def _chosen(self, relevance: Relevance, terms: RequestedTerms) -> list[Sentence]:
        """The sentences to search: the most relevant readable ones, and up to two for each requested word."""
        sentences = self.material.sentences
        worth = {sentence.number: relevance.sentences[sentence.number] - 0.4 * sentence.flaw for sentence in sentences}
        ordered = sorted(sentences, key=lambda sentence: (-round(worth[sentence.number], 9), sentence.number))
        readable = [sentence for sentence in ordered if sentence.flaw < READABLE]
        chosen = readable[:CANDIDATES] if len(readable) >= FEWEST else ordered[:FEWEST]
        for bit in terms.bits:
            having = [sentence for sentence in readable if terms.mask(sentence.text) >> bit & 1]
            chosen += [sentence for sentence in having[:2] if sentence not in chosen]
        return sorted(chosen, key=lambda sentence: sentence.number)

    def _prepare(self, chosen: Sequence[Sentence]) -> None:
        new = [sentence for sentence in chosen if sentence.number not in self._variants]
        if not new:
            return
        self.pieces.weights.learn({sentence.number: sentence.text for sentence in new})
        tagged = tag_all([sentence.text for sentence in new], self.tagger)
        for sentence, tokens in zip(new, tagged, strict=True):
            variants = list_variants(sentence, tokens, english=self._english, casing=self._casing)
            self._variants[sentence.number] = tuple(variants)

    def _candidates(self, chosen: Sequence[Sentence], relevance: Relevance) -> list[Candidate]:
        """Candidates with scores relative to the best; sentences without variants are dropped, unless all are."""
        top = max((relevance.sentences[sentence.number] for sentence in chosen), default=0.0) or 1.0
        if not any(self._variants[sentence.number] for sentence in chosen):
            self._variants |= {sentence.number: (unchanged_variant(sentence),) for sentence in chosen}
        return [
            Candidate(
                number=sentence.number,
                score=round(relevance.sentences[sentence.number] / top, 9),
                flaw=sentence.flaw,
                leans=sentence.leans,
                stems=frozenset(self.material.sentence_stems[sentence.number]),
                variants=self._variants[sentence.number],
            )
            for sentence in chosen
            if self._variants[sentence.number]
        ]

    def _term_weights(self, terms: RequestedTerms) -> list[tuple[int, float]]:
        """The requested words with the cost of omitting each: its share, reduced if it is rare in the source."""
        low = self.index.joined.lower()
        words = topic_words(terms.topics)
        needs = []
        for index, word in enumerate(terms.words):
            often = low.count(word)
            likely = 0.0 if not often else 0.1 if often == 1 and self.material.dialogue else 1.0
            needs.append((index, likely * words.count(word) / max(1, len(words))))
        keyword = 1.0 / max(1, len(terms.keywords))
        return needs + [
            (position, keyword) for position in range(len(terms.words), len(terms.words) + len(terms.keywords))
        ]


def _make_storable(text: str) -> str:
    """The text with "?" for each unpaired surrogate, which taggers cannot handle."""
    return text.encode("utf-8", "replace").decode("utf-8")

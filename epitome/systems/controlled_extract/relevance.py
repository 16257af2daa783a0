"""The relevance of each sentence to the requested topics and speakers, and its centrality in the source."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from epitome.measures import Domain
from epitome.measures.stopwords import STOP_WORDS
from epitome.measures.topic import topic_words
from epitome.systems.controlled_extract.sentences import Sentence, source_sentences

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
REACH = {"dialogue": 3.0, "document": 1.0}
"""Over how many segments relevance spreads to neighbours."""
RELEVANT = 0.35
"""A segment counts as relevant from this share of the highest relevance."""


@lru_cache(maxsize=65536)
def stem_word(word: str) -> str:
    import snowballstemmer

    return str(snowballstemmer.stemmer("porter").stemWord(word))


def stems_of(text: str) -> list[str]:
    """The stems of the words that are not stop words."""
    return [stem_word(word) for word in _WORD.findall(text.lower()) if word not in STOP_WORDS and len(word) > 1]


@dataclass(frozen=True)
class Material:
    """The texts and sentences of a source, with the statistics needed for every request."""

    texts: tuple[str, ...]
    speakers: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    dialogue: bool

    @cached_property
    def words(self) -> tuple[int, ...]:
        return tuple(len(text.split()) for text in self.texts)

    @cached_property
    def stems(self) -> tuple[frozenset[str], ...]:
        """Of each segment."""
        return tuple(frozenset(stems_of(text)) for text in self.texts)

    @cached_property
    def sentence_stems(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(stems_of(sentence.text)) for sentence in self.sentences)

    @cached_property
    def rarity(self) -> Mapping[str, float]:
        """log(1 + segments / segments with the stem)."""
        counts = Counter(word_stem for stems in self.stems for word_stem in stems)
        return {word_stem: math.log(1 + len(self.texts) / count) for word_stem, count in sorted(counts.items())}

    @cached_property
    def central(self) -> tuple[float, ...]:
        """0 to 1 for each sentence: the mean weight of its stems, frequent in the source but not everywhere."""
        counts = Counter(word_stem for stems in self.sentence_stems for word_stem in stems)
        top = max(counts.values(), default=1)
        weight = {word_stem: math.log1p(count) / math.log1p(top) for word_stem, count in counts.items()}
        scores = []
        for stems in self.sentence_stems:
            stem_weights = [weight[word_stem] for word_stem in dict.fromkeys(stems)]
            scores.append(sum(stem_weights) / (len(stem_weights) + 2.0))
        highest = max(scores, default=0.0) or 1.0
        return tuple(round(value / highest, 9) for value in scores)


@dataclass(frozen=True)
class Relevance:
    """The relevance for one request. segments: 0 to 1 each, including neighbours; near: which are relevant (all without
    a topic).
    sentences: 0 to 1 each. words: the words of the relevant segments. hits: words of segments with a topic word."""

    segments: tuple[float, ...]
    near: tuple[bool, ...]
    sentences: tuple[float, ...]
    words: int
    hits: int
    all_hits: int
    spoken: int


def material_of(segments: Sequence[Mapping[str, str]], domain: Domain) -> Material:
    """The material of a source, shared by all requests to it."""
    return Material(
        texts=tuple(segment["text"] for segment in segments),
        speakers=tuple(segment["speaker"] for segment in segments),
        sentences=tuple(source_sentences(segments, domain)),
        dialogue=domain == "dialogue",
    )


def relevance_of(material: Material, topics: Sequence[str], speakers: Sequence[str]) -> Relevance:
    """The relevance of segments and sentences to a request; without topics and speakers
    all segments are equally relevant."""
    topic_weights = topic_stems(topics)
    is_named = [_is_requested_speaker(speaker, speakers) if speakers else False for speaker in material.speakers]
    shares = [_topic_share(stems, topic_weights, material.rarity) for stems in material.stems]
    spread = _spread_to_neighbours(shares, REACH["dialogue" if material.dialogue else "document"])
    if speakers and any(is_named):
        spread = [
            value * (1.0 if yes else 0.7) + (0.05 if yes else 0.0) for value, yes in zip(spread, is_named, strict=True)
        ]
    top = max(spread, default=0.0)
    if top <= 0:
        spread, near = [1.0] * len(spread), [True] * len(spread)
    else:
        spread = [value / top for value in spread]
        near = [value >= RELEVANT for value in spread]
    words = material.words
    return Relevance(
        segments=tuple(round(value, 9) for value in spread),
        near=tuple(near),
        sentences=tuple(
            _sentence_scores(material, spread, topic_weights, is_named if speakers and any(is_named) else None)
        ),
        words=sum(count for count, yes in zip(words, near, strict=True) if yes),
        hits=sum(count for count, share in zip(words, shares, strict=True) if share > 0),
        all_hits=sum(count for count, share in zip(words, shares, strict=True) if share > 0.6),
        spoken=sum(count for count, yes in zip(words, is_named, strict=True) if yes),
    )


def topic_stems(topics: Sequence[str]) -> dict[str, float]:
    """Stem -> 1 for each word of the topics that is no stop word (all words, if all are)."""
    words = [*topic_words(topics), *(word for topic in topics for word in _WORD.findall(topic.lower()))]
    content_words = [word for word in words if word not in STOP_WORDS] or words
    return {stem_word(word): 1.0 for word in content_words}


def _topic_share(stems: frozenset[str], topic_weights: Mapping[str, float], rarity: Mapping[str, float]) -> float:
    """The share of the topic words in a segment, weighted by rarity."""
    weights = {word_stem: rarity[word_stem] for word_stem in topic_weights if word_stem in rarity}
    total = sum(weights.values())
    return sum(weight for word_stem, weight in weights.items() if word_stem in stems) / total if total else 0.0


def _spread_to_neighbours(values: Sequence[float], reach: float) -> list[float]:
    """Each value plus a decaying share of its neighbours': two exponential passes, forward and backward."""
    decay = math.exp(-1 / reach)
    forth, back = list(values), list(values)
    for at in range(1, len(values)):
        forth[at] += decay * forth[at - 1]
    for at in range(len(values) - 2, -1, -1):
        back[at] += decay * back[at + 1]
    return [a + b - c for a, b, c in zip(forth, back, values, strict=True)]


def _sentence_scores(
    material: Material, spread: Sequence[float], topic_weights: Mapping[str, float], is_named: Sequence[bool] | None
) -> list[float]:
    """Scores from a sentence's topic words, those around it, its centrality, and in a document its position."""
    scores = []
    for sentence, stems, central in zip(material.sentences, material.sentence_stems, material.central, strict=True):
        around = spread[sentence.segment]
        if topic_weights:
            share = _topic_share(frozenset(stems), topic_weights, material.rarity)
            score = 0.45 * share + 0.35 * around + 0.2 * central
        else:
            early = 0.0 if material.dialogue else math.exp(-sentence.number / 6)
            score = 0.55 * central + 0.45 * early + (0.2 * around if is_named else 0.0)
        if is_named is not None and not is_named[sentence.segment]:
            score *= 0.75
        scores.append(round(score, 9))
    return scores


def _is_requested_speaker(speaker: str, speakers: Sequence[str]) -> bool:
    """Whether a turn's speaker is a requested one, compared by letters and digits only."""
    bare_name = _letters_and_digits(speaker)
    return bool(bare_name) and any(
        _letters_and_digits(requested)
        and (_letters_and_digits(requested) in bare_name or bare_name in _letters_and_digits(requested))
        for requested in speakers
    )


def _letters_and_digits(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))

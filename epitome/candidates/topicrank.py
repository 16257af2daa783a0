"""TopicRank: topics ranked by a random walk over a graph of topics.

After A. Bougouin, F. Boudin, B. Daille (2013), TopicRank: Graph-Based Topic Ranking for Keyphrase Extraction,
IJCNLP, 543-551. Where the paper leaves room (which phrases count, the stemmer, the order of ties) this follows what
the authors' own program does, so that the lists agree; it was rewritten from the paper.

1. Candidates: the longest runs of nouns, proper nouns and adjectives inside a segment; equal stems, one candidate.
2. Topics: average-linkage clusters of candidates by the Jaccard distance of their sets of stems.
3. Graph: every two topics joined, weight = sum over their mentions of 1 / distance in tokens.
4. Score: weighted PageRank. A topic is shown by the candidate that occurs first.
"""

import string
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from epitome.candidates.protocol import Segments, TopicCandidate
from epitome.candidates.reading import SearchFault, find_search_fault, tag_sources
from epitome.text.pipeline import pipeline_id

if TYPE_CHECKING:
    from spacy.language import Language

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

PARTS_OF_SPEECH = frozenset({"NOUN", "PROPN", "ADJ"})
SENTENCE_OPENERS = frozenset(".!?:…“”\"'«»‘’(—–-")
NOUNS_IN_CAPITALS = frozenset({"de", "lb"})
MAX_WORDS = 5
MIN_CHARACTERS = 3  # of a candidate, without spaces
MIN_WORD = 2
MAX_DISTANCE = 0.74  # topics share more than a quarter of their stems
DAMPING = 0.85
MAX_CANDIDATES = 4_000
"""Maximum number of distinct candidates per source, in order of appearance: clustering needs memory for every pair."""

# Snowball algorithms. English is the first Porter stemmer, as in the authors' program.
_STEMMERS = {
    "en": "porter", "da": "danish", "de": "german", "es": "spanish", "fi": "finnish", "fr": "french", "it": "italian",
    "nb": "norwegian", "nl": "dutch", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish",
}  # fmt: skip


@dataclass(slots=True)
class Phrase:
    """A candidate: its stems, the words of its first mention as they are shown, where its mentions start (tokens)."""

    stems: tuple[str, ...]
    words: tuple[str, ...]
    offsets: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TopicRank:
    """The extractor "topicrank", reading with a spaCy pipeline."""

    nlp: "Language"
    key: str = "topicrank"

    @property
    def version(self) -> str:
        return f"2 {pipeline_id(self.nlp)}"

    def find_fault(self, segments: Segments) -> SearchFault | None:
        return find_search_fault(self.nlp, segments)

    def extract(self, segments: Segments, n: int = 20) -> list[TopicCandidate]:
        return next(self.extract_many([segments], n))

    def extract_many(self, sources: Iterable[Segments], n: int = 20) -> Iterator[list[TopicCandidate]]:
        for doc in tag_sources(self.nlp, sources):
            yield self.rank(doc, n)

    def rank(self, doc: Any, n: int = 20) -> list[TopicCandidate]:
        """Topics of a spaCy Doc that has parts of speech and sentences (any Doc, not only our own)."""
        words, tags, starts = [], [], []
        for token in doc:
            words.append(token.text)
            tags.append(token.pos_)
            starts.append(token.is_sent_start)
        return rank_topics(
            words, tags, starts, n, stop_words=self.nlp.Defaults.stop_words, language=self.nlp.lang or "en"
        )


def rank_topics(
    words: Sequence[str],
    tags: Sequence[str],
    starts: Sequence[bool | None],
    n: int = 20,
    *,
    stop_words: Collection[str],
    language: str = "en",
) -> list[TopicCandidate]:
    """The best `n` topics of a tokenised text.

    words, tags (UPOS), starts (does a segment start here) have one entry per token.
    Equal scores: the topic that occurs first is the better.
    """
    phrases = find_phrases(words, tags, starts, stop_words, get_stemmer(language), language in NOUNS_IN_CAPITALS)
    if not phrases:
        return []
    topics = cluster_phrases(phrases)
    scores = random_walk(topic_weights(phrases, topics))
    members: list[list[Phrase]] = [[] for _ in scores]
    for phrase, topic in zip(phrases, topics, strict=True):
        members[topic].append(phrase)
    first_phrases = [min(group, key=lambda phrase: phrase.offsets[0]) for group in members]
    # Rounded, so that floating-point noise does not decide between equal scores.
    best = sorted(
        range(len(first_phrases)), key=lambda topic: (-round(float(scores[topic]), 10), first_phrases[topic].offsets[0])
    )[:n]
    return [
        TopicCandidate(
            text=" ".join(first_phrases[topic].words),
            score=float(scores[topic]),
            rank=rank,
            mentions=sum(len(phrase.offsets) for phrase in members[topic]),
        )
        for rank, topic in enumerate(best, start=1)
    ]


def find_phrases(
    words: Sequence[str],
    tags: Sequence[str],
    starts: Sequence[bool | None],
    stop_words: Collection[str],
    stem: Callable[[str], str],
    keeps_capitals: bool = False,
) -> list[Phrase]:
    """The candidates of a text, sorted by their stems (a fixed order for the clustering's ties). keeps_capitals:
    whether nouns are written with a capital anywhere."""
    phrases_by_stems: dict[tuple[str, ...], Phrase | None] = {}  # None: rejected at its first mention
    in_lower_case = {word for word in words if word.islower()}
    n_candidates = 0
    for start, end in _find_runs(tags, starts):
        forms = tuple(word.lower() for word in words[start:end])
        stems = tuple(map(stem, forms))
        if stems not in phrases_by_stems:
            good = n_candidates < MAX_CANDIDATES and is_candidate(forms, stop_words)
            n_candidates += good
            is_name = tags[start] == "PROPN" or (keeps_capitals and tags[start] == "NOUN")
            is_common = not is_name or words[start].lower() in in_lower_case
            opens = start == 0 or starts[start] or words[start - 1] in SENTENCE_OPENERS
            first = words[start].lower() if is_common and opens and words[start].istitle() else words[start]
            shown = (first, *words[start + 1 : end])
            phrases_by_stems[stems] = Phrase(stems, shown) if good else None
        phrase = phrases_by_stems[stems]
        if phrase is not None:
            phrase.offsets.append(start)
    return sorted((phrase for phrase in phrases_by_stems.values() if phrase), key=lambda phrase: " ".join(phrase.stems))


def _find_runs(tags: Sequence[str], starts: Sequence[bool | None]) -> Iterator[tuple[int, int]]:
    """(start, end) of the longest runs of PARTS_OF_SPEECH that do not cross a segment boundary."""
    begin = -1
    for index, tag in enumerate(tags):
        if begin >= 0 and (starts[index] or tag not in PARTS_OF_SPEECH):
            yield begin, index
            begin = -1
        if begin < 0 and tag in PARTS_OF_SPEECH:
            begin = index
    if begin >= 0:
        yield begin, len(tags)


def is_candidate(words: Sequence[str], stop_words: Collection[str]) -> bool:
    """Whether lower-case words make a candidate: no stop word, not too short or long, letters and digits only."""
    return (
        len(words) <= MAX_WORDS
        and sum(map(len, words)) >= MIN_CHARACTERS
        and all(len(word) >= MIN_WORD and word.replace("-", "").isalnum() for word in words)
        and not any(word in stop_words or not set(word).difference(string.punctuation) for word in words)
    )


def cluster_phrases(phrases: Sequence[Phrase]) -> Ints:
    """(phrases,) the topic of every phrase, from 0."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(phrases) == 1:
        return np.zeros(1, dtype=np.int64)
    columns = {stem: column for column, stem in enumerate(sorted({stem for p in phrases for stem in p.stems}))}
    has = np.zeros((len(phrases), len(columns)), dtype=np.float32)
    for row, phrase in enumerate(phrases):
        has[row, [columns[stem] for stem in phrase.stems]] = 1
    shared = (has @ has.T).astype(np.float64)
    sizes = np.diagonal(shared)
    distance = 1 - shared / (sizes[:, None] + sizes[None, :] - shared)
    tree = linkage(squareform(distance, checks=False), method="average")
    topics: Ints = fcluster(tree, t=MAX_DISTANCE, criterion="distance").astype(np.int64) - 1
    return topics


def topic_weights(phrases: Sequence[Phrase], topics: Ints) -> Floats:
    """(topics, topics) symmetric, 0 on the diagonal: the sum of 1 / distance over the mentions of two topics.

    The distance goes from the last token of the earlier mention to the first of the later: neighbours are 1 apart.
    """
    counts = [len(phrase.offsets) for phrase in phrases]
    start = np.array([offset for phrase in phrases for offset in phrase.offsets], dtype=np.int64)
    end = start + np.repeat([len(phrase.stems) for phrase in phrases], counts) - 1  # the last token
    owner = np.repeat(topics, counts)
    order = np.argsort(owner, kind="stable")
    start, end, owner = start[order], end[order], owner[order]
    size = int(topics.max()) + 1
    first = np.searchsorted(owner, np.arange(size))
    weights = np.zeros((size, size))
    rows = max(1, 4_000_000 // len(start))  # bounds the memory of one step
    for at in range(0, len(start), rows):
        block = slice(at, at + rows)
        gap = np.maximum(start[None, :] - end[block, None], start[block, None] - end[None, :])
        near = np.add.reduceat(1.0 / np.maximum(gap, 1), first, axis=1)
        np.add.at(weights, owner[block], near)
    np.fill_diagonal(weights, 0.0)
    return weights


def random_walk(weights: Floats, damping: float = DAMPING) -> Floats:
    """(topics,) PageRank: share of time at each node of a random walk that jumps anywhere with 1 - damping; sum 1."""
    size = len(weights)
    if size == 1:
        return np.ones(1)
    moves = weights / weights.sum(axis=1, keepdims=True)
    share: Floats = np.full(size, 1 / size)
    for _ in range(1_000):
        following = damping * (share @ moves) + (1 - damping) / size
        converged = np.abs(following - share).sum() < 1e-12
        share = following
        if converged:
            break
    return share


_STEM_LOCK = threading.Lock()


@lru_cache(maxsize=16)
def get_stemmer(language: str) -> Callable[[str], str]:
    """A caching stemmer for a language code; English for unsupported languages."""
    import snowballstemmer

    machine = snowballstemmer.stemmer(_STEMMERS.get(language, "porter"))

    @lru_cache(maxsize=100_000)
    def stem(word: str) -> str:
        with _STEM_LOCK:  # the stemmer is not thread-safe
            return str(machine.stemWord(word))

    return stem

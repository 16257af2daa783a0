"""The 15 features of a candidate aggregation.

Source: Jumel, Louis, Cheung, "TESA: A Task in Entity Semantic Aggregation for Abstractive Summarization", EMNLP 2020,
appendix C, and its released code. B: words of all backgrounds, with repetition. C: words of title and context. E: words
of the entities' names. I: words in every entity's background. K: words of the candidate. B, C are lemmas, K is not.
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from epitome.systems.protocol import AggregationTask
from epitome.systems.ranking.vectors import Vector, WordVectors, cosine
from epitome.systems.ranking.words import content_lemmas, content_words

FEATURES = (
    "train-count",
    "background-count",
    "background-unique",
    "overlap-unique",
    "background-entities",
    "background-embedding",
    "overlap-embedding",
    "context-count",
    "context-unique",
    "context-embedding",
    "all-count",
    "all-unique",
    "overlap-context-unique",
    "all-embedding",
    "overlap-context-embedding",
)
"""In the order of the released code; the ones that end in -embedding need word vectors."""
EMBEDDINGS = tuple(name for name in FEATURES if name.endswith("-embedding"))


@dataclass(frozen=True)
class TaskWords:
    """The words that a candidate is compared with. backgrounds: of each entity; names: of all entities."""

    backgrounds: tuple[tuple[str, ...], ...]
    context: tuple[str, ...]
    names: tuple[str, ...]
    vectors: WordVectors | None = field(default=None, compare=False)

    @cached_property
    def background(self) -> Counter[str]:
        return Counter(word for words in self.backgrounds for word in words)

    @cached_property
    def overlap(self) -> frozenset[str]:
        """Words in the background of every entity."""
        first, *others = (frozenset(words) for words in self.backgrounds)
        return first.intersection(*others)

    @cached_property
    def everything(self) -> Counter[str]:
        return self.background + Counter(self.context) + Counter(self.names)

    @cached_property
    def means(self) -> tuple[Vector, ...]:
        """Mean vectors of B, I, C, E + B + C, and I with C. Sets count each word once."""
        assert self.vectors is not None
        overlap_context = sorted(self.overlap | set(self.context))
        texts = (self.background.elements(), sorted(self.overlap), self.context, self.everything.elements())
        return tuple(self.vectors.mean(words) for words in (*texts, overlap_context))


def read_task_words(task: AggregationTask, vectors: WordVectors | None) -> TaskWords:
    """The words of a task. A request without entities has no features: raises ValueError."""
    if not task.entities:
        raise ValueError("an aggregation task needs entities")
    backgrounds = content_lemmas([entity.background for entity in task.entities])
    context = content_lemmas([f"{task.title}\n{task.context}"])[0]
    names = tuple(word for entity in task.entities for word in content_words(entity.name))
    return TaskWords(tuple(backgrounds), context, names, vectors)


def compute_features(words: TaskWords, candidate: tuple[str, ...], train_count: int) -> list[float]:
    """The numbers of `FEATURES` for the words of one candidate; without vectors the embeddings are 0."""
    background, context = words.background, Counter(words.context)
    unique = frozenset(candidate)
    overlap_context = words.overlap | context.keys()
    embeddings = dict.fromkeys(EMBEDDINGS, 0.0)
    if words.vectors is not None:
        mean = words.vectors.mean(candidate)
        of_texts = [cosine(mean, text) for text in words.means]
        names = ("background", "overlap", "context", "all", "overlap-context")
        embeddings = {f"{name}-embedding": value for name, value in zip(names, of_texts, strict=True)}
    values: dict[str, float] = {
        "train-count": train_count,
        "background-count": sum(background[word] for word in candidate),
        "background-unique": len(unique & background.keys()),
        "overlap-unique": len(unique & words.overlap),
        "background-entities": sum(not unique.isdisjoint(entity) for entity in words.backgrounds),
        "context-count": sum(context[word] for word in candidate),
        "context-unique": len(unique & context.keys()),
        "all-count": sum(words.everything[word] for word in candidate),
        "all-unique": len(unique & words.everything.keys()),
        "overlap-context-unique": len(unique & overlap_context),
        **embeddings,
    }
    return [float(values[name]) for name in FEATURES]


def feature_matrix(
    task: AggregationTask, candidates: tuple[str, ...], vectors: WordVectors | None
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """One row of features per candidate; the task has a train count for each."""
    words = read_task_words(task, vectors)
    counts = task.train_counts or (0,) * len(candidates)
    pairs = zip(candidates, counts, strict=True)
    return np.array([compute_features(words, content_words(text), count) for text, count in pairs])

"""Tuples of entities and their contexts: which entities of one type an article mentions close together, and where.

A context is a run of as many sentences as the tuple has entities, or the whole abstract. After Jumel, Louis, Cheung,
EMNLP 2020, "Data extraction".
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from epitome.aggregations.articles import ABSTRACT, TYPES, Article, EntityType, Mention
from epitome.aggregations.mentions import MentionsByEntity, find_mentions

SIZES = range(2, 7)
MOST_TOGETHER = 20
"""More entities of one type in one window are a list of names, whose sub-tuples would outnumber everything else."""


class Span(NamedTuple):
    """First and last sentence, both included."""

    first: int
    last: int


@dataclass(frozen=True)
class FoundInstance:
    """A tuple in one context. members: numbers of the article's entities, by name; span None: the abstract."""

    article: str
    type: EntityType
    members: tuple[int, ...]
    names: tuple[str, ...]
    span: Span | None

    @property
    def tuple_key(self) -> str:
        """The same for all instances of one tuple of an article."""
        return _hash_text("\n".join((self.type, *self.names)))

    @property
    def key(self) -> str:
        """article_tuple_context; short and the same on every machine."""
        context = "a" if self.span is None else f"{self.span.first}-{self.span.last}"
        return f"{_hash_text(self.article)}_{self.tuple_key}_{context}"


@dataclass(frozen=True)
class ArticleInstances:
    """Everything that an article offers. crowded: windows passed over, as they mention too many entities of a type."""

    article: Article
    mentions: MentionsByEntity
    instances: list[FoundInstance]
    crowded: int


def find_instances(article: Article) -> ArticleInstances:
    """All instances of an article: every sub-tuple of two to six entities of one type, in each of its contexts."""
    mentions = find_mentions(article)
    instances: list[FoundInstance] = []
    crowded = 0
    for entity_type in TYPES:
        members = [index for index, entity in enumerate(article.entities) if entity.type == entity_type]
        members.sort(key=lambda number: article.entities[number].name)
        sentences = {number: {row.segment for row in mentions[number]} for number in members}
        for group in _list_groups(members, sentences, len(article.sentences)):
            if group is None:
                crowded += 1
                continue
            names = tuple(article.entities[number].name for number in group.members)
            instances.append(FoundInstance(article.key, entity_type, group.members, names, group.span))
    return ArticleInstances(article, mentions, instances, crowded)


class _Group(NamedTuple):
    members: tuple[int, ...]
    span: Span | None


def _list_groups(members: Sequence[int], sentences: dict[int, set[int]], n_sentences: int) -> Iterator[_Group | None]:
    """Tuples with their contexts, each once; None for a window that mentions too many entities."""
    in_abstract = [number for number in members if ABSTRACT in sentences[number]]
    if len(in_abstract) > MOST_TOGETHER:
        yield None
    else:
        for size in SIZES:
            for chosen in combinations(in_abstract, size):
                yield _Group(chosen, None)
    seen: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    for size in SIZES:
        for start in range(n_sentences):
            window = Span(start, min(start + size, n_sentences) - 1)
            present = [number for number in members if _is_mentioned(sentences[number], window)]
            if len(present) > MOST_TOGETHER:
                yield None
                continue
            for chosen in combinations(present, size):
                if not any(start in sentences[number] for number in chosen):
                    continue
                mentioned = {sentence for number in chosen for sentence in sentences[number]}
                span = fit_span(window, mentioned, n_sentences)
                inside = tuple(sorted(n for n in mentioned if span.first <= n <= span.last))
                if (chosen, inside) not in seen:
                    seen.add((chosen, inside))
                    yield _Group(chosen, span)


def fit_span(window: Span, mentioned: set[int], n_sentences: int) -> Span:
    """The window from its first to its last mention. One sentence alone gets the next one if it is the first of the
    article, else the one before it; an article of one sentence has no other."""
    inside = [number for number in mentioned if window.first <= number <= window.last]
    span = Span(min(inside), max(inside))
    if span.first < span.last or n_sentences < 2:
        return span
    return Span(0, 1) if span.first == 0 else Span(span.first - 1, span.first)


def _is_mentioned(sentences: set[int], window: Span) -> bool:
    return any(number in sentences for number in range(window.first, window.last + 1))


def select_mentions(mentions: Sequence[Mention], span: Span | None) -> list[Mention]:
    """The mentions of an entity inside a context."""
    if span is None:
        return [row for row in mentions if row.segment == ABSTRACT]
    return [row for row in mentions if span.first <= row.segment <= span.last]


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]

"""From names that a pipeline found to entities: one cluster for all the names of one person, place or organization."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from epitome.aggregations.articles import ABSTRACT, Entity, EntityType

TITLE = -2
"""The number of the segment of a name found in the title."""
LEAST_SENTENCES = 2
LONGEST_NAME = 10


class FoundName(NamedTuple):
    """A name as a pipeline found it; segment -1 is the abstract, -2 the title."""

    text: str
    type: EntityType
    segment: int


def cluster_names(names: Iterable[FoundName]) -> list[Entity]:
    """The salient entities, by name: named in two sentences or more, or in the title or abstract.

    A name that is a run of words of a longer name is that entity's, the longest one first; two longer names that could
    be meant leave it alone. The type is that of most mentions of the cluster. More than ten words are no name.
    """
    rows = [FoundName(" ".join(row.text.split()), row.type, row.segment) for row in names]
    rows = [row for row in rows if 1 <= len(row.text.split()) <= LONGEST_NAME and len(row.text) > 1]
    majority = _find_types(rows)
    clusters: dict[str, list[FoundName]] = {}
    owner_by_text: dict[str, str] = {}
    for text in sorted({row.text for row in rows}, key=lambda text: (-len(text.split()), -len(text), text)):
        longer = [name for name in clusters if majority[name] == majority[text] and _is_part(text, name)]
        owner_by_text[text] = longer[0] if len(longer) == 1 else text
        clusters.setdefault(owner_by_text[text], [])
    for row in rows:
        clusters[owner_by_text[row.text]].append(row)
    return [_build_entity(name, members) for name, members in sorted(clusters.items()) if _is_salient(members)]


def _find_types(rows: Sequence[FoundName]) -> dict[str, EntityType]:
    counts: dict[str, Counter[EntityType]] = {}
    for row in rows:
        counts.setdefault(row.text, Counter())[row.type] += 1
    return {text: _most_frequent(counter) for text, counter in counts.items()}


def _most_frequent(counter: "Counter[EntityType]") -> EntityType:
    return min(counter, key=lambda entity_type: (-counter[entity_type], entity_type))


def _is_part(text: str, name: str) -> bool:
    """Whether the words of `text` occur in `name` one after the other."""
    part_words, words = text.split(), name.split()
    return len(part_words) < len(words) and any(
        words[start : start + len(part_words)] == part_words for start in range(len(words) - len(part_words) + 1)
    )


def _is_salient(members: Sequence[FoundName]) -> bool:
    segments = {row.segment for row in members}
    return TITLE in segments or ABSTRACT in segments or len(segments) >= LEAST_SENTENCES


def _build_entity(name: str, members: Sequence[FoundName]) -> Entity:
    aliases = tuple(text for text in dict.fromkeys(row.text for row in members) if text != name)
    return Entity(name, _most_frequent(Counter(row.type for row in members)), aliases)

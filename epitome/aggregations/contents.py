"""What a dataset of aggregations holds, by type of entity: the paper's Table 2.

Source: Jumel, Louis, Cheung, "TESA: A Task in Entity Semantic Aggregation for Abstractive Summarization", EMNLP 2020.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from epitome.aggregations.filters import KeptAnnotation

ALL = "all"


@dataclass(frozen=True, slots=True)
class AboutInstance:
    """entities: the names, in any order."""

    entity_type: str
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """instances: entity sets with their context. entity_sets: distinct ones. aggregations: answers, each once per
    person and instance; distinct_aggregations: as texts. golds_per_instance: distinct ones, the mean; None without
    instances."""

    instances: int
    entity_sets: int
    aggregations: int
    distinct_aggregations: int
    golds_per_instance: float | None

    def as_dict(self) -> dict[str, int | float | None]:
        return {name: getattr(self, name) for name in self.__slots__}


def count_contents(
    kept: Sequence[KeptAnnotation], about: Mapping[str, AboutInstance], types: Sequence[str]
) -> dict[str, Contents]:
    """`ALL` and every type -> its contents. about: of every kept instance. Raises KeyError for an unknown instance."""
    return {
        name: _count_one([row for row in kept if name == ALL or about[row.instance].entity_type == name], about)
        for name in (ALL, *types)
    }


def _count_one(kept: Sequence[KeptAnnotation], about: Mapping[str, AboutInstance]) -> Contents:
    golds: dict[str, set[str]] = {}
    for annotation in kept:
        golds.setdefault(annotation.instance, set()).update(annotation.answers)
    entity_sets = {(about[key].entity_type, tuple(sorted(about[key].entities))) for key in golds}
    n_golds = sum(map(len, golds.values()))
    return Contents(
        instances=len(golds),
        entity_sets=len(entity_sets),
        aggregations=sum(len(annotation.answers) for annotation in kept),
        distinct_aggregations=len(set().union(*golds.values())),
        golds_per_instance=n_golds / len(golds) if golds else None,
    )


def share_agreeing(kept: Sequence[KeptAnnotation]) -> float | None:
    """Share of instances where two people gave the same normalised answer; None without instances."""
    answers_by_instance: dict[str, list[Collection[str]]] = {}
    for annotation in kept:
        answers_by_instance.setdefault(annotation.instance, []).append(annotation.answers)
    agreeing = [_has_common(answers) for answers in answers_by_instance.values()]
    return sum(agreeing) / len(agreeing) if agreeing else None


def _has_common(answers: Sequence[Collection[str]]) -> bool:
    texts = [text for answers_of_one in answers for text in set(answers_of_one)]
    return len(texts) > len(set(texts))

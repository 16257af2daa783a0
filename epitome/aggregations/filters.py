"""Which answers count: non-conforming ones go, then people who did little, then instances that few could name.

Rules, their order and what the paper counts: Jumel, Louis, Cheung, "TESA: A Task in Entity Semantic Aggregation for
Abstractive Summarization", EMNLP 2020, section "Data Annotation", and its released code.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from epitome.aggregations.normal import normalize_answers

LEAST_ASSIGNMENTS = 5
"""All answers of a person with fewer annotations are removed."""
LEAST_ANSWERING = 2
"""An instance is kept if at least as many people gave an answer."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One annotation. person: whoever wrote it. instance: the key of what it is about. answers: as written."""

    person: str
    instance: str
    answers: tuple[str, ...]
    cannot: bool = False

    @property
    def is_aggregated(self) -> bool:
        """An answer beside "cannot be aggregated" counts as not aggregatable, as in the paper."""
        return bool(self.answers) and not self.cannot


@dataclass(frozen=True, slots=True)
class KeptAnnotation:
    """An annotation that passed all filters; answers: normalised, each once."""

    person: str
    instance: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Funnel:
    """What each filter removed, in the order of the filters. All counts are of annotations unless they say otherwise.

    not_aggregatable: nothing was answered, or "cannot" ticked. non_conforming: none of the answers conforms (their
    people count as not having answered). rare_people: of people with few annotations. few_answers: of instances that
    too few people named.
    """

    instances: int
    annotations: int
    people: int
    not_aggregatable: int
    non_conforming: int
    rare_people: int
    few_answers: int
    kept: tuple[KeptAnnotation, ...]

    @property
    def kept_annotations(self) -> int:
        return len(self.kept)

    @property
    def kept_instances(self) -> int:
        return len({annotation.instance for annotation in self.kept})

    @property
    def kept_people(self) -> int:
        return len({annotation.person for annotation in self.kept})

    def golds_by_instance(self) -> dict[str, tuple[str, ...]]:
        """Instance -> its distinct answers, sorted."""
        golds: dict[str, set[str]] = {}
        for annotation in self.kept:
            golds.setdefault(annotation.instance, set()).update(annotation.answers)
        return {instance: tuple(sorted(answers)) for instance, answers in golds.items()}

    def as_dict(self) -> dict[str, int | dict[str, int]]:
        """The counts; what was removed is under `removed`."""
        return {
            "instances": self.instances,
            "annotations": self.annotations,
            "people": self.people,
            "not_aggregatable": self.not_aggregatable,
            "removed": {
                "non_conforming": self.non_conforming,
                "rare_people": self.rare_people,
                "few_answers": self.few_answers,
            },
            "kept_instances": self.kept_instances,
            "kept_annotations": self.kept_annotations,
            "kept_people": self.kept_people,
        }


def apply_filters(annotations: Sequence[Answered], n_instances: int | None = None) -> Funnel:
    """The funnel of all annotations. n_instances: of all instances, also those that nobody has seen yet (default: of
    the annotated ones)."""
    aggregated = [annotation for annotation in annotations if annotation.is_aggregated]
    normalized = [
        replace(annotation, answers=tuple(normalize_answers(annotation.answers))) for annotation in aggregated
    ]
    conforming = [annotation for annotation in normalized if annotation.answers]
    assignments = Counter(annotation.person for annotation in annotations)
    regular = [annotation for annotation in conforming if assignments[annotation.person] >= LEAST_ASSIGNMENTS]
    people_by_instance: dict[str, set[str]] = {}
    for annotation in regular:
        people_by_instance.setdefault(annotation.instance, set()).add(annotation.person)
    kept_annotations = tuple(
        KeptAnnotation(annotation.person, annotation.instance, annotation.answers)
        for annotation in regular
        if len(people_by_instance[annotation.instance]) >= LEAST_ANSWERING
    )
    annotated = {annotation.instance for annotation in annotations}
    return Funnel(
        instances=len(annotated) if n_instances is None else n_instances,
        annotations=len(annotations),
        people=len(assignments),
        not_aggregatable=len(annotations) - len(aggregated),
        non_conforming=len(aggregated) - len(conforming),
        rare_people=len(conforming) - len(regular),
        few_answers=len(regular) - len(kept_annotations),
        kept=kept_annotations,
    )

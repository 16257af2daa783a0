"""The annotations of a project of kind `aggregation`, as its filters read them, and what its instances are about."""

import json
from collections.abc import Collection
from typing import Any

from django.utils.translation import gettext as _

from annotation.kinds import get_task_kind
from annotation.models import AggregationInstance, Annotation, Project, Release, SampleState
from annotation.services.core.errors import BadInput
from annotation.services.exports.releases import FrozenSelection
from epitome.aggregations.contents import AboutInstance
from epitome.aggregations.filters import Answered
from modelbridge.services.runs.references import human_summaries


def has_answers(project: Project) -> bool:
    """Whether annotators of the project name instances of entities."""
    return get_task_kind(project.kind, has_sample=True).has_instances


def check_kind(project: Project) -> None:
    """Raises BadInput unless the project's tasks are aggregations."""
    if not has_answers(project):
        raise BadInput(_("The tasks of this project are no aggregations of entities."), code="kind")


def read_answers(project: Project, release: Release | None = None) -> list[Answered]:
    """The newest revision of every annotation that counts: not rejected, void, surplus or withdrawn; of a release those
    in its list. Imported references are nobody's annotations and left out."""
    rows = human_summaries(project).exclude(origin=Annotation.Origin.IMPORT).filter(sample__instance__isnull=False)
    listed = _listed_annotations(release) if release is not None else None
    fields = ("pk", "sample__instance__key", "assignment__annotator_id", "payload", "raw_json")
    return [
        Answered(_name_person(pk, annotator, raw_json), key, _read_texts(payload), bool(payload.get("cannot")))
        for pk, key, annotator, payload, raw_json in rows.values_list(*fields).iterator(2000)
        if listed is None or pk in listed
    ]


def _listed_annotations(release: Release) -> Collection[int]:
    states = FrozenSelection(release).states.values()
    return {int(pk) for ids in states for pk in ids}


def _name_person(annotation: int, annotator: int | None, raw_json: str) -> str:
    """Its author; of a restored annotation the pseudonym in its line."""
    if annotator is not None:
        return f"user {annotator}"
    line = json.loads(raw_json) if raw_json else {}
    return f"pseudonym {line['annotator']}" if line.get("annotator") else f"annotation {annotation}"


def _read_texts(payload: dict[str, Any]) -> tuple[str, ...]:
    answers = payload.get("answers") or []
    return tuple(answer for answer in answers if isinstance(answer, str) and answer.strip())


def describe_instances(project: Project) -> dict[str, AboutInstance]:
    """Key -> type and names of every instance that is not void."""
    rows = AggregationInstance.objects.filter(project=project).exclude(sample__state=SampleState.VOID)
    return {
        key: AboutInstance(entity_type, tuple(entity["name"] for entity in entities))
        for key, entity_type, entities in rows.values_list("key", "entity_type", "entities").iterator(2000)
    }

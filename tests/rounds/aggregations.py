"""A project of aggregation tasks with entities, contexts, and answers of three annotators to each."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from annotation.kinds import KINDS, KindDefaults
from annotation.models import (
    AggregationInstance,
    Annotation,
    Assignment,
    Claim,
    Project,
    Sample,
    Slot,
    SourceDocument,
)
from tests.rounds.factories import project_with_gold

ANSWERS = ("The two island painters.", "ISLAND PAINTERS", "painters of the islands")
ENTITIES = [
    {"name": "Ada Vell", "url": "https://en.wikipedia.org/wiki/Ada", "background": "A painter of harbours."},
    {"name": "Jon Reed", "url": "javascript:alert(1)", "background": "A painter and etcher."},
]


class PlainAggregations(KindDefaults):
    """Stands in for the kind where it is not registered."""

    key = "aggregation"
    export_task = "aggregation"
    fields: Mapping[str, Any] = {}

    def blank(self):
        return {"answers": [], "cannot": False}

    def text_of(self, payload):
        return "\n".join(payload.get("answers") or [])


@pytest.fixture
def aggregation_kind(monkeypatch):
    if "aggregation" not in KINDS:
        monkeypatch.setitem(KINDS, "aggregation", PlainAggregations())


def aggregation_project(slug: str = "naming", *, documents: int = 6) -> Project:
    """Instances of two entities each: of odd number in their sentences, of even number in the abstract."""
    project = project_with_gold(slug, documents=documents)
    Annotation.objects.filter(project=project).delete()
    Project.objects.filter(pk=project.pk).update(kind="aggregation")
    project.refresh_from_db()
    SourceDocument.objects.filter(project=project).update(metadata_json=json.dumps({"abstract": "Both paint."}))
    for number, sample in enumerate(Sample.objects.filter(project=project).order_by("pk")):
        in_sentences = number % 2 == 0
        AggregationInstance.objects.create(
            project=project,
            sample=sample,
            key=f"article_{number}",
            entity_type="person",
            entities=ENTITIES,
            context_kind="content" if in_sentences else "abstract",
            first_segment=0 if in_sentences else None,
            last_segment=1 if in_sentences else None,
        )
    return project


def answer_all(project: Project, people: Sequence[User]) -> None:
    """Each of the people gives one of ANSWERS to every instance."""
    for sample in Sample.objects.filter(project=project).select_related("group", "document").order_by("pk"):
        for number, person in enumerate(people, 1):
            add_annotation(project, sample, person, number, {"answers": [ANSWERS[number - 1]], "cannot": False})


def add_annotation(project: Project, sample: Sample, person: User, number: int, payload: dict) -> Annotation:
    now = timezone.now()
    place = {"project": project, "document": sample.document}
    slot = Slot.objects.create(group=sample.group, sample=sample, number=50 + number, state="filled", **place)
    claim = Claim.objects.create(annotator=person, opened_at=now, closed_at=now, lease_until=now, **place)
    guideline = project.guideline_versions.get()
    attempt = Assignment.objects.create(
        project=project,
        claim=claim,
        slot=slot,
        sample=sample,
        group=sample.group,
        annotator=person,
        state="submitted",
        guideline_version=guideline,
        assistance="minimal",
        claimed_at=now,
    )
    return Annotation.objects.create(
        project=project,
        sample=sample,
        assignment=attempt,
        payload=payload,
        schema_version=sample.schema_version,
        guideline_version=guideline,
        created_at=now,
    )

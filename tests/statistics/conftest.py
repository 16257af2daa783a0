"""A small dataset whose numbers can be worked out by hand."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import Annotation, Assignment, Claim, Group, Project, Sample, Score, Slot, SourceDocument
from annotation.services.statistics.building import build_statistics
from annotation.services.statistics.filters import ALL, Filter
from tests.tasks.factories import make_project

SIGNATURE = "{}:release|v:1"


def words(n: int) -> str:
    return " ".join(["word"] * n)


@dataclass
class Maker:
    """Adds samples and summaries to a project of four segments of 25 words per source."""

    project: Project
    people: dict[str, User] = field(default_factory=dict)

    def source(self, number: int) -> SourceDocument:
        document: SourceDocument = self.project.documents.order_by("pk")[number]
        return document

    def group(self, source: int = 0, topics: tuple[str, ...] = (), asks: tuple[str, ...] = ("topic",)) -> Group:
        document = self.source(source)
        return Group.objects.create(
            project=self.project,
            document=document,
            position=Group.objects.filter(document=document).count(),
            asks=list(asks) if topics else [],
            chosen={"topic": list(topics)} if topics else {},
            frozen_at=timezone.now(),
        )

    def sample(self, group: Group, length="normal", ext="normal", spe="normal", *, sampler="uniform@1") -> Sample:
        values = {"length": length, "extractiveness": ext, "specificity": spe}
        return Sample.objects.create(
            project=self.project,
            document_id=group.document_id,
            group=group,
            schema_version=self.project.schema_version,
            position=Sample.objects.filter(document_id=group.document_id).count(),
            values=values,
            combination=self.project.schema_version.schema.combination_code(values),
            sampler=sampler,
        )

    def attempt(self, sample: Sample, who: str, state: str) -> Assignment:
        now = timezone.now()
        user = self.people.setdefault(who, User.objects.get_or_create(username=who)[0])
        claim = Claim.objects.create(
            project=self.project,
            annotator=user,
            document_id=sample.document_id,
            opened_at=now,
            lease_until=now,
            closed_at=now,
        )
        slot = Slot.objects.create(
            project=self.project,
            document_id=sample.document_id,
            group_id=sample.group_id,
            sample=sample,
            number=sample.slots.count() + 1,
            state="filled",
        )
        return Assignment.objects.create(
            project=self.project,
            claim=claim,
            slot=slot,
            sample=sample,
            group_id=sample.group_id,
            annotator=user,
            state=state,
            guideline_version=self.project.guideline_version,
            assistance="minimal",
            claimed_at=now,
            skip_reason="other" if state == "skipped" else "",
        )

    def summary(
        self, sample: Sample, n_words: int = 10, *, segments: list[Any] | None = None, who="", state="submitted", **more
    ) -> Annotation:
        """An imported summary, or one of `who`. more: scores by measure, timings, assistance, revision."""
        scores, attempt = more.pop("scores", {}), more.pop("attempt", None)
        attempt = attempt or (self.attempt(sample, who, state) if who else None)
        annotation = Annotation.objects.create(
            project=self.project,
            sample=sample,
            assignment=attempt,
            origin="person" if who else "import",
            payload={"summary": words(n_words), "title": "T", "relevant_segments": segments or [0], "spans": []},
            schema_version=self.project.schema_version,
            created_at=timezone.now(),
            idempotency_key=f"key-{more.get('revision', 1)}",
            **more,
        )
        for measure, value in scores.items():
            fields = {"undefined": value} if isinstance(value, str) else {"value": value}
            Score.objects.create(
                project=self.project,
                target_kind="annotation",
                target_id=annotation.pk,
                measure=measure,
                signature=SIGNATURE.format(measure),
                **fields,
            )
        return annotation


@pytest.fixture
def maker(db) -> Maker:
    """Two sources without samples: `train` and `test`, 100 words each in four segments."""
    segments = [{"speaker": "", "text": words(25)} for _number in range(4)]
    project = make_project("news", documents=2, groups=0, segments=segments)
    for document, split in zip(project.documents.order_by("pk"), ("train", "test"), strict=True):
        SourceDocument.objects.filter(pk=document.pk).update(split=split, n_tokens=120)
    return Maker(project)


def view_of(project: Project, split: str = ALL, origin: str = "all", state: str = "latest") -> dict[str, Any]:
    project = Project.objects.get(pk=project.pk)
    statistics = build_statistics(project)
    view: dict[str, Any] = statistics["views"][statistics["which"][Filter(split, origin, state).key]]
    return view


def section_of(view: dict[str, Any], key: str) -> dict[str, Any]:
    match: dict[str, Any] = next(section for section in view["sections"] if section["table"]["key"] == key)
    return match


def rows_of(view: dict[str, Any], key: str) -> list[list[Any]]:
    """The values of a table, row by row; a missing one is its reason in brackets."""
    table = section_of(view, key)["table"]
    return [
        [cell["value"] if cell["value"] is not None else f"[{cell['undefined']}]" for cell in row]
        for row in table["rows"]
    ]

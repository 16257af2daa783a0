"""A project with sources, samples, summaries and skips, made through the services where there are some."""

import json
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import (
    Annotation,
    Assignment,
    AssignmentState,
    Group,
    Membership,
    Project,
    RestoredSkip,
    Role,
    Sample,
    Slot,
    SourceDocument,
)
from annotation.services.exports.exporting import ExportOptions, export_to
from annotation.services.exports.releases import Release
from annotation.services.people.projects import create_project
from annotation.services.sources.import_types import ImportReport
from annotation.services.sources.importing import import_file
from annotation.services.tasks.choose import save_choice
from annotation.services.tasks.claim import claim_next
from annotation.services.tasks.skip import skip_task
from annotation.services.tasks.submit import submit_task
from epitome.formats.options import ImportOptions
from tests.tasks.factories import pass_gate

TEXT = "The council met on Monday. It voted on the bridge. The vote was close. Work begins in May."
VALUES = [
    {"length": "short", "extractiveness": "normal", "specificity": "high"},
    {"length": "long", "extractiveness": "full", "specificity": "normal"},
    {"length": "normal", "extractiveness": "high", "specificity": "normal"},
]


def import_rows(project: Project, folder: Path, rows: list[dict[str, Any]], name: str = "rows.jsonl") -> ImportReport:
    file = folder / name
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return import_project_file(project, file)


def import_project_file(project: Project, file: Path, **options: Any) -> ImportReport:
    chosen = ImportOptions(**{"may_release_text": True, **options})
    return import_file(project=project, path=file, file_name=file.name, options=chosen)


def row(number: int, text: str | None = None, **more: Any) -> dict[str, Any]:
    return {"id": f"doc-{number}", "text": text or f"Report {number}. {TEXT}", **more}


def _values_of(project: Project, i: int) -> dict[str, str]:
    """Values for the i-th sample, of those attributes that the project has."""
    keys = {attribute.key for attribute in project.schema_version.schema.sampled}
    return {key: value for key, value in VALUES[i % 3].items() if key in keys}


def add_samples(document: SourceDocument, *, asks: tuple[str, ...] = (), n: int = 2, overlap: int = 1) -> list[Sample]:
    """One more group of a source with n samples."""
    project = document.project
    now = timezone.now()
    position = Sample.objects.filter(document=document).count()
    group = Group.objects.create(
        project=project,
        document=document,
        position=Group.objects.filter(document=document).count(),
        asks=list(asks),
        frozen_at=None if asks else now,
    )
    samples = [
        Sample.objects.create(
            project=project,
            document=document,
            group=group,
            schema_version=project.schema_version,
            position=position + i,
            values=_values_of(project, i),
            combination=project.schema_version.schema.combination(_values_of(project, i)),
            sampler="uniform@1",
            seed=7,
            created_at=now,
        )
        for i in range(n)
    ]
    for sample in samples:
        for number in range(1, overlap + 1):
            Slot.objects.create(project=project, document=document, group=group, sample=sample, number=number)
    return samples


def news(folder: Path, slug: str = "news", n: int = 3, **settings: Any) -> Project:
    """Sources with two samples each: one group without a topic."""
    project = create_project(slug=slug, schema="macsum-doc", **settings)
    import_rows(project, folder, [row(i) for i in range(n)])
    for document in SourceDocument.objects.filter(project=project).order_by("pk"):
        add_samples(document, overlap=project.overlap)
    return project


def make_person(project: Project, name: str, django_user_model: Any) -> Any:
    result, _ = django_user_model.objects.get_or_create(username=name)
    Membership.objects.get_or_create(user=result, project=project, role=Role.ANNOTATOR)
    pass_gate(project, result)
    return result


def payload(summary: str = "The council voted.", **changed: Any) -> dict[str, Any]:
    return {
        "summary": summary,
        "title": "Bridge vote",
        "relevant_segments": [0, [1, 2]],
        "spans": [],
        "confirmed_segments": True,
        "reread": True,
        **changed,
    }


def write_one(project: Project, annotator: Any, summary: str = "The council voted.", **changed: Any) -> Annotation:
    """Claim the next task, choose where that is asked for, submit."""
    task = claim_next(project=project, annotator=annotator).assignment
    assert task is not None
    if task.group.asks and task.group.frozen_at is None:
        save_choice(assignment=task, chosen={"topic": [{"text": "bridge", "candidate": None}]})
    submit_task(assignment=task, payload=payload(summary, **changed), idempotency_key=f"key-{task.pk}")
    return Annotation.objects.get(assignment=task)


def skip_one(project: Project, annotator: Any, reason: str = "contradiction", note: str = "") -> Assignment:
    task = claim_next(project=project, annotator=annotator).assignment
    assert task is not None
    skip_task(assignment=task, reason=reason, note=note)
    return task


def accept_annotation(annotation: Annotation) -> None:
    Assignment.objects.filter(pk=annotation.assignment_id).update(state=AssignmentState.ACCEPTED)


def export(project: Project, folder: Path, name: str = "out.jsonl", **options: Any) -> Path:
    path = folder / name
    export_to(project=project, path=path, options=ExportOptions(**options))
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def of_task(path: Path, task: str) -> list[dict[str, Any]]:
    return [line for line in read_lines(path) if line["task"] == task]


def read_manifest(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.with_name(path.name + ".manifest.json").read_text(encoding="utf-8"))
    return data


def delete_all_rows() -> None:
    """An empty database, as far as the dataset goes."""
    Release.objects.all().delete()
    for model in (RestoredSkip, Annotation, Assignment):
        model.objects.all().delete()
    from annotation.models import AggregationInstance, Claim, EntityBackground, Slot

    for model in (Slot, Claim, EntityBackground, AggregationInstance, Sample, Group):
        model.objects.all().delete()
    SourceDocument.everything.all().delete()
    Project.objects.all().delete()
    User.objects.all().delete()


def restore_project(tmp_path, path, slug="news", schema="macsum-doc", **options) -> Project:
    project = create_project(slug=slug, schema=schema)
    import_project_file(project, path, **options)
    return project

"""Samples that several people wrote."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import Annotation, Assignment, Claim, Project, Role, Slot
from annotation.services.tasks import assignments, submit
from annotation.services.tasks import claim as task_claim
from tests.tasks.factories import make_people, make_project, payload

TEXTS = ("The ferry left late.\nA storm closed the channel.", "A storm held the boat back.", "The late boat left.")


def written_by(n: int = 2, *, reviewers: int = 1, slug: str = "news", start: int = 1, **options):
    """(project, sample, attempts in order, reviewers): one sample written by n annotators."""
    fields = {"documents": 1, "groups": 1, "size": 1, "overlap": n, "frozen": True, **options}
    project = make_project(slug, **fields)
    attempts = []
    for i, person in enumerate(make_people(n, project, start=start)):
        task = task_claim.claim_next(project=project, annotator=person).assignment
        assert task is not None
        loaded = assignments.get_own_assignment(person, task.public_id)
        submit.submit_task(
            assignment=loaded, payload=payload(summary=TEXTS[i % 3], title=f"Title {i}"), idempotency_key="k"
        )
        attempts.append(Assignment.objects.get(pk=task.pk))
    sample = attempts[0].sample
    assert sample is not None
    return project, sample, attempts, make_people(reviewers, project, Role.REVIEWER, start=start)


def newest_annotation(attempt: Assignment) -> Annotation:
    return Annotation.objects.filter(assignment=attempt).order_by("-revision")[0]


def second_summary(first: Annotation, person: User) -> Annotation:
    """Another person's summary of the same sample, straight in the database."""
    assignment_before = first.assignment
    assert assignment_before is not None
    now = timezone.now()
    fields = {"project": first.project, "annotator": person}
    slot = Slot.objects.create(
        project=first.project,
        document_id=assignment_before.slot.document_id,
        group_id=assignment_before.group_id,
        sample=first.sample,
        number=40,
        state="filled",
    )
    claim = Claim.objects.create(
        document_id=slot.document_id, opened_at=now, lease_until=now + timedelta(1), closed_at=now, **fields
    )
    attempt = Assignment.objects.create(
        claim=claim,
        slot=slot,
        sample=first.sample,
        group_id=assignment_before.group_id,
        state="submitted",
        guideline_version=assignment_before.guideline_version,
        assistance=assignment_before.assistance,
        claimed_at=now,
        **fields,
    )
    return Annotation.objects.create(
        project=first.project,
        sample=first.sample,
        assignment=attempt,
        payload=first.payload,
        schema_version=first.schema_version,
        guideline_version=first.guideline_version,
        created_at=now,
        idempotency_key="k",
    )


def lines_of(project: Project, **options) -> list[dict]:
    """The summary lines of an export."""
    import json

    from annotation.services.exports.exporting import ExportOptions, export_lines

    text = b"".join(export_lines(project=project, options=ExportOptions(**options))).decode()
    return [line for line in map(json.loads, text.splitlines()) if line.get("task") == "summary"]

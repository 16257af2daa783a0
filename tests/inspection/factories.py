"""Work to inspect: summaries handed in, and verdicts."""

from datetime import datetime

from annotation.models import Annotation, Project, Role
from annotation.services.inspection import verdicts
from annotation.services.tasks import assignments, claim, submit
from tests.tasks.factories import make_people, make_project, payload

WEEK = "2026-W10"
MONDAY = datetime.fromisoformat("2026-03-02T00:00:00+00:00")
PARTS = ("length", "extractiveness", "specificity", "topic", "relevant_segments")


def verdict(verdict: str = "accept", comment: str = "", **other: str) -> dict:
    """A verdict on every part: the same for all but those named in `other`."""
    if verdict != "accept" and not comment:
        comment = "Say it in your own words."
    by_key = {key: {"verdict": other.get(key, verdict), "comment": ""} for key in PARTS}
    return {"verdicts": by_key, "comment": comment}


def submit_summaries(project: Project, person, n: int = 1, at: datetime | None = None, **changed) -> list[Annotation]:
    """n summaries of one annotator, the last handed in first; `at` moves them to a moment."""
    items = []
    for i in range(n):
        task = claim.claim_next(project=project, annotator=person).assignment
        assert task is not None
        submit.submit_task(
            assignment=task, payload=payload(title=f"Title {i}", **changed), idempotency_key=f"key-{task.pk}"
        )
        items.append(Annotation.objects.get(assignment=task))
    if at is not None:
        Annotation.objects.filter(pk__in=[item.pk for item in items]).update(created_at=at)
    return items


def hand_in(assignment, key: str = "again", **changed) -> Annotation:
    """One more submit of an attempt as it stands now."""
    task = assignments.get_own_assignment(assignment.annotator, assignment.public_id)
    other_task = submit.submit_task(assignment=task, payload=payload(**changed), idempotency_key=key)
    return Annotation.objects.get(public_id=other_task.body["id"])


def save_inspection(annotation: Annotation, reviewer, **given):
    return verdicts.save_verdict(annotation=annotation, reviewer=reviewer, data=verdict(**given))


def make_small_project(slug: str = "news", reviewers: int = 2, annotators: int = 1, **options):
    """(project, annotators, reviewers) with frozen groups, so that summaries can be handed in at once."""
    project = make_project(slug, **{"documents": 1, "frozen": True, **options})
    return project, make_people(annotators, project), make_people(reviewers, project, Role.REVIEWER)

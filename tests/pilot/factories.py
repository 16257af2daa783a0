"""Projects with a pilot, and candidates who have written it."""

from annotation.models import Assignment, PilotCandidate, Project, Role, Sample
from annotation.services.pilot import decisions as pilot_decisions
from annotation.services.pilot import setup as pilot_setup
from annotation.services.tasks import assignments, claim, pilot_gate, submit
from tests.overlap.factories import second_summary
from tests.tasks.factories import make_people, make_project, payload

REASON = "Reads well; two requests met."


def with_pilot(
    slug: str = "news", *, samples: int = 2, annotators: int = 2, on: bool = True, start: int = 1, **options
):
    """(project, annotators, an admin): the first sample of each of the first sources is in the pilot."""
    project = make_project(slug, **{"documents": samples + 1, "groups": 1, "frozen": True, **options})
    people = make_people(annotators, project, start=start)
    (admin,) = make_people(1, project, Role.ADMIN, start=start)
    for sample in Sample.objects.filter(project=project, position=0).order_by("pk")[:samples]:
        pilot_setup.add_sample(project=project, sample=sample, by=admin)
    if on:
        pilot_setup.set_pilot_required(project=project, on=True, by=admin)
    return project, people, admin


def next_task(project: Project, person) -> Assignment | None:
    return claim.claim_next(project=project, annotator=person).assignment


def write_pilot(project: Project, person, **changed) -> list[Assignment]:
    """Hand in every pilot task; returns the attempts."""
    items = []
    while (task := next_task(project, person)) is not None:
        assert task.project.pilot_of_id == project.pk
        hand_in(task, **changed)
        items.append(task)
    return items


def hand_in(task: Assignment, **changed) -> None:
    loaded = assignments.get_own_assignment(task.annotator, task.public_id)
    submit.submit_task(assignment=loaded, payload=payload(**changed), idempotency_key=f"key-{task.pk}")


def find_candidate(project: Project, person) -> PilotCandidate:
    return PilotCandidate.objects.select_related("project", "pilot", "user").get(project=project, user=person)


def decide_candidate(project: Project, person, by, verdict: str = "qualified", reason: str = REASON) -> PilotCandidate:
    return pilot_decisions.decide_candidate(
        candidate=find_candidate(project, person), verdict=verdict, reason=reason, by=by
    )


def candidate_state(project: Project, person) -> str:
    return str(pilot_decisions.candidate_progress(find_candidate(project, person)).state)


def make_one_of_each(project: Project, by, annotator, rater, annotation) -> dict[str, object]:
    """A pilot sample, a candidate and a sample with two summaries, for tests that name objects in addresses."""
    free = list(pilot_setup.choosable_samples(project).order_by("-pk")[:2])
    chosen = {"topic": [{"text": "topic 1"}]} if free[0].group.frozen_at is None else None
    row = pilot_setup.add_sample(project=project, sample=free[0], by=by, chosen=chosen)
    result = pilot_gate.admit_candidate(pilot=row.pilot, user=annotator.pk, by=by)
    second_summary(annotation, rater)
    return {
        "pilot-samples": row.sample.public_id,
        "pilot-candidates": result.public_id,
        "samples": annotation.sample.public_id,
        "free": free[1].public_id,
    }

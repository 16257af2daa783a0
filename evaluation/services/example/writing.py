"""Three weeks of writing: four annotators claim, choose, ask, skip, write, and revise what comes back."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from django.contrib.auth.models import User

from annotation.models import Annotation, Assignment, AssignmentState, Project
from annotation.services.guidelines import gate
from annotation.services.tasks import assignments, choose, claim, drafts, questions, skip, submit
from annotation.services.tasks.active_time import Sign
from evaluation.services.example.clock import Clock
from evaluation.services.example.content import Summary, read_source

MINUTES = (5, 11)
"""Shortest and longest time for one summary."""


@dataclass
class Desk:
    """Where the annotators of the example work. skipped: keys of the summaries whose first annotator left them."""

    project: Project
    clock: Clock
    random: Random
    researcher: User
    skipped: set[tuple[str, int]] = field(default_factory=set)


def confirm_guideline(project: Project, writer: User) -> None:
    gate.confirm_guideline(
        project=project,
        user=writer,
        number=project.guideline_version.number,
        statement_hash=gate.hash_of(gate.statement_text(project)),
        allows_record=True,
    )


def write_next_unit(desk: Desk, writer: User) -> int:
    """Claim the writer's next group and write all of it; returns how many summaries, 0 if nothing is left."""
    result = claim.claim_next(project=desk.project, annotator=writer)
    written = 0
    while result.assignment is not None:
        assignment = assignments.get_own_assignment(writer, result.assignment.public_id)
        planned = _plan_for(assignment)
        if planned.skip and _key_of(assignment) not in desk.skipped:
            desk.skipped.add(_key_of(assignment))
            skip.skip_task(assignment=assignment, reason=planned.skip, note=planned.note)
        else:
            write_summary(desk, assignment, planned)
            written += 1
        if not Assignment.objects.filter(claim=assignment.claim_id, state=AssignmentState.CLAIMED).exists():
            break
        following = assignments.FIRST_OF_CLAIM.first(claim=assignment.claim_id)
        result = claim.ClaimResult(following)
    return written


def write_summary(desk: Desk, assignment: Assignment, planned: Summary) -> None:
    """Choose topics if nobody has, ask what is to be asked, save a draft and submit."""
    _choose_topics(assignment)
    assignment = assignments.get_own_assignment(assignment.annotator, assignment.public_id)
    if planned.question:
        _ask(desk, assignment, planned)
        assignment = assignments.get_own_assignment(assignment.annotator, assignment.public_id)
    n_earlier = Annotation.objects.filter(sample=assignment.sample).count()
    text = planned.first if planned.first and not n_earlier else planned.text
    desk.clock.advance(1)
    draft = getattr(assignment, "draft", None)  # of a run that was interrupted
    revision = draft.revision if draft is not None else 0
    for minute in range(desk.random.randint(*MINUTES)):
        payload = {"summary": text[: 20 * (minute + 1)]}
        revision = drafts.save_draft(
            assignment=assignment, payload=payload, revision=revision, sign=Sign("write")
        ).revision
        desk.clock.advance(1)
    _submit(assignment, planned, text)


def revise_returned(desk: Desk, writer: User) -> int:
    """Rewrite what a reviewer has returned to the writer; returns how many."""
    returned = Assignment.objects.filter(
        project=desk.project, annotator=writer, state=AssignmentState.RETURNED
    ).order_by("pk")
    for row in returned:
        assignment = assignments.get_own_assignment(writer, row.public_id)
        planned = _plan_for(assignment)
        desk.clock.advance(desk.random.randint(4, 8))
        _submit(assignment, planned, planned.text)
    return len(returned)


def _submit(assignment: Assignment, planned: Summary, text: str) -> None:
    fresh = assignments.get_own_assignment(assignment.annotator, assignment.public_id)
    payload: dict[str, Any] = {
        "summary": text,
        "title": planned.title,
        "relevant_segments": planned.marks,
        "spans": [],
        "confirmed_segments": True,
        "reread": True,
    }
    n_earlier = Annotation.objects.filter(assignment=fresh).count()
    submit.submit_task(assignment=fresh, payload=payload, idempotency_key=f"example-{n_earlier + 1}")


def _ask(desk: Desk, assignment: Assignment, planned: Summary) -> None:
    asked = questions.ask_question(assignment=assignment, text=planned.question)
    desk.clock.advance(35)
    questions.answer_question(question=asked, by=desk.researcher, text=planned.answer, kind=planned.kind)
    desk.clock.advance(10)
    questions.mark_answer_seen(question=asked)


def _choose_topics(assignment: Assignment) -> None:
    if assignment.group.frozen_at is not None:
        return
    topics = read_source(assignment.group.document.external_id).topics[assignment.group.position - 1]
    entries = [{"text": topic, "candidate": None} for topic in topics]
    choose.save_choice(assignment=assignment, chosen=dict.fromkeys(assignment.group.asks, entries))


def _key_of(assignment: Assignment) -> tuple[str, int]:
    assert assignment.sample is not None
    return assignment.group.document.external_id, assignment.sample.position


def _plan_for(assignment: Assignment) -> Summary:
    """What is written for the sample: the second text where another annotator has written already."""
    name, position = _key_of(assignment)
    source = read_source(name)
    others = Assignment.objects.filter(sample=assignment.sample, state__in=AssignmentState.LIVE_SUBMITTED)
    is_second = others.exclude(annotator=assignment.annotator_id).filter(pk__lt=assignment.pk).exists()
    return source.seconds[position] if is_second else source.summaries[position]


def list_planned(project: Project) -> Iterator[tuple[Annotation, Summary]]:
    """The newest revisions that have a text of the example, each with the plan it follows."""
    rows = Annotation.objects.filter(project=project, assignment__isnull=False).latest_revisions()
    for annotation in rows.select_related("assignment__group__document", "sample").order_by("pk"):
        assert annotation.assignment is not None
        yield annotation, _plan_for(annotation.assignment)

"""The reviewer's side of the three weeks: weekly samples, verdicts, and what comes back revised."""

from django.contrib.auth.models import User

from annotation.models import Annotation, AssignmentState, Verdict
from annotation.services.inspection import queue, verdicts, weekly_sample
from annotation.services.overlap import marks
from evaluation.services.example.content import Summary
from evaluation.services.example.writing import Desk, list_planned

SECONDS = (40.0, 150.0)
"""Shortest and longest look at a summary."""
SEED = "finished-example"
MARKED = 6
"""Samples with two summaries that staff have compared; the rest waits."""
LEFT_OPEN = 5
"""Summaries of the last week that nobody has inspected, so that a visitor can."""


def inspect_week(desk: Desk, *, week_of_example: int, reviewer: User, second: User, leave: int = 0) -> None:
    """Draw the week before and inspect its sample and every summary with a known fault.

    leave: how many drawn summaries stay uninspected.
    """
    week = weekly_sample.week_of(desk.clock.monday_of(week_of_example), desk.project)
    weekly_sample.draw_week(project=desk.project, week=week, by=reviewer, seed=SEED)
    _return_faulty(desk, reviewer)
    drawn = [row for row in queue.select_queue(project=desk.project, reviewer=reviewer, week=week) if not row.second]
    for row in sorted(drawn, key=lambda row: row.pk)[: len(drawn) - leave]:
        if queue.can_inspect(row, reviewer):
            _accept(desk, Annotation.objects.get(pk=row.annotation_id), reviewer)
    for row in queue.select_queue(project=desk.project, reviewer=second, week=week, state="open"):
        if row.second and row.looked and queue.can_inspect(row, second):
            _accept(desk, Annotation.objects.get(pk=row.annotation_id), second)


def inspect_revised(desk: Desk, reviewer: User) -> int:
    """Accept what was revised; returns how many."""
    revised = list(queue.list_resubmitted(desk.project))
    for annotation in revised:
        _accept(desk, annotation, reviewer)
    return len(revised)


def mark_overlaps(desk: Desk, by: User) -> None:
    """Compare the first samples that two annotators wrote: of every other one, only the first summary is exported."""
    for index, sample in enumerate(marks.overlapping_samples(desk.project).order_by("pk")[:MARKED]):
        desk.clock.advance(4)
        first = Annotation.objects.filter(sample=sample).latest_revisions().order_by("assignment_id")[0]
        is_one = index % 2 == 0
        marks.mark_sample(
            sample=sample, choice="one" if is_one else "all", by=by, annotation=str(first.public_id) if is_one else None
        )


def _return_faulty(desk: Desk, reviewer: User) -> None:
    """Return or reject the first texts that do not do what was asked."""
    for annotation, planned in list(list_planned(desk.project)):
        assert annotation.assignment is not None
        is_first_text = bool(planned.first) and annotation.payload["summary"] == planned.first
        if is_first_text and annotation.assignment.state == AssignmentState.SUBMITTED:
            _decide(desk, annotation, reviewer, planned)


def _accept(desk: Desk, annotation: Annotation, reviewer: User) -> None:
    _decide(desk, annotation, reviewer, None)


def _decide(desk: Desk, annotation: Annotation, reviewer: User, faulty: Summary | None) -> None:
    attempt = verdicts.load_attempt(annotation)
    parts = {part["key"]: {"verdict": Verdict.ACCEPT.value, "comment": ""} for part in verdicts.list_parts(attempt)}
    if faulty is not None:
        parts[faulty.part] = {"verdict": faulty.verdict, "comment": faulty.comment}
    desk.clock.advance(2)
    verdicts.save_verdict(
        annotation=annotation,
        reviewer=reviewer,
        data={"verdicts": parts, "comments": [], "comment": ""},
        seconds=round(desk.random.uniform(*SECONDS), 1),
    )

"""Inspection queue, progress per annotator and week, and accepting the rest of a week.

The same number of queries at any size.
"""

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import (
    Annotation,
    Assignment,
    AssignmentState,
    AuditVerb,
    Inspection,
    InspectionSample,
    InspectionWeek,
    Project,
    Verdict,
)
from annotation.services.core import audit
from annotation.services.core.errors import Conflict
from annotation.services.core.keyed_rows import KeyedRows
from annotation.services.core.list_pages import keep_while_unchanged
from annotation.services.core.prepared_queries import Among, IntParam, Param, Prepared, TextParam
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.core.withdrawn_people import text_gone
from annotation.services.inspection.weekly_sample import PASS, submitted_in_week
from annotation.transactions import write_transaction

WAITING, PASSED, FAILED, NOTHING = "waiting", "passed", "failed", "nothing"


class QueueRow(NamedTuple):
    """A row of the sample. source, position: of the sample. verdict: None while open. latest: the deciding verdict on
    the newest revision that has one. drawn, newest: public ids of the drawn revision and of the one to inspect. mine:
    this reviewer inspected it. looked: anybody did."""

    pk: int
    annotation_id: int
    annotator_id: int
    week: str
    second: bool
    reason: str
    source: str
    position: int
    verdict: str | None
    latest: str | None
    looked: bool
    drawn: UUID
    newest: UUID
    mine: bool
    attempt_state: str


def select_queue(
    *, project: Project, reviewer: AbstractBaseUser, week: str = "", annotator: int | None = None, state: str = ""
) -> "QuerySet[InspectionSample, QueueRow]":
    """Rows of the sample.

    state: `open` (also if its writer has taken it back for revision), `done` or "" for both.
    """
    return _add_columns(_filter_queue(project, week=week, annotator=annotator, state=state), reviewer.pk)


def _filter_queue(
    project: Project | Param, *, week: str | Param, annotator: int | Param | None, state: str
) -> "QuerySet[InspectionSample]":
    rows = InspectionSample.objects.filter(~text_gone("annotator"), project=project).order_by("-week", "pk")
    if week:  # as a range: for one value the database would walk the primary key, past the rows of all other weeks
        rows = rows.filter(week__gte=week, week__lte=week)
    if annotator is not None:
        rows = rows.filter(annotator=annotator)
    if state:
        has_verdict = Exists(Inspection.objects.filter(annotation=OuterRef("annotation"), second=OuterRef("second")))
        rows = rows.filter(~has_verdict if state == "open" else has_verdict)
    return rows


def _add_columns(rows: "QuerySet[InspectionSample]", reviewer: int | Param) -> "QuerySet[InspectionSample, QueueRow]":
    revisions = Annotation.objects.filter(assignment=OuterRef("annotation__assignment")).order_by("-revision")
    looks = Inspection.objects.filter(annotation=OuterRef("annotation"))
    decided = Inspection.objects.filter(annotation__assignment=OuterRef("annotation__assignment"), second=False)
    rows = rows.annotate(
        source=F("annotation__sample__document__external_id"),
        position=F("annotation__sample__position"),
        verdict=Subquery(looks.filter(second=OuterRef("second")).values("verdict")[:1]),
        latest=Subquery(decided.order_by("-annotation__revision").values("verdict")[:1]),
        looked=Exists(looks),
        drawn=F("annotation__public_id"),
        newest=Subquery(revisions.values("public_id")[:1]),
        mine=Exists(looks.filter(reviewer=reviewer)),
        attempt_state=F("annotation__assignment__state"),
    )
    return rows.values_list(*QueueRow._fields, named=True)


@functools.cache
def _queue_keys(in_week: bool, of_annotator: bool, state: str) -> Prepared[tuple[int]]:
    week, annotator = TextParam("week") if in_week else "", IntParam("annotator") if of_annotator else None
    return Prepared(
        lambda: _filter_queue(IntParam("project"), week=week, annotator=annotator, state=state).values_list("pk")
    )


QUEUE_ROWS: Prepared[tuple[Any, ...]] = Prepared(
    lambda: _add_columns(
        InspectionSample.objects.filter(Among("pk", "keys")).order_by("-week", "pk"), IntParam("reviewer")
    )
)


def load_queue(
    *, project: Project, reviewer: AbstractBaseUser, week: str = "", annotator: int | None = None, state: str = ""
) -> KeyedRows[QueueRow]:
    """What `select_queue` selects, by page."""
    keys = _queue_keys(bool(week), annotator is not None, state)
    return KeyedRows(
        project,
        ("queue", week, str(annotator), state),
        read_keys=lambda: keys.rows(project=project.pk, week=week, annotator=annotator),
        read_rows=lambda page: list(map(QueueRow._make, QUEUE_ROWS.rows(keys=page, reviewer=reviewer.pk))),
    )


def count_inspected(project: Project, week: str, reviewer: AbstractBaseUser) -> tuple[int, int]:
    """(inspected, to inspect) of a week's sample for this reviewer: second inspections count once they are done or
    can be done; the reviewer's own work counts only once inspected."""
    looks = Inspection.objects.filter(annotation=OuterRef("annotation"))
    rows = InspectionSample.objects.filter(project=project, week=week).annotate(
        done=Exists(looks.filter(second=OuterRef("second"))),
        looked=Exists(looks),
        mine=Exists(looks.filter(reviewer_id=reviewer.pk)),
    )
    may = ~Q(annotator_id=reviewer.pk) & (Q(second=False) | Q(looked=True, mine=False))
    totals = rows.aggregate(inspected=Count("pk", filter=Q(done=True)), total=Count("pk", filter=Q(done=True) | may))
    return totals["inspected"], totals["total"]


def can_inspect(row: "QueueRow", reviewer: AbstractBaseUser) -> bool:
    """Whether this reviewer can give the verdict of a row of `select_queue` now."""
    if row.verdict is not None or row.mine or row.annotator_id == reviewer.pk:
        return False
    decided: bool = row.looked
    return bool(row.second if decided else row.attempt_state == AssignmentState.SUBMITTED)


def next_to_inspect(*, project: Project, reviewer: AbstractBaseUser, week: str = "") -> str | None:
    """Public id of the next annotation to inspect: first resubmitted ones, then the sample, oldest week first."""
    resubmitted = list_resubmitted(project).exclude(assignment__annotator_id=reviewer.pk).first()
    if resubmitted is not None:
        return str(resubmitted.public_id)
    row, is_first = _next_of_sample(project, reviewer, week)
    if row is None:
        return None
    if not is_first:
        return str(row.annotation.public_id)
    newest = Annotation.objects.filter(assignment=row.annotation.assignment).order_by("-revision")
    return str(newest.values_list("public_id", flat=True)[0])


def has_next(*, project: Project, reviewer: AbstractBaseUser, resubmitted: Sequence[Annotation], is_all: bool) -> bool:
    """Whether `next_to_inspect` has one. resubmitted: the first of `list_resubmitted`, or all of them."""
    if any(row.assignment is not None and row.assignment.annotator_id != reviewer.pk for row in resubmitted):
        return True
    if not is_all:
        return next_to_inspect(project=project, reviewer=reviewer) is not None
    return keep_while_unchanged(
        project,
        ("next of sample", str(reviewer.pk)),
        lambda: any(rows.exists() for rows in _select_open(project, reviewer, "")),
    )


def _next_of_sample(project: Project, reviewer: AbstractBaseUser, week: str) -> tuple[InspectionSample | None, bool]:
    """The first row of the sample that this reviewer can inspect now, and whether its summary has no verdict yet."""
    kinds = _select_open(project, reviewer, week)
    first, second = (rows.select_related("annotation__assignment").order_by("week", "pk").first() for rows in kinds)
    if first is None or (second is not None and (second.week, second.pk) < (first.week, first.pk)):
        return second, False
    return first, True


def _select_open(
    project: Project, reviewer: AbstractBaseUser, week: str
) -> tuple["QuerySet[InspectionSample]", "QuerySet[InspectionSample]"]:
    """The rows of the sample that this reviewer can inspect now, as `can_inspect` says: those without a verdict, and
    those for a second one. Apart: with both in one, the database checks every row by itself."""
    looks = Inspection.objects.filter(annotation=OuterRef("annotation"))
    rows = InspectionSample.objects.filter(~text_gone("annotator"), project=project).exclude(annotator_id=reviewer.pk)
    if week:
        rows = rows.filter(week=week)
    first = rows.filter(~Exists(looks), annotation__assignment__state=AssignmentState.SUBMITTED)
    is_mine, has_second = looks.filter(reviewer_id=reviewer.pk), looks.filter(second=True)
    second = rows.filter(Exists(looks), ~Exists(has_second), ~Exists(is_mine), second=True)
    return first, second


def list_resubmitted(project: Project | Param) -> "QuerySet[Annotation]":
    """Revisions submitted after a reviewer returned the previous one: each is inspected again, drawn or not."""
    rows = select_resubmitted().filter(project=project).select_related("sample__document", "assignment")
    return rows.defer("raw_json", "sample__document__metadata_json").order_by("pk")


def select_resubmitted() -> "QuerySet[Annotation]":
    """What `list_resubmitted` lists, of every project."""
    looks = Inspection.objects.filter(annotation__assignment=OuterRef("assignment"), second=False)
    newer = Annotation.objects.filter(assignment=OuterRef("assignment"), revision__gt=OuterRef("revision"))
    rows = Annotation.objects.filter(~text_gone(), revision__gt=1, assignment__state=AssignmentState.SUBMITTED)
    return rows.filter(Exists(looks), ~Exists(newer), inspections__isnull=True)


@dataclass(slots=True)
class WeekProgress:
    """Progress of an annotator's week. share: accepted on first inspection, of those drawn and inspected. letter: what
    reviewers call the annotator in this week."""

    annotator: int
    pseudonym: str
    letter: str = ""
    handed_in: int = 0
    undecided: int = 0
    drawn: int = 0
    to_inspect: int = 0
    inspected: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    accepted_of_drawn: int = 0
    inspected_of_drawn: int = 0

    @property
    def share(self) -> float | None:
        return self.accepted_of_drawn / self.inspected_of_drawn if self.inspected_of_drawn else None

    @property
    def outcome(self) -> str:
        """waiting until all drawn rows are inspected, then passed | failed; nothing: not drawn."""
        if not self.drawn:
            return NOTHING
        if self.inspected_of_drawn < self.drawn:
            return WAITING
        return PASSED if (self.share or 0) >= PASS else FAILED

    @property
    def in_full(self) -> bool:
        return self.to_inspect > self.drawn


def list_progress(project: Project, week: str) -> list[WeekProgress]:
    """Progress of every annotator with submissions in that week, by pseudonym. Two queries."""
    names = Pseudonyms(project)
    progress_by_annotator: dict[int, WeekProgress] = {}

    def progress_for(annotator: int) -> WeekProgress:
        return progress_by_annotator.setdefault(annotator, WeekProgress(annotator, str(names.of(annotator))))

    counts = submitted_in_week(project, week).values_list("assignment__annotator_id", "assignment__state")
    for annotator, state, n in counts.annotate(n=Count("pk")).order_by():
        progress_for(annotator).handed_in += n
        progress_for(annotator).undecided += n if state == AssignmentState.SUBMITTED else 0
    deciding_verdict = Inspection.objects.filter(annotation=OuterRef("annotation"), second=False).values("verdict")[:1]
    rows = InspectionSample.objects.filter(project=project, week=week, second=False).annotate(
        verdict=Subquery(deciding_verdict)
    )
    for annotator, reason, verdict in rows.values_list("annotator_id", "reason", "verdict"):
        person_progress = progress_for(annotator)
        drawn = reason == InspectionSample.Reason.DRAWN
        person_progress.to_inspect += 1
        person_progress.drawn += drawn
        if verdict is not None:
            person_progress.inspected += 1
            person_progress.verdicts[verdict] += 1
            person_progress.inspected_of_drawn += drawn
            person_progress.accepted_of_drawn += drawn and verdict == Verdict.ACCEPT
    standings = sorted(progress_by_annotator.values(), key=lambda person_progress: person_progress.pseudonym)
    for place, standing in enumerate(standings):
        standing.letter = format_letter(place)
    return standings


def keep_progress(project: Project, week: str) -> list[WeekProgress]:
    """`list_progress` for pages that only show it: counted again after a write in the project."""
    return keep_while_unchanged(project, ("progress of week", week), lambda: list_progress(project, week))


def find_letter(project: Project, week: str, annotator: int) -> str:
    """What `list_progress` calls an annotator of the week; "" for others. Two queries."""
    names = Pseudonyms(project)
    drawn = InspectionSample.objects.filter(project=project, week=week, second=False).order_by()
    submitted = submitted_in_week(project, week).order_by()
    people = {*drawn.values_list("annotator_id", flat=True).distinct()}
    people |= {*submitted.values_list("assignment__annotator_id", flat=True).distinct()}
    if annotator not in people:
        return ""
    return format_letter(sorted(str(names.of(person)) for person in people).index(str(names.of(annotator))))


def format_letter(place: int) -> str:
    """0 -> A, 25 -> Z, 26 -> AA."""
    letters = ""
    while place >= 0:
        letters = chr(ord("A") + place % 26) + letters
        place = place // 26 - 1
    return letters


class DrawnWeek(NamedTuple):
    """See InspectionWeek."""

    week: str
    seed: str
    final: bool
    drawn_at: datetime


DRAWN_WEEKS: Prepared[tuple[Any, ...]] = Prepared(
    lambda: InspectionWeek.objects.filter(project=IntParam("project")).values_list(*DrawnWeek._fields)
)
NEWEST_WEEK: Prepared[tuple[str]] = Prepared(
    lambda: (
        InspectionSample.objects.filter(project=IntParam("project"))
        .exclude(week=TextParam("now_week"))
        .order_by("-week")
        .values_list("week")[:1]
    )
)


def load_drawn_weeks(project: Project) -> dict[str, DrawnWeek]:
    """By their names."""
    rows = DRAWN_WEEKS.rows(project=project.pk)
    return {row[0]: DrawnWeek._make(row) for row in rows}


def week_to_open(project: Project, *, now_week: str) -> str:
    """The newest finished week with something to inspect, else the current one. Weeks without work are drawn too."""
    newest = NEWEST_WEEK.first(project=project.pk, now_week=now_week)
    return newest[0] if newest else now_week


def undecided_in_week(project: Project, week: str, annotator: int) -> "QuerySet[Annotation]":
    """What accepting the rest of a week would accept: submitted, without any verdict, never returned."""
    looks = Inspection.objects.filter(annotation__assignment=OuterRef("assignment"))
    rows = submitted_in_week(project, week).filter(assignment__annotator_id=annotator)
    return rows.filter(~Exists(looks), assignment__state=AssignmentState.SUBMITTED).order_by("pk")


def accept_undecided(*, project: Project, week: str, annotator: int, expected: int, by: AbstractBaseUser) -> int:
    """Accept the rest of an annotator's week if its inspection passed; returns how many.

    expected: the number shown in the preview; Conflict if it has changed, or the week has not passed.
    """
    with write_transaction():
        person_progress = next((row for row in list_progress(project, week) if row.annotator == annotator), None)
        if person_progress is None or person_progress.outcome != PASSED:
            raise Conflict(_("The inspection of this week has not passed; nothing was accepted."), code="not_passed")
        ids = list(undecided_in_week(project, week, annotator).values_list("assignment_id", flat=True))
        if len(ids) != expected:
            message = ngettext(
                "There is %(n)d summary now, not %(expected)d. Check the list again before you accept it.",
                "There are %(n)d summaries now, not %(expected)d. Check the list again before you accept them.",
                len(ids),
            )
            raise Conflict(message % {"n": len(ids), "expected": expected}, code="changed")
        n_accepted = 0
        for start in range(0, len(ids), 500):
            rows = Assignment.objects.filter(pk__in=ids[start : start + 500], state=AssignmentState.SUBMITTED)
            n_accepted += rows.update(state=AssignmentState.ACCEPTED)
        audit.record_event(
            project=project,
            actor=by,
            verb=AuditVerb.INSPECTION_ACCEPT_WEEK,
            target=f"project:{project.public_id}",
            week=week,
            annotator=annotator,
            accepted=n_accepted,
        )
    return n_accepted

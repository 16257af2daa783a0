"""Inspection queue, progress per annotator and week, and accepting the rest of a week.

The same number of queries at any size.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
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
from annotation.services.core.kept_results import keep_while_unchanged
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.core.withdrawn_people import text_gone
from annotation.services.inspection.weekly_sample import PASS, submitted_in_week
from annotation.transactions import write_transaction

WAITING, PASSED, FAILED, NOTHING = "waiting", "passed", "failed", "nothing"


QUEUE_COLUMNS = (
    *("annotation_id", "annotator_id", "week", "second", "reason"),
    *("annotation__public_id", "annotation__assignment__state"),
    *("annotation__sample__position", "annotation__sample__document__external_id"),
)


def select_queue(
    *, project: Project, reviewer: AbstractBaseUser, week: str = "", annotator: int | None = None, state: str = ""
) -> "QuerySet[Any]":
    """Rows of the sample with their summary, its attempt and its source, of which only `QUEUE_COLUMNS` are loaded.
    verdict: None while open. latest: the deciding verdict on the newest revision that has one. newest: public id of
    the revision to inspect. mine: this reviewer inspected it. looked: anybody did.

    state: `open` (also if its writer has taken it back for revision), `done` or "" for both.
    """
    rows = _filter_queue(project, week=week, annotator=annotator, state=state)
    looks = Inspection.objects.filter(annotation=OuterRef("annotation"))
    revisions = Annotation.objects.filter(assignment=OuterRef("annotation__assignment")).order_by("-revision")
    decided = Inspection.objects.filter(annotation__assignment=OuterRef("annotation__assignment"), second=False)
    rows = rows.annotate(
        verdict=Subquery(looks.filter(second=OuterRef("second")).values("verdict")[:1]),
        latest=Subquery(decided.order_by("-annotation__revision").values("verdict")[:1]),
        looked=Exists(looks),
        newest=Subquery(revisions.values("public_id")[:1]),
        mine=Exists(looks.filter(reviewer=reviewer.pk)),
    )
    return rows.select_related("annotation__assignment", "annotation__sample__document").only(*QUEUE_COLUMNS)


def _filter_queue(project: Project, *, week: str, annotator: int | None, state: str) -> "QuerySet[InspectionSample]":
    rows = InspectionSample.objects.filter(~text_gone("annotator"), project=project).order_by("-week", "pk")
    if week:
        rows = rows.filter(week=week)
    if annotator is not None:
        rows = rows.filter(annotator=annotator)
    if state:
        has_verdict = Exists(Inspection.objects.filter(annotation=OuterRef("annotation"), second=OuterRef("second")))
        rows = rows.filter(~has_verdict if state == "open" else has_verdict)
    return rows


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


def can_inspect(row: Any, reviewer: AbstractBaseUser) -> bool:
    """Whether this reviewer can give the verdict of a row of `select_queue` now."""
    if row.verdict is not None or row.mine or row.annotator_id == reviewer.pk:
        return False
    decided: bool = row.looked
    return bool(row.second if decided else row.annotation.assignment.state == AssignmentState.SUBMITTED)


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


def list_resubmitted(project: Project) -> "QuerySet[Annotation]":
    """Revisions submitted after a reviewer returned the previous one: each is inspected again, drawn or not."""
    rows = select_resubmitted().filter(project=project).select_related("sample__document", "assignment")
    return rows.defer("raw_json", "sample__document__metadata_json").order_by("pk")


def select_resubmitted() -> "QuerySet[Annotation]":
    """What `list_resubmitted` lists, of every project."""
    looks = Inspection.objects.filter(annotation__assignment=OuterRef("assignment"), second=False)
    newer = Annotation.objects.filter(assignment=OuterRef("assignment"), revision__gt=OuterRef("revision"))
    rows = Annotation.objects.filter(~text_gone(), revision__gt=1, assignment__state=AssignmentState.SUBMITTED)
    return rows.filter(Exists(looks), ~Exists(newer), inspections__isnull=True)


@dataclass(frozen=True, slots=True)
class WeekProgress:
    """Progress of an annotator's week. share: accepted on first inspection, of those drawn and inspected. letter: what
    reviewers call the annotator in this week."""

    annotator: int
    pseudonym: str
    letter: str
    verdicts: Mapping[str, int]
    handed_in: int = 0
    undecided: int = 0
    drawn: int = 0
    to_inspect: int = 0
    inspected: int = 0
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


def list_progress(project: Project, week: str) -> Sequence[WeekProgress]:
    """Progress of every annotator with submissions in that week, by pseudonym. Two queries."""
    counts_by_annotator: dict[int, Counter[str]] = defaultdict(Counter)
    verdicts_by_annotator: dict[int, Counter[str]] = defaultdict(Counter)
    counts = submitted_in_week(project, week).values_list("assignment__annotator_id", "assignment__state")
    for annotator, state, n in counts.annotate(n=Count("pk")).order_by():
        n_undecided = n if state == AssignmentState.SUBMITTED else 0
        counts_by_annotator[annotator].update(handed_in=n, undecided=n_undecided)
    deciding_verdict = Inspection.objects.filter(annotation=OuterRef("annotation"), second=False).values("verdict")[:1]
    rows = InspectionSample.objects.filter(project=project, week=week, second=False).annotate(
        verdict=Subquery(deciding_verdict)
    )
    for annotator, reason, verdict in rows.values_list("annotator_id", "reason", "verdict"):
        drawn = reason == InspectionSample.Reason.DRAWN
        counts_by_annotator[annotator].update(to_inspect=1, drawn=drawn)
        if verdict is not None:
            accepted = drawn and verdict == Verdict.ACCEPT
            counts_by_annotator[annotator].update(inspected=1, inspected_of_drawn=drawn, accepted_of_drawn=accepted)
            verdicts_by_annotator[annotator][verdict] += 1
    names = Pseudonyms(project)
    people = sorted((str(names.of(annotator)), annotator) for annotator in counts_by_annotator)
    return tuple(
        WeekProgress(
            annotator,
            pseudonym,
            format_letter(index),
            MappingProxyType(verdicts_by_annotator[annotator]),
            **counts_by_annotator[annotator],
        )
        for index, (pseudonym, annotator) in enumerate(people)
    )


def keep_progress(project: Project, week: str) -> Sequence[WeekProgress]:
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


def load_drawn_weeks(project: Project) -> dict[str, InspectionWeek]:
    """By their names."""
    return {row.week: row for row in InspectionWeek.objects.filter(project=project)}


def week_to_open(project: Project, *, now_week: str) -> str:
    """The newest finished week with something to inspect, else the current one. Weeks without work are drawn too."""
    weeks = InspectionSample.objects.filter(project=project).exclude(week=now_week).order_by("-week")
    return weeks.values_list("week", flat=True).first() or now_week


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

"""The staff dashboard: progress and quality per annotator, inspections, last export, and alerts."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone

from annotation.jobs import count_workers
from annotation.models import (
    Annotation,
    AssignmentState,
    Claim,
    Group,
    Inspection,
    InspectionSample,
    Job,
    JobState,
    Membership,
    PoolExit,
    Project,
    Role,
)
from annotation.services.core.list_pages import LARGE, keep_while_unchanged
from annotation.services.core.prepared_queries import Among, DateTimeParam, IntParam, Prepared
from annotation.services.staff import skipped_samples
from annotation.services.staff.counts_cache import Counts
from annotation.services.staff.header_counts import build_count
from annotation.services.staff.pipeline_counts import Cell
from annotation.services.tasks.active_time import minutes_of

RECENT = 300
"""How many of the newest summaries (and groups) are read for paces and choices."""
STUCK = timedelta(minutes=5)
"""A lease that expired longer ago than this should have been swept."""
FEW = 20
"""Minimum number of decided tasks for a meaningful skip rate."""
LOW = 0.6
LEAST_EXPECTED = 5.0

NEWEST_JOBS: Prepared[Job] = Prepared(
    lambda: (
        Job.objects.filter(project=IntParam("project"))
        .select_related("requested_by")
        .defer("result", "faults")
        .order_by("-id")[:5]
    )
)
LAST_EXPORT: Prepared[tuple[datetime, dict[str, Any]]] = Prepared(
    lambda: (
        Job.objects.done()
        .filter(project=IntParam("project"), kind="export")
        .order_by("-id")
        .values_list("finished_at", "result")[:1]
    )
)


def _build_waiting_jobs() -> "QuerySet[Job, tuple[str, int, datetime]]":
    """(queue, number, since when) of jobs that nobody works on, if nobody serves their queue."""
    lost = Q(state=JobState.RUNNING, lease_until__lt=DateTimeParam("now"))
    jobs = Job.objects.filter(Q(state=JobState.QUEUED) | lost, project=IntParam("project")).order_by()
    return jobs.values_list("queue").annotate(n=Count("pk"), since=Min("created_at"))


def _build_stuck_and_out() -> "QuerySet[Project, tuple[int, int]]":
    project = IntParam("project")
    stuck = Claim.objects.filter(project=project, closed_at=None, lease_until__lt=DateTimeParam("before"))
    out = PoolExit.objects.filter(project=project, back_at=None, redrawn=None)
    return Project.objects.filter(pk=project).values_list(build_count(stuck), build_count(out))


WAITING_JOBS: Prepared[tuple[str, int, datetime]] = Prepared(_build_waiting_jobs)
STUCK_AND_OUT: Prepared[tuple[int, int]] = Prepared(_build_stuck_and_out)


@dataclass(slots=True)
class RecentWork:
    """What the newest summaries and groups say about one annotator. pace: median minutes; active: whether they are
    active minutes, not wall time from the first draft to submission. picked, own: candidates chosen as they are or
    edited, and texts of the annotator's own."""

    pace: float | None = None
    pace_n: int = 0
    active: bool = False
    picked: int = 0
    own: int = 0
    last: datetime | None = None

    @property
    def chosen(self) -> int:
        return self.picked + self.own


@dataclass(slots=True)
class PersonRow:
    """One annotator. user: only the name is loaded."""

    user: User
    states: Counter[str] = field(default_factory=Counter)
    work: RecentWork = field(default_factory=RecentWork)

    @property
    def done(self) -> int:
        return sum(self.states[state] for state in AssignmentState.SUBMITTED_ONCE)

    @property
    def held(self) -> int:
        return self.states[AssignmentState.CLAIMED]

    @property
    def skipped(self) -> int:
        return self.states[AssignmentState.SKIPPED]

    @property
    def skip_rate(self) -> float | None:
        return self.skipped / (self.done + self.skipped) if self.done + self.skipped else None

    @property
    def skips_much(self) -> bool:
        return self.done + self.skipped >= FEW and (self.skip_rate or 0) > skipped_samples.ALERT

    @property
    def accepted(self) -> int:
        return self.states[AssignmentState.ACCEPTED]

    @property
    def judged(self) -> int:
        turned_down = self.states[AssignmentState.RETURNED] + self.states[AssignmentState.REJECTED]
        return self.accepted + turned_down


def _build_people() -> "QuerySet[User]":
    role = Membership.objects.filter(project=IntParam("project"), role=Role.ANNOTATOR).values("user_id")
    users = User.objects.filter(Q(pk__in=role) | Q(Among("pk", "people")))
    return users.only("username").order_by("username", "pk")


PEOPLE: Prepared[User] = Prepared(_build_people)


def list_people(project: Project, counts: Counts) -> list[PersonRow]:
    """Annotators of the project and other users with attempts in it, by name. Two queries, four after a write in the
    project."""
    states: dict[int, Counter[str]] = defaultdict(Counter)
    for user, state, n in counts.states:
        states[user][state] = n
    work = keep_while_unchanged(project, ("recent work",), lambda: _read_recent_work(project))
    users = PEOPLE.rows(project=project.pk, people=states)
    return [PersonRow(user, states[user.pk], work.get(user.pk, RecentWork())) for user in users]


def _read_recent_work(project: Project) -> dict[int, RecentWork]:
    """By user id."""
    work: dict[int, RecentWork] = defaultdict(RecentWork)
    _add_paces(project, work)
    _add_choices(project, work)
    return dict(work)


def _add_paces(project: Project, work: dict[int, RecentWork]) -> None:
    recent = Annotation.objects.filter(project=project, assignment__isnull=False).order_by("-pk")
    paces_by_user: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    summaries = recent.values_list("assignment__annotator_id", "timings", "revision", "created_at")[:RECENT]
    for user, timings, revision, at in summaries:
        work[user].last = work[user].last or at
        minutes, active = minutes_of(timings)
        if minutes is not None and revision == 1:
            paces_by_user[user].append((minutes, active))
    for user, paces in paces_by_user.items():
        pace_minutes = [minutes for minutes, active in paces if active] or [minutes for minutes, _active in paces]
        work[user].pace, work[user].pace_n = median(pace_minutes), len(pace_minutes)
        work[user].active = any(active for _minutes, active in paces)


def _add_choices(project: Project, work: dict[int, RecentWork]) -> None:
    groups = Group.objects.filter(project=project, chosen_by__isnull=False).order_by("-pk")
    for user, decisions in groups.values_list("chosen_by_id", "decisions")[:RECENT]:
        actions = [decision.get("action") for decision in decisions]
        work[user].own += actions.count("own")
        work[user].picked += actions.count("picked") + actions.count("edited")


@dataclass(frozen=True, slots=True)
class Stages:
    """The last stages of the pipeline: summaries drawn for inspection, how many of these are inspected, and how many
    summaries the last export wrote (None: not known)."""

    inspected: int
    to_inspect: int
    exported_at: datetime | None
    exported: int | None


def count_stages(project: Project) -> Stages:
    """Two queries in a large project, else three."""
    inspected, drawn = keep_while_unchanged(
        project,
        ("inspected and drawn",),
        lambda: _count_inspected(project),
        is_large=lambda inspected_and_drawn: inspected_and_drawn[1] >= LARGE,
    )
    at, result = LAST_EXPORT.first(project=project.pk) or (None, {})
    n_exported = (result.get("counts") or {}).get("summaries")
    return Stages(inspected, drawn, at, n_exported if isinstance(n_exported, int) else None)


def _count_inspected(project: Project) -> tuple[int, int]:
    drawn = InspectionSample.objects.filter(project=project, second=False)
    inspections = Inspection.objects.filter(project=project, second=False, annotation__inspection_samples__second=False)
    return inspections.count(), drawn.count()


@dataclass(frozen=True, slots=True)
class Alerts:
    """Problems for staff. queued, queued_since: jobs on queues without a running worker, and these queues, unserved;
    stuck: expired leases not swept; out: samples that left the pool and were not handled; uneven: combinations far
    behind the others."""

    queued: int
    queued_since: datetime | None
    unserved: Sequence[str]
    stuck: int
    skipping: Sequence[PersonRow]
    unfillable: int
    out: int
    uneven: Sequence[Cell]

    def __bool__(self) -> bool:
        return bool(self.queued or self.stuck or self.skipping or self.unfillable or self.out or self.uneven)


def find_alerts(project: Project, counts: Counts, rows: Sequence[PersonRow]) -> Alerts:
    """Two queries, four where jobs wait, beside what is counted."""
    now = timezone.now()
    waiting = WAITING_JOBS.rows(project=project.pk, now=now)
    if waiting:
        served = count_workers()
        waiting = [row for row in waiting if row[0] not in served]
    stuck, out = STUCK_AND_OUT.rows(project=project.pk, before=now - STUCK)[0]
    return Alerts(
        queued=sum(n for _queue, n, _since in waiting),
        queued_since=min((since for _queue, _n, since in waiting), default=None),
        unserved=sorted(queue for queue, _n, _since in waiting),
        stuck=stuck,
        skipping=[row for row in rows if row.skips_much],
        # Without annotators the next step already says so.
        unfillable=counts.unfillable if rows else 0,
        out=out,
        uneven=find_uneven_cells(counts.coverage),
    )


def find_uneven_cells(cells: Sequence[Cell]) -> list[Cell]:
    """Combinations with less than 60 % of the summaries expected if all progressed equally."""
    total_wanted, total_written = sum(cell.wanted for cell in cells), sum(cell.written for cell in cells)
    if not total_wanted:
        return []
    fair = {cell.combination: total_written * cell.wanted / total_wanted for cell in cells}
    return [
        cell
        for cell in cells
        if fair[cell.combination] >= LEAST_EXPECTED and cell.written < LOW * fair[cell.combination]
    ]


def newest_jobs(project: Project) -> list[Job]:
    """The last five."""
    return NEWEST_JOBS.rows(project=project.pk)

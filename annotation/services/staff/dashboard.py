"""The staff dashboard: progress and quality per annotator, inspections, last export, and alerts."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from statistics import median
from types import MappingProxyType

from django.contrib.auth.models import User
from django.db.models import Count, Min, Q
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
from annotation.services.core.kept_results import keep_while_unchanged
from annotation.services.core.list_pages import LARGE
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


@dataclass(frozen=True, slots=True)
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


def list_people(project: Project, counts: Counts) -> list[PersonRow]:
    """Annotators of the project and other users with attempts in it, by name. Two queries, four after a write in the
    project."""
    states: dict[int, Counter[str]] = defaultdict(Counter)
    for user, state, n in counts.states:
        states[user][state] = n
    work = keep_while_unchanged(project, ("recent work",), lambda: _read_recent_work(project))
    annotators = Membership.objects.filter(project=project, role=Role.ANNOTATOR).values("user_id")
    users = User.objects.filter(Q(pk__in=annotators) | Q(pk__in=states)).only("username").order_by("username", "pk")
    return [PersonRow(user, states[user.pk], work.get(user.pk, RecentWork())) for user in users]


def _read_recent_work(project: Project) -> Mapping[int, RecentWork]:
    """By user id."""
    work = _read_paces(project)
    for user, n_actions in _count_choices(project).items():
        n_picked = n_actions["picked"] + n_actions["edited"]
        work[user] = replace(work.get(user, RecentWork()), picked=n_picked, own=n_actions["own"])
    return MappingProxyType(work)


def _read_paces(project: Project) -> dict[int, RecentWork]:
    recent = Annotation.objects.filter(project=project, assignment__isnull=False).order_by("-pk")
    last_by_user: dict[int, datetime] = {}
    paces_by_user: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    summaries = recent.values_list("assignment__annotator_id", "timings", "revision", "created_at")[:RECENT]
    for user, timings, revision, at in summaries:
        last_by_user.setdefault(user, at)
        minutes, active = minutes_of(timings)
        if minutes is not None and revision == 1:
            paces_by_user[user].append((minutes, active))
    return {user: _build_pace(paces_by_user[user], last) for user, last in last_by_user.items()}


def _build_pace(paces: Sequence[tuple[float, bool]], last: datetime) -> RecentWork:
    """paces: (minutes, whether they are active minutes)."""
    if not paces:
        return RecentWork(last=last)
    minutes = [minutes for minutes, active in paces if active] or [minutes for minutes, _active in paces]
    return RecentWork(median(minutes), len(minutes), any(active for _minutes, active in paces), last=last)


def _count_choices(project: Project) -> dict[int, Counter[str]]:
    """Decisions about candidates by user id and action."""
    groups = Group.objects.filter(project=project, chosen_by__isnull=False).order_by("-pk")
    n_actions: dict[int, Counter[str]] = defaultdict(Counter)
    for user, decisions in groups.values_list("chosen_by_id", "decisions")[:RECENT]:
        n_actions[user].update(decision.get("action") for decision in decisions)
    return n_actions


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
    exports = Job.objects.done().filter(project=project, kind="export").order_by("-id")
    at, result = exports.values_list("finished_at", "result").first() or (None, {})
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
    waiting = _list_waiting_jobs(project)
    if waiting:
        served = count_workers()
        waiting = [row for row in waiting if row[0] not in served]
    stuck, out = _count_stuck_and_out(project)
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


def _list_waiting_jobs(project: Project) -> list[tuple[str, int, datetime]]:
    """(queue, number, since when) of jobs that no worker processes, if none serves their queue."""
    lost = Q(state=JobState.RUNNING, lease_until__lt=timezone.now())
    jobs = Job.objects.filter(Q(state=JobState.QUEUED) | lost, project=project).order_by()
    return list(jobs.values_list("queue").annotate(n=Count("pk"), since=Min("created_at")))


def _count_stuck_and_out(project: Project) -> tuple[int, int]:
    """Expired leases that were not swept, and samples that left the pool and were not handled. One query."""
    stuck = Claim.objects.filter(project=project, closed_at=None, lease_until__lt=timezone.now() - STUCK)
    out = PoolExit.objects.filter(project=project, back_at=None, redrawn=None)
    n_stuck, n_out = Project.objects.filter(pk=project.pk).values_list(build_count(stuck), build_count(out))[0]
    return n_stuck, n_out


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
    jobs = Job.objects.filter(project=project).select_related("requested_by").defer("result", "faults")
    return list(jobs.order_by("-id")[:5])

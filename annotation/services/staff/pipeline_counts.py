"""Counts of a project's pipeline for dashboards; the same number of queries at any size."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Min, OuterRef, Q, QuerySet, Subquery

from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.models import (
    ASKS_NOTHING,
    IMPORTED,
    IS_REFERENCE,
    Assignment,
    AssignmentState,
    Group,
    Membership,
    PilotCandidate,
    PilotSample,
    PilotState,
    Project,
    Role,
    Sample,
    Slot,
    SlotState,
    SourceDocument,
)
from annotation.services.core import access
from annotation.services.staff.project_progress import ProjectProgress, load_progress
from annotation.services.tasks import pilot_gate

MOST_PROJECTS = 200
STAFF_ROLES = frozenset(role.value for role in access.STAFF)


@dataclass(frozen=True)
class Pipeline:
    """Counts of each stage of a dataset."""

    sources: int = 0
    damaged: int = 0
    set_aside: int = 0
    with_candidates: int = 0
    to_extract: int = 0
    groups: int = 0
    asked: int = 0  # groups that ask for topics or speakers
    chosen: int = 0  # of these
    samples: int = 0
    references: int = 0  # summaries that came with sources and ask for nothing; in no other count
    slots: int = 0
    filled: int = 0
    taken: int = 0
    parked: int = 0
    skipped: int = 0
    annotators: int = 0

    @property
    def open(self) -> int:
        return self.slots - self.filled - self.taken - self.parked


def count_pipeline(project: Project) -> Pipeline:
    """Five queries, whatever the size."""
    sources = SourceDocument.objects.filter(project=project).aggregate(
        sources=Count("pk"),
        n_damaged=Count("pk", filter=Q(damaged=True)),
        set_aside=Count("pk", filter=Q(selected=False, damaged=False)),
        with_candidates=Count("pk", filter=~Q(extractor="")),
        to_extract=Count("pk", filter=Q(extractor="", selected=True, damaged=False)),
    )
    asks = ~Q(asks=[])
    groups = Group.objects.filter(project=project).aggregate(
        groups=Count("pk"), asked=Count("pk", filter=asks), chosen=Count("frozen_at", filter=asks)
    )
    samples = (
        Sample.objects.active()
        .filter(project=project)
        .aggregate(
            n=Count("pk"),
            unasked=Count("pk", filter=ASKS_NOTHING),
            unasked_groups=Count("group", filter=ASKS_NOTHING, distinct=True),
            references=Count("pk", filter=IS_REFERENCE),
        )
    )
    groups["groups"] -= samples["unasked_groups"]
    states = dict(
        Slot.objects.filter(project=project, sample__isnull=False)
        .values_list("state")
        .annotate(n=Count("pk"))
        .values_list("state", "n")
    )
    people = Project.objects.filter(pk=project.pk).aggregate(
        annotators=Count(
            "memberships",
            filter=Q(memberships__role=Role.ANNOTATOR, memberships__user__is_active=True),
            distinct=True,
        )
    )
    skipped = Assignment.objects.filter(project=project, state=AssignmentState.SKIPPED).count()
    return Pipeline(
        damaged=sources.pop("n_damaged"),
        **sources,
        **groups,
        **people,
        samples=samples["n"] - samples["unasked"],
        references=samples["references"],
        slots=sum(states.values()),
        filled=states.get(SlotState.FILLED, 0),
        taken=states.get(SlotState.TAKEN, 0),
        parked=states.get(SlotState.PARKED, 0),
        skipped=skipped,
    )


@dataclass(frozen=True)
class Cell:
    """One combination of drawn values, with the numbers of written and wanted summaries."""

    combination: str
    values: Mapping[str, object]
    samples: int
    wanted: int
    written: int


def count_coverage(project: Project) -> list[Cell]:
    """Every combination that was drawn, in the order of its code. Two queries."""
    rows = (
        Sample.objects.active()
        .filter(project=project)
        .exclude(sampler=IMPORTED)
        .values("combination")
        .annotate(
            first=Min("pk"),
            samples=Count("pk", distinct=True),
            wanted=Count("slots"),
            written=Count("slots", filter=Q(slots__state=SlotState.FILLED)),
        )
        .order_by("combination")
    )
    combinations = list(rows[:400])
    values = dict(Sample.objects.filter(pk__in=[row["first"] for row in combinations]).values_list("pk", "values"))
    return [
        Cell(row["combination"], values[row["first"]], row["samples"], row["wanted"], row["written"])
        for row in combinations
    ]


@dataclass
class Waiting:
    """Pending work of one user in one project. roles: all that the user has. given: those of a membership, which of a
    site admin are not all."""

    project: Project
    roles: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    held: int = 0
    returned: int = 0
    open: int = 0
    rounds: int = 0  # open ones in which this person rates
    pilot: str = ""  # the pilot comes first: "write", "wait" or "rejected"; no open slots until then
    progress: ProjectProgress | None = None  # of the whole project, for staff

    @property
    def can_write(self) -> bool:
        """Whether there is something to write now."""
        return bool(self.held or self.open or self.pilot == "write")

    @property
    def has_begun(self) -> bool:
        """Whether the person holds or must revise a task, or rates in an open round."""
        return bool(self.held or self.returned or self.rounds)

    @property
    def is_own(self) -> bool:
        """Whether the person was given tasks here, or has begun one; a site admin could begin one anywhere."""
        return self.has_begun or bool({Role.ANNOTATOR.value, Role.RATER.value} & {*self.given})

    @property
    def has_work(self) -> bool:
        """Whether there is something to write or rate now."""
        return self.can_write or bool(self.rounds)


def waiting_for(user: User) -> list[Waiting]:
    """The first 200 of a user's projects by name, with the pending work in each, and for staff the progress. At most 14
    queries for any number of projects."""
    if not user.is_active:
        return []
    projects = Project.objects.filter(pilot_of=None) if user.is_superuser else Project.objects.with_member(user)
    first_projects = projects.filter(archived_at=None).order_by("name", "id")[:MOST_PROJECTS]
    waiting_by_project = {project.pk: Waiting(project) for project in first_projects}
    for project_id, role in Membership.objects.filter(user=user).values_list("project_id", "role"):
        if project_id in waiting_by_project:
            waiting_by_project[project_id].given.append(role)
    for entry in waiting_by_project.values():
        entry.roles = list(Role.values) if user.is_superuser else entry.given
    _add_own_rounds(user, waiting_by_project)
    _add_own_work(user, waiting_by_project)
    staff = [key for key, entry in waiting_by_project.items() if STAFF_ROLES & {*entry.roles}]
    for key, progress in load_progress(staff).items():
        waiting_by_project[key].progress = progress
    return list(waiting_by_project.values())


def _count_held_and_returned(user: User, projects: Collection[int]) -> "QuerySet[Assignment, tuple[int, str, int]]":
    """Not what was submitted: that may be a hundred thousand, and it waits for nothing. The projects are named so that
    the database does not walk it either."""
    rows = Assignment.objects.open().filter(annotator=user, project__in=projects).order_by()
    return rows.values_list("project", "state").annotate(n=Count("pk"))


def _add_own_work(user: User, waiting_by_project: dict[int, Waiting]) -> None:
    annotating = {key for key, entry in waiting_by_project.items() if Role.ANNOTATOR.value in entry.roles}
    for key, state, n in _count_held_and_returned(user, annotating):
        if state == AssignmentState.CLAIMED:
            waiting_by_project[key].held = n
        else:
            waiting_by_project[key].returned = n
    if user.is_superuser:  # has every role everywhere: only where there is work of their own
        annotating = {key for key in annotating if waiting_by_project[key].is_own}
    open_slots = Slot.objects.open().filter(project__in=annotating).order_by()
    for key, n in open_slots.values_list("project").annotate(n=Count("pk")):
        waiting_by_project[key].open = n
    _add_pilot_state(
        user, [entry for key, entry in waiting_by_project.items() if key in annotating and entry.project.needs_pilot]
    )


ROUND_COUNTS = ExtensionPoint[Callable[[User, list[int]], Mapping[int, int]]]("round counts", key=qualified_name)
"""(user, project ids) -> open rounds per project. Registered by the evaluation app."""


def count_open_rounds(user: User, projects: list[int]) -> Counter[int]:
    """Project -> number of open rounds in which something waits for this person."""
    totals: Counter[int] = Counter()
    for count in ROUND_COUNTS if projects else ():
        totals.update(count(user, projects))
    return totals


def _add_own_rounds(user: User, waiting_by_project: dict[int, Waiting]) -> None:
    rating = [key for key, entry in waiting_by_project.items() if Role.RATER.value in entry.roles]
    for key, n in count_open_rounds(user, rating).items():
        waiting_by_project[key].rounds = n


def _add_pilot_state(user: User, entries: list[Waiting]) -> None:
    """If a project requires a pilot, no slot is open to this user until they are qualified."""
    if not entries:
        return
    answered = Assignment.objects.filter(
        project=OuterRef("pilot"), annotator=user, state__in=pilot_gate.DONE
    ).order_by()
    pilot_samples = PilotSample.objects.filter(pilot=OuterRef("pilot")).order_by()
    rows = PilotCandidate.objects.filter(user=user, project__in=[entry.project for entry in entries]).annotate(
        done=Subquery(answered.values("project").annotate(n=Count("pk")).values("n")),
        total=Subquery(pilot_samples.values("pilot").annotate(n=Count("pk")).values("n")),
    )
    candidates = {row.project_id: row for row in rows}
    words = {PilotState.REJECTED: "rejected", PilotState.SUBMITTED: "wait", PilotState.QUALIFIED: ""}
    for entry in entries:
        candidate: Any = candidates.get(entry.project.pk)
        state = (
            pilot_gate.state_of(candidate, candidate.done or 0, 0, candidate.total or 0)
            if candidate
            else PilotState.INVITED
        )
        entry.pilot = words.get(state, "write")
        entry.open = 0 if entry.pilot else entry.open

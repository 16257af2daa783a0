"""An annotator's own work in one project, read at the same cost for ten attempts and for a hundred thousand."""

import functools
import uuid
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, OuterRef, Subquery, Value
from django.db.models.fields.json import KT

from annotation.kinds import get_task_kind
from annotation.models import (
    Annotation,
    Assignment,
    AssignmentState,
    CrowdWorker,
    GuidelineReading,
    GuidelineVersion,
    Participation,
    PilotCandidate,
    Project,
    Question,
    StoredCounts,
)
from annotation.services.core.prepared_queries import IntParam, Prepared

PER_PAGE = 20
NEWEST = 2**63 - 1
"""Above every primary key."""
SOURCE_COLUMNS = ("group__document__title", "group__document__external_id")
DESCRIPTION = (
    *("public_id", "project_id", "annotator_id", "state"),
    *("claim__parked", "claim__lease_until", "guideline_version__number"),
    *("group__project_id", "group__asks", "group__chosen", "group__frozen_at"),
    *("group__document__title", "group__document__external_id"),
    *("draft__payload", "draft__revision", "draft__updated_at"),
    *("sample__group_id", "sample__values", "sample__schema_version__content_hash"),
)
"""Columns that My work shows of an open task."""
COUNTED = 1000
"""Attempts up to which a person's counts are counted for the page; beyond, the stored ones of the project are shown."""
FINISHED = (
    AssignmentState.SUBMITTED,
    AssignmentState.ACCEPTED,
    AssignmentState.REJECTED,
    AssignmentState.SURPLUS,
    AssignmentState.VOID,
    AssignmentState.SKIPPED,
)


@dataclass(frozen=True, slots=True)
class Sections:
    """Which parts of My work have something to show for a person."""

    limits: bool
    crowd: bool
    questions: bool
    pilot: bool
    guideline_news: bool
    open_tasks: bool
    stored_counts: bool


def _build_sections_query() -> Any:
    own = {"project": IntParam("project"), "user": IntParam("user")}
    attempts = Assignment.objects.open().filter(project=IntParam("project"), annotator=IntParam("user"))
    asked = Question.objects.filter(project=IntParam("project"), asker=IntParam("user"), seen_at=None)
    confirmed = GuidelineReading.objects.filter(**own).order_by("-version__number").values("version__number")[:1]
    newer = GuidelineVersion.objects.filter(project=IntParam("project"), number__gt=Subquery(confirmed))
    return Project.objects.filter(pk=IntParam("project")).values_list(
        Exists(Participation.objects.filter(**own)),
        Exists(CrowdWorker.objects.filter(**own)),
        Exists(asked),
        Exists(PilotCandidate.objects.filter(**own)),
        Exists(newer),
        Exists(attempts),
        Exists(StoredCounts.objects.filter(project=IntParam("project"))),
    )


# My work is loaded before nearly every claim: compiling these takes longer than all else on the page.
SECTIONS: Prepared[Any] = Prepared(_build_sections_query)
OPEN_TASKS: Prepared[Assignment] = Prepared(
    lambda: (
        Assignment.objects.open()
        .filter(project=IntParam("project"), annotator=IntParam("user"))
        .select_related("group__document", "draft", "sample__schema_version", "claim", "guideline_version")
        .only(*DESCRIPTION)
        .order_by("pk")
    )
)
STORED_STATES: Prepared[tuple[list[tuple[int, str, int]], datetime]] = Prepared(
    lambda: StoredCounts.objects.filter(project=IntParam("project")).values_list("counts__states", "at")
)


@functools.cache
def _finished_tasks(title_field: str) -> Prepared[Any]:
    """title_field: where the payload has the title of what was written; "" where it has none."""
    newest = Annotation.objects.filter(assignment=OuterRef("pk")).order_by("-revision")
    title = Subquery(newest.values(title=KT(f"payload__{title_field}"))[:1]) if title_field else Value("")
    columns = ("public_id", "state", "finished_at", *SOURCE_COLUMNS)
    return Prepared(
        lambda: (
            Assignment.objects.filter(
                project=IntParam("project"), annotator=IntParam("user"), pk__lt=IntParam("before"), state__in=FINISHED
            )
            .order_by("-pk")
            .values_list(*columns, title)[: PER_PAGE + 1]
        )
    )


NEWEST_STATES: Prepared[tuple[str]] = Prepared(
    lambda: (
        Assignment.objects.filter(project=IntParam("project"), annotator=IntParam("user"))
        .order_by("-pk")
        .values_list("state")[: COUNTED + 1]
    )
)


def find_sections(project: Project, user: AbstractBaseUser) -> Sections:
    """One query. guideline_news: a version is newer than the newest one this person has confirmed."""
    limits, crowd, questions, candidate, *others = map(bool, SECTIONS.rows(project=project.pk, user=user.pk)[0])
    return Sections(limits, crowd, questions, candidate or project.needs_pilot, *others)


def list_open_tasks(project: Project, user: AbstractBaseUser) -> list[Assignment]:
    """Claimed and returned tasks, oldest first, with what describes them (`DESCRIPTION`), and nothing else of it."""
    return OPEN_TASKS.rows(project=project.pk, user=user.pk)


@dataclass(frozen=True, slots=True)
class OwnCounts:
    """Attempts by state. counted_at: when stored counts were taken; None: exact now. at_least: only the newest attempts
    were counted, as there are more and no stored counts."""

    by_state: Counter[str]
    counted_at: datetime | None = None
    at_least: bool = False

    @property
    def submitted(self) -> int:
        return sum(self.by_state[state] for state in AssignmentState.SUBMITTED_ONCE)

    @property
    def accepted(self) -> int:
        return self.by_state[AssignmentState.ACCEPTED]

    @property
    def skipped(self) -> int:
        return self.by_state[AssignmentState.SKIPPED]


def count_own(project: Project, user: AbstractBaseUser, *, is_stored: bool) -> OwnCounts:
    """One query, two for somebody with at most `COUNTED` attempts in a project whose counts are stored."""
    stored, own_key = STORED_STATES.rows(project=project.pk) if is_stored else [], user.pk
    for rows, at in stored:
        of_person = Counter({state: n for person, state, n in rows if person == own_key})
        if of_person.total() > COUNTED:
            return OwnCounts(of_person, counted_at=at)
    newest = Counter(state for (state,) in NEWEST_STATES.rows(project=project.pk, user=user.pk))
    return OwnCounts(newest, at_least=newest.total() > COUNTED)


class FinishedTask(NamedTuple):
    """A finished attempt; title: of its newest summary, "" where there is none."""

    public_id: uuid.UUID
    state: str
    finished_at: datetime | None
    source: str
    title: str


def list_finished(
    project: Project, user: AbstractBaseUser, *, before: uuid.UUID | None
) -> tuple[list[FinishedTask], uuid.UUID | None]:
    """At most `PER_PAGE` finished attempts, newest first, older than one of the person's attempts; and the attempt to
    go on from, None at the end. One query, two with `before`."""
    end = NEWEST
    if before is not None:
        end = _own_attempts(project, user).filter(public_id=before).values_list("pk", flat=True).first() or 0
    title_field = get_task_kind(project.kind, has_sample=True).title_field
    attempts = _finished_tasks(title_field).rows(project=project.pk, user=user.pk, before=end)
    tasks = [
        FinishedTask(public_id, state, at, source_title or external_id, title or "")
        for public_id, state, at, source_title, external_id, title in attempts[:PER_PAGE]
    ]
    return tasks, tasks[-1].public_id if len(attempts) > PER_PAGE else None


def _own_attempts(project: Project, user: AbstractBaseUser) -> Any:
    return Assignment.objects.filter(project=project, annotator_id=user.pk)

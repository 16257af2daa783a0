"""An annotator's own work in one project, read at the same cost for ten attempts and for a hundred thousand."""

import uuid
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

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
from annotation.models.assignments import AssignmentQuerySet

PER_PAGE = 20
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


def find_sections(project: Project, user: AbstractBaseUser) -> Sections:
    """One query. guideline_news: a version is newer than the newest one this person has confirmed."""
    own = {"project": project, "user_id": user.pk}
    confirmed = GuidelineReading.objects.filter(**own).order_by("-version__number").values("version__number")[:1]
    sections = {
        "limits": Participation.objects.filter(**own),
        "crowd": CrowdWorker.objects.filter(**own),
        "questions": Question.objects.filter(project=project, asker_id=user.pk, seen_at=None),
        "pilot": PilotCandidate.objects.filter(**own),
        "guideline_news": GuidelineVersion.objects.filter(project=project, number__gt=Subquery(confirmed)),
        "open_tasks": _own_attempts(project, user).open(),
        "stored_counts": StoredCounts.objects.filter(project=project),
    }
    row = Project.objects.filter(pk=project.pk).values_list(*(Exists(rows) for rows in sections.values())).get()
    has = {name: bool(value) for name, value in zip(sections, row, strict=True)}
    return Sections(**has | {"pilot": has["pilot"] or project.needs_pilot})


def list_open_tasks(project: Project, user: AbstractBaseUser) -> list[Assignment]:
    """Claimed and returned tasks, oldest first, with what describes them (`DESCRIPTION`), and nothing else of it."""
    tasks = _own_attempts(project, user).open()
    joined = ("group__document", "draft", "sample__schema_version", "claim", "guideline_version")
    return list(tasks.select_related(*joined).only(*DESCRIPTION).order_by("pk"))


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
    stored = StoredCounts.objects.filter(project=project).values_list("counts__states", "at") if is_stored else ()
    for rows, at in stored:
        of_person = Counter({state: n for person, state, n in rows if person == user.pk})
        if of_person.total() > COUNTED:
            return OwnCounts(of_person, counted_at=at)
    newest = _own_attempts(project, user).order_by("-pk").values_list("state", flat=True)
    by_state = Counter(newest[: COUNTED + 1])
    return OwnCounts(by_state, at_least=by_state.total() > COUNTED)


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
    finished = _own_attempts(project, user).filter(state__in=FINISHED)
    if before is not None:
        end = _own_attempts(project, user).filter(public_id=before).values_list("pk", flat=True).first() or 0
        finished = finished.filter(pk__lt=end)
    columns = ("public_id", "state", "finished_at", *SOURCE_COLUMNS)
    rows = finished.order_by("-pk").values(*columns, title=_title_of_newest(project))[: PER_PAGE + 1]
    tasks = [
        FinishedTask(
            row["public_id"],
            row["state"],
            row["finished_at"],
            source=row["group__document__title"] or row["group__document__external_id"],
            title=row["title"] or "",
        )
        for row in rows
    ]
    return tasks[:PER_PAGE], tasks[PER_PAGE - 1].public_id if len(tasks) > PER_PAGE else None


def _title_of_newest(project: Project) -> Subquery | Value:
    """The title of an attempt's newest summary, where this kind of task has titles."""
    title_field = get_task_kind(project.kind, has_sample=True).title_field
    if not title_field:
        return Value("")
    newest = Annotation.objects.filter(assignment=OuterRef("pk")).order_by("-revision")
    return Subquery(newest.values(title=KT(f"payload__{title_field}"))[:1])


def _own_attempts(project: Project, user: AbstractBaseUser) -> AssignmentQuerySet:
    return Assignment.objects.filter(project=project).of(user)

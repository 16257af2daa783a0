"""The numbers in the header of a page, in one prepared query: what waits in the project, for the person, and jobs."""

import functools
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, User
from django.db.models import Exists, Func, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.models import (
    Assignment,
    AssignmentState,
    Job,
    JobsSeen,
    JobState,
    Membership,
    NoteState,
    Project,
    Question,
    TaskNote,
)
from annotation.services.core import access
from annotation.services.core.kept_results import keep_while_unchanged
from annotation.services.core.prepared_queries import DateTimeParam, IntParam, Prepared
from annotation.services.inspection.queue import select_resubmitted
from annotation.transactions import write_transaction

REMEMBERED = timedelta(days=7)
"""Failures of jobs are counted this long, also for somebody who never looks."""
UNATTENDED = ("count_tokens", "score")
"""Kinds of jobs that nobody started: counted and listed only where they failed."""
MAKER_ROLES = [role.value for role in access.MAKERS]


@dataclass(frozen=True, slots=True)
class HeaderCounts:
    """questions, notes: unanswered questions and new notes of the project. returned, answers: the person's own
    summaries to revise and unread answers there. jobs_under_way, jobs_failed: in all projects whose jobs the person may
    see, failed ones since the person last looked; may_see_jobs: whether there is such a project."""

    may_see_jobs: bool = False
    jobs_under_way: int = 0
    jobs_failed: int = 0
    questions: int = 0
    returned: int = 0
    answers: int = 0
    notes: int = 0


def count_header(user: User, project: Project | None) -> HeaderCounts:
    """One query, by indexes; without a project only jobs are counted. The caller shows a number only to people with
    the role for it."""
    values = {"user": user.pk, "since": timezone.now() - REMEMBERED, "project": project.pk if project else 0}
    rows = _header_query(project is not None, user.is_superuser).rows(**values)
    if not rows:
        return HeaderCounts()
    may_see_jobs, *counts = rows[0]
    return HeaderCounts(bool(may_see_jobs) or user.is_superuser, *counts)


@functools.cache
def _header_query(in_project: bool, sees_all_jobs: bool) -> Prepared[Any]:
    return Prepared(lambda: _build_header_query(in_project, sees_all_jobs))


def _build_header_query(in_project: bool, sees_all_jobs: bool) -> Any:
    user = IntParam("user")
    memberships = Membership.objects.filter(user=user, role__in=MAKER_ROLES)
    jobs = Job.objects.filter(project__isnull=False)
    if not sees_all_jobs:
        jobs = jobs.filter(Exists(memberships.filter(project=OuterRef("project"))))
    columns = [
        Exists(memberships),
        build_count(jobs.under_way().exclude(kind__in=UNATTENDED)),
        build_count(_select_failed(jobs)),
    ]
    if in_project:
        project = IntParam("project")
        asked = Question.objects.filter(project=project)
        own = Assignment.objects.filter(project=project, annotator=user)
        columns += [
            build_count(asked.filter(answered_at=None)),
            build_count(own.filter(state=AssignmentState.RETURNED)),
            build_count(asked.filter(asker=user, seen_at=None).exclude(answered_at=None)),
            build_count(TaskNote.objects.filter(project=project, state=NoteState.NEW)),
        ]
    return User.objects.filter(pk=user).values_list(*columns)


def count_resubmitted(project: Project) -> int:
    """Revised summaries to inspect; kept until something is written in the project, for every page of staff asks. Not
    prepared: with the project's key the database knows how few are revised."""

    def count() -> int:
        return select_resubmitted().filter(project__in=[project.pk]).count()

    return keep_while_unchanged(project, ("resubmitted",), count)


def _select_failed(jobs: "QuerySet[Job]") -> "QuerySet[Job]":
    """Jobs that failed since the person last looked, and within the last days."""
    since = DateTimeParam("since")
    looked_at = JobsSeen.objects.filter(user=IntParam("user")).values("at")[:1]
    rows = jobs.filter(state__in=JobState.UNSUCCESSFUL, finished_at__gt=since)
    return rows.filter(finished_at__gt=Coalesce(Subquery(looked_at), since))


def build_count(rows: "QuerySet[Any]") -> Subquery:
    """The number of rows as a column; Func and not Count, which would group the rows."""
    counted = rows.order_by().annotate(n=Func("pk", function="COUNT", output_field=IntegerField()))
    return Subquery(counted.values("n"), output_field=IntegerField())


def mark_jobs_seen(user: AbstractBaseUser) -> None:
    """Record that the person has looked at the jobs; what failed until now is no longer counted in the header."""
    with write_transaction():
        JobsSeen.objects.update_or_create(user_id=user.pk, defaults={"at": timezone.now()})


def list_latest_jobs(user: User, limit: int = 5) -> list[Job]:
    """The newest jobs of the projects whose jobs the person may see, without unattended ones that go well. Raises
    NotFound where there is no such project."""
    projects = access.list_maker_projects(user)
    rows = Job.objects.filter(project__in=projects).exclude(
        kind__in=UNATTENDED, state__in=[JobState.DONE, JobState.CANCELLED, *JobState.UNDER_WAY]
    )
    return list(rows.select_related("project").defer("result", "faults").order_by("-id")[:limit])

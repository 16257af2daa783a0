"""A person's open tasks in all projects, for Home."""

from collections import Counter
from collections.abc import Iterable

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet

from annotation.models import Assignment, Project, Question
from annotation.services.core.prepared_queries import Among, IntParam, Prepared

MOST = 50
"""A claim holds fewer; of somebody with more returned tasks the oldest come first."""


def _build_open_tasks() -> "QuerySet[Assignment]":
    names = ("project", "group__document", "draft", "sample__schema_version", "claim", "guideline_version")
    # The projects are named so that the database goes by them, not by all that the person has ever written.
    projects = Project.objects.filter(archived_at=None, pilot_of=None)
    rows = Assignment.objects.open().filter(annotator=IntParam("user"), project__in=projects).select_related(*names)
    return rows.defer("group__document__metadata_json", "sample__schema_version__text").order_by("pk")[:MOST]


OPEN_TASKS: Prepared[Assignment] = Prepared(_build_open_tasks)
NEW_ANSWERS: Prepared[tuple[int]] = Prepared(
    lambda: (
        Question.objects.filter(Among("project", "projects"), asker=IntParam("user"), seen_at=None)
        .exclude(answered_at=None)
        .values_list("project_id")[:MOST]
    )
)


def list_open_everywhere(user: AbstractBaseUser, projects: Iterable[int]) -> list[Assignment]:
    """Claimed and returned tasks in these projects, oldest first, with what describes them. One query."""
    wanted = set(projects)
    return [task for task in OPEN_TASKS.rows(user=user.pk) if task.project_id in wanted]


def list_new_answers(user: AbstractBaseUser, projects: Iterable[int]) -> dict[int, int]:
    """Project -> number of answers that the person has not put away. One query."""
    return dict(Counter(project for (project,) in NEW_ANSWERS.rows(user=user.pk, projects=projects)))

"""A person's open tasks in all projects, for Home."""

from collections.abc import Iterable

from django.contrib.auth.models import AbstractBaseUser

from annotation.models import Assignment, Question

MOST = 50
"""A claim holds fewer; of somebody with more returned tasks the oldest come first."""


def list_open_everywhere(user: AbstractBaseUser, projects: Iterable[int]) -> list[Assignment]:
    """Claimed and returned tasks in these projects, oldest first, with what describes them. One query."""
    names = ("project", "group__document", "draft", "sample__schema_version", "claim", "guideline_version")
    rows = Assignment.objects.open().of(user).filter(project__in=list(projects)).select_related(*names)
    return list(rows.defer("group__document__metadata_json", "sample__schema_version__text").order_by("pk")[:MOST])


def list_new_answers(user: AbstractBaseUser, projects: Iterable[int]) -> dict[int, int]:
    """Project -> number of answers that the person has not put away. One query."""
    answered = Question.objects.filter(asker_id=user.pk, project__in=list(projects), seen_at=None)
    numbers: dict[int, int] = {}
    for key in answered.exclude(answered_at=None).values_list("project_id", flat=True)[:MOST]:
        numbers[key] = numbers.get(key, 0) + 1
    return numbers

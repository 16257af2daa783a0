"""A person's open tasks in all projects, for Home."""

from collections import Counter
from collections.abc import Sequence

from django.contrib.auth.models import AbstractBaseUser

from annotation.models import Assignment, Question

MOST = 50
"""A claim holds fewer; of somebody with more returned tasks the oldest come first."""


JOINED = ("project", "group__document", "draft", "sample__schema_version", "claim", "guideline_version")
UNREAD = ("group__document__metadata_json", "sample__schema_version__text")


def list_open_everywhere(user: AbstractBaseUser, projects: Sequence[int]) -> list[Assignment]:
    """Claimed and returned tasks in these projects, oldest first, with what describes them. One query."""
    tasks = Assignment.objects.open().of(user).filter(project__in=projects)
    return list(tasks.select_related(*JOINED).defer(*UNREAD).order_by("pk")[:MOST])


def list_new_answers(user: AbstractBaseUser, projects: Sequence[int]) -> dict[int, int]:
    """Project -> number of answers that the person has not dismissed. One query."""
    unseen = Question.objects.filter(project__in=projects, asker_id=user.pk, seen_at=None).exclude(answered_at=None)
    return dict(Counter(unseen.values_list("project_id", flat=True)[:MOST]))

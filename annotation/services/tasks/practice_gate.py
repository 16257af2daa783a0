"""The practice before the first task: whether a person must do it first, and the error that says so.

Claimed tasks can be finished; a pilot comes after the practice.
"""

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import PracticePass, Project
from annotation.services.core.errors import ServiceError
from annotation.services.core.prepared_queries import Param

IN_PRACTICE = "in_practice"
"""The reason of a claim without a task."""


class InPractice(ServiceError):
    """The practice has not been passed."""

    status = 403


def is_due(project: int | Param, user: int | Param) -> Exists:
    """Whether this person must pass the practice first; a subquery for the claim's query."""
    passes = PracticePass.objects.filter(project=OuterRef("pk"), user=user)
    return Exists(Project.objects.filter(~Exists(passes), pk=project, needs_practice=True))


def needs_practice(project: Project, user: AbstractBaseUser) -> bool:
    """The same for a page; no query in a project without practice."""
    return project.needs_practice and not PracticePass.objects.filter(project=project, user_id=user.pk).exists()


def due_error(project: Project) -> InPractice:
    """The error for a claim before the practice is passed, with the link to its page."""
    return InPractice(
        _("Complete the practice before you take tasks."),
        code=IN_PRACTICE,
        link=reverse("practice", args=[project.front.slug]),
    )

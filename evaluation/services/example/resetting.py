"""Making the example projects of the demo, and creating them again."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, Progress, create_job, register_handler
from annotation.models import Job, Project
from annotation.services import example
from annotation.services.core.errors import NotFound
from evaluation.services.example import aggregating, finished
from evaluation.services.example.removing import remove_project

KIND = "example-reset"
SLUGS = (finished.SLUG, aggregating.SLUG, *(slug for slug, *_rest in example.PROJECTS), example.TRAINING[0])


def load_examples() -> None:
    """Create what is missing of the examples, and queue the filling of the finished one. Idempotent."""
    project = finished.ensure_project()
    example.load_example()
    finished.start_filling(project)


def remove_examples() -> int:
    """Remove the example projects; returns how many there were."""
    projects = list(Project.objects.filter(slug__in=SLUGS, pilot_of=None))
    for project in projects:
        remove_project(project)
    return len(projects)


def may_reset(user: Any) -> bool:
    """Whether this is the demo, and the user an admin of its site."""
    return bool(settings.EPITOME_DEMO and user.is_active and user.is_superuser)


def start_reset(*, by: User) -> Job:
    """Queue the reset, or return the one that is queued or running. Raises NotFound outside the demo."""
    if not may_reset(by):
        raise NotFound()
    return Job.objects.under_way().filter(kind=KIND).first() or create_job(kind=KIND, project=None, by=by)


@register_handler(KIND, gettext_lazy("Reset the examples"), queue="text", kept="")
def run_reset(job: Job, progress: Progress) -> dict[str, Any]:
    if not settings.EPITOME_DEMO:
        raise JobRefused("Only a demo has examples to reset.")
    progress.set(0, 2)
    n_removed = remove_examples()
    progress.set(1, 2)
    load_examples()
    progress.set(2, 2)
    return {"removed": n_removed}

"""The finished example's small language model, where it is installed and served (`make demo MODEL=1`).

A job of its own, after the example is filled: it runs the model without and with its adapter over all samples, some
seconds for each, gives way between them to whoever waits, and holds a round over their outputs.
"""

from functools import partial
from typing import Any

from django.conf import settings
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, Progress, register_handler
from annotation.models import Job, Project
from epitome.systems import local_model
from evaluation.services.example import content, rating
from evaluation.services.example.steps import (
    STEPS_KEPT,
    Step,
    do_steps,
    ensure_job,
    has_round,
    has_run,
    hold_round,
    run_system,
)
from modelbridge.services.runs.system_processes import HOSTS

KIND = "example-model"
SYSTEMS = ("smollm2-chat", "smollm2-macsum")
PLAN = rating.RoundPlan(
    "Does a small language model follow the request?",
    "macsum-yes-no",
    12,
    ("controlled-extract", *SYSTEMS),
    day=4,
)


def is_served() -> bool:
    return local_model.SERVER in settings.EPITOME_CHAT_SERVERS and local_model.is_installed()


def is_done(project: Project) -> bool:
    """Whether the round over the model's outputs is reported, which is the last step."""
    return has_round(project, PLAN)


def start_job(project: Project) -> Job | None:
    """Queue the runs and the round; None if they are done. Idempotent."""
    if is_done(project):
        return None
    return ensure_job(project, KIND)


@register_handler(
    KIND,
    gettext_lazy("Run the small language model"),
    queue="text",
    background=True,
    page="project",
    kept=STEPS_KEPT,
)
def run_model(job: Job, progress: Progress) -> dict[str, Any]:
    if job.project is None or job.project.slug != content.SLUG:
        raise JobRefused("The project was deleted.")
    if not is_served():
        raise JobRefused("The small language model is not served; start the demo with its model.")
    project = job.project
    steps: list[Step] = [
        *[(partial(has_run, project, key), partial(run_system, project, key, progress)) for key in SYSTEMS],
        (partial(is_done, project), partial(hold_round, project, PLAN)),
    ]
    try:
        return do_steps(steps, progress)
    finally:
        HOSTS.close()  # the systems were loaded for this job

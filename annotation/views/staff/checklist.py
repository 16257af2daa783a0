"""The check list of the overview: what is done from the first file to the first release, and what comes next."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from annotation.models import Assignment, Job, Project, Role
from annotation.services.core import access
from annotation.services.core.errors import NotFound
from annotation.services.people.members import add_member
from annotation.services.people.skipped_steps import resume_step, skip_step
from annotation.views.core.decorators import current_user, project_page
from annotation.views.core.navigation import get_roles
from annotation.views.staff import making_steps  # noqa: F401  registers its steps
from annotation.views.staff.path_steps import (
    PATH_STEPS,
    WRITING_STEPS,
    Action,
    Facts,
    PathStep,
    StepState,
    find_reference_door,
)

PREPARING_STEPS = ("sources", "candidates", "requests")
"""Steps that jobs do."""


@dataclass(frozen=True)
class Checklist:
    """running: what others are at. current: the first step that can be done now. door: another way to go on from it.
    job: a job that changes what comes next. may_write: whether a button leads this person to a task. may_join: whether
    one makes this person an annotator."""

    steps: Sequence[PathStep]
    running: Sequence[PathStep]
    current: PathStep | None
    door: Action | None
    job: Job | None
    may_write: bool
    may_join: bool
    is_new: bool

    @property
    def n_done(self) -> int:
        return sum(step.state == StepState.DONE for step in self.steps)

    @property
    def n_steps(self) -> int:
        return sum(step.state != StepState.SKIPPED for step in self.steps)

    @property
    def is_complete(self) -> bool:
        return all(step.state in (StepState.DONE, StepState.SKIPPED) for step in self.steps)


def build_checklist(
    request: HttpRequest, project: Project, facts: Facts, roles: Collection[str], jobs: Sequence[Job]
) -> Checklist:
    """The steps as this person may do them. roles: the person's in the project. jobs: those under way that matter."""
    steps = [_allow_action(step, roles) for step in list_steps(project, facts)]
    current = next((step for step in steps if step.state == StepState.OPEN), None)
    if current is not None and jobs and current.key in PREPARING_STEPS:
        current = None  # the job may be about to do it
    chooses = current is not None and current.key in WRITING_STEPS and not facts.counts.samples
    door = find_reference_door(project) if chooses and facts.counts.references else None
    return Checklist(
        steps=steps,
        running=[step for step in steps if step.state == StepState.RUNNING],
        current=current,
        door=door if door is not None and _may_use(door, roles) else None,
        job=jobs[0] if jobs else None,
        may_write=_may_write(request, project, facts, roles),
        may_join=Role.ADMIN.value in roles and facts.counts.open > 0,
        is_new=not facts.counts.filled,
    )


def list_steps(project: Project, facts: Facts) -> list[PathStep]:
    """The steps in their order, with those that the team skipped or does not need."""
    sources = sorted(PATH_STEPS, key=lambda source: source.order)
    steps = [step for source in sources for step in source.find(project, facts)]
    needless = {key for step in steps for key in step.replaces}
    if "requests" in project.skipped_steps and not facts.counts.samples:
        needless |= {*WRITING_STEPS} - {"requests"}
    if facts.counts.samples and not facts.counts.slots:
        needless |= {*WRITING_STEPS}  # every sample came with its summary
    return [_settle(step, project.skipped_steps, needless) for step in steps]


def _settle(step: PathStep, skipped: Collection[str], needless: Collection[str]) -> PathStep:
    if step.state == StepState.DONE:
        return step
    if step.key in needless:
        return replace(step, state=StepState.SKIPPED, text=_("Not needed here."), action=None)
    if step.key in skipped:
        return replace(step, state=StepState.SKIPPED, text=_("Skipped."))
    return step


def _may_use(action: Action, roles: Collection[str]) -> bool:
    return any(role.value in roles for role in action.roles)


def _allow_action(step: PathStep, roles: Collection[str]) -> PathStep:
    if step.action is None or _may_use(step.action, roles):
        return step
    return replace(step, action=None)


def _may_write(request: HttpRequest, project: Project, facts: Facts, roles: Collection[str]) -> bool:
    """Whether this person is an annotator with something to write; a site admin only where they were made one."""
    if Role.ANNOTATOR.value not in roles:
        return False
    user = current_user(request)
    if user.is_superuser and Role.ANNOTATOR.value not in access.given_roles(user, project):
        return False
    return facts.counts.open > 0 or Assignment.objects.open().filter(project=project, annotator=user).exists()


@project_page(access.MAKERS, methods=["POST"])
def change_step(request: HttpRequest, project: Project) -> HttpResponse:
    """Skip a step of the check list, or take it up again."""
    key = request.POST.get("step", "")
    if key == "sources" or not any(key in source.keys for source in PATH_STEPS):
        messages.error(request, _("There is no such step."))
        return redirect("project", project.slug)
    if request.POST.get("do") == "join":
        return _write_oneself(request, project)
    if request.POST.get("do") == "resume":
        resume_step(project=project, step=key, by=current_user(request))
        messages.success(request, _("The step is on the list again."))
    else:
        skip_step(project=project, step=key, by=current_user(request))
        messages.success(request, _("Step skipped. You can take it up again in the list of all steps."))
    return redirect("project", project.slug)


def _write_oneself(request: HttpRequest, project: Project) -> HttpResponse:
    """Make an admin an annotator too, and lead on to the first task. Raises NotFound for others."""
    if Role.ADMIN.value not in get_roles(request):
        raise NotFound()
    user = current_user(request)
    add_member(project=project, username=user.get_username(), role=Role.ANNOTATOR, by=user)
    return redirect("gate", project.slug)

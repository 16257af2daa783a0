"""Running systems as a step on the overview, and as what can be done with reference summaries right away."""

from django.db.models import Exists
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.views.staff.path_steps import (
    PATH_STEPS,
    REFERENCE_DOORS,
    WRITING_STEPS,
    Action,
    Facts,
    PathStep,
    StepSource,
    StepState,
)
from modelbridge.models import Run
from modelbridge.services.runs.sample_selection import complete_samples


def find_run_step(project: Project, facts: Facts) -> PathStep:
    title = _("Run systems")
    is_done, is_running, is_ready = _look_up(project)
    if is_done:
        action = Action(title, reverse("runs", args=[project.slug]))
        has_only_references = bool(facts.counts.references and not facts.counts.samples)
        replaced = WRITING_STEPS if has_only_references else ()
        return PathStep("runs", title, StepState.DONE, action=action, replaces=replaced)
    if is_running:
        action = Action(_("View runs"), reverse("runs", args=[project.slug]))
        return PathStep(
            "runs", _("Systems are running"), StepState.RUNNING, _("Their outputs can be compared soon."), action
        )
    if not is_ready:
        if not facts.counts.samples:
            return PathStep("runs", title, StepState.BLOCKED, _("There is nothing to summarize yet: no samples."))
        return PathStep("runs", title, StepState.BLOCKED, _("Topics and speakers of the samples are not chosen yet."))
    text = _("Run systems on the samples, or upload their outputs, to compare them with those of people.")
    action = Action(_("Go to systems"), reverse("systems", args=[project.slug]))
    return PathStep("runs", title, StepState.OPEN, text, action)


def _look_up(project: Project) -> tuple[bool, bool, bool]:
    """Whether a run is done, whether one is under way, and whether there are samples to run on. One query."""
    runs = Run.objects.listed().filter(project=project)
    rows = Project.objects.filter(pk=project.pk)
    return rows.values_list(Exists(runs.done()), Exists(runs.under_way()), Exists(complete_samples(project)))[0]


@REFERENCE_DOORS.register
def find_systems_door(project: Project) -> Action:
    return Action(_("Measure systems on the references"), reverse("systems", args=[project.slug]))


PATH_STEPS.register(StepSource(("runs",), 10, lambda project, facts: [find_run_step(project, facts)]))

"""A round and its report as steps on the overview."""

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from annotation.views.staff.path_steps import PATH_STEPS, Action, Facts, PathStep, StepSource, StepState
from epitome.figures.numbers import format_count
from evaluation.models import Round, RoundState
from evaluation.services.monitoring.round_progress import count_places
from modelbridge.models import Run


def list_round_steps(project: Project, facts: Facts) -> list[PathStep]:
    newest = Round.objects.filter(project=project).order_by("-pk").only("public_id", "number", "state").first()
    return [_find_round_step(project, facts, newest), _find_report_step(project, newest)]


def _find_round_step(project: Project, facts: Facts, newest: Round | None) -> PathStep:
    """To design and launch a round."""
    title = _("Have texts rated")
    if newest is None:
        has_texts = facts.counts.filled or facts.counts.references
        if not has_texts and not Run.objects.writing().done().filter(project=project).exists():
            return PathStep("round", title, StepState.BLOCKED, _("There is nothing to rate yet."))
        text = _("Raters judge the texts of people and systems without knowing who wrote what.")
        return PathStep("round", title, StepState.OPEN, text, Action(_("New round"), _address(project)))
    if newest.state == RoundState.DRAFT:
        title = _("Launch round %(n)d") % {"n": newest.number}
        text = _("Its design is a draft; raters cannot see it.")
        return PathStep("round", title, StepState.OPEN, text, _build_action(project, newest))
    text = _("Round %(n)d is launched") % {"n": newest.number}
    return PathStep("round", title, StepState.DONE, text, _build_action(project, newest))


def _find_report_step(project: Project, newest: Round | None) -> PathStep:
    """To close and unblind the newest round, after which its report says who wrote what."""
    title = _("Read the report")
    if newest is None and "round" in project.skipped_steps:
        return PathStep("report", title, StepState.SKIPPED, _("Not needed here."))
    if newest is None or newest.state == RoundState.DRAFT:
        return PathStep("report", title, StepState.BLOCKED, _("A report follows from a round."))
    action, number = _build_action(project, newest), {"n": newest.number}
    if newest.state in RoundState.RUNNING:
        return _find_running_step(newest, action)
    if newest.state == RoundState.CLOSED:
        text = _("It is closed and still blinded. Unblinding shows which system wrote what, and cannot be undone.")
        return PathStep("report", _("Unblind round %(n)d") % number, StepState.OPEN, text, action)
    return PathStep("report", title, StepState.DONE, _("Round %(n)d is unblinded") % number, action)


def _find_running_step(round_: Round, action: Action) -> PathStep:
    progress, number = count_places(round_), {"n": round_.number}
    if progress.filled >= progress.places:
        return PathStep(
            "report", _("Close round %(n)d") % number, StepState.OPEN, _("All its items are rated."), action
        )
    text = ngettext("%(done)s of %(all)s rating is in.", "%(done)s of %(all)s ratings are in.", progress.places) % {
        "done": format_count(progress.filled),
        "all": format_count(progress.places),
    }
    return PathStep("report", _("Rating in progress"), StepState.RUNNING, text, action)


def _address(project: Project) -> str:
    return reverse("round-new", args=[project.slug])


def _build_action(project: Project, round_: Round) -> Action:
    return Action(_("Go to the round"), reverse("round", args=[project.slug, round_.public_id]))


PATH_STEPS.register(StepSource(("round", "report"), 20, list_round_steps))

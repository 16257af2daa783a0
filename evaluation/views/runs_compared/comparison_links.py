"""The ways from the pages of runs to their comparison, the study of changed requests and the contrastive report."""

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Project
from modelbridge.models import Run, RunState
from modelbridge.services.runs import changed_runs
from modelbridge.services.runs.run_progress import RunProgress
from modelbridge.views.runs.run_links import RUN_LINKS, RUN_LIST_LINKS, RunLink


@RUN_LIST_LINKS.register
def link_comparison(project: Project) -> RunLink:
    return RunLink(_("Compare runs"), reverse("runs-compare", args=[project.slug]))


@RUN_LINKS.register
def link_results(project: Project, run: Run, progress: RunProgress) -> list[RunLink]:
    """Where the outputs of a run are compared, once there are some; the study that a changed run belongs to."""
    slug, query = project.slug, f"?run={run.public_id}"
    is_done = run.state == RunState.DONE and bool(progress.done)
    links = []
    if progress.ended and progress.done and not run.over:
        links.append(RunLink(_("Compare"), reverse("runs-compare", args=[slug]) + query))
    if is_done and changed_runs.may_change_requests(run):
        links.append(RunLink(_("Change requests"), reverse("run-changes", args=[slug, run.public_id])))
    if is_done and run.over == "contrastives":
        links.append(RunLink(_("Dodged and escaped"), reverse("contrastive-report", args=[slug]) + query))
    if base := changed_runs.base_of(run):
        links.append(RunLink(_("View study"), reverse("run-changes", args=[slug, base]), is_of_base=True))
    return links

"""The button that designs a blind round over the first and the last draft of a run."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import ServiceError
from annotation.views.core.decorators import current_user, project_page
from evaluation.services.rounds.draft_pairs import draft_pair_round
from modelbridge.models import Run
from modelbridge.services.runs.first_drafts import has_first_drafts
from modelbridge.services.runs.run_progress import RunProgress
from modelbridge.views.runs.run_links import RUN_LINKS, RunLink
from modelbridge.views.runs.runs import find_run


@RUN_LINKS.register
def offer_pair_round(project: Project, run: Run, progress: RunProgress) -> list[RunLink]:
    if not (progress.done and has_first_drafts(run)):
        return []
    url = reverse("run-draft-pairs", args=[project.slug, run.public_id])
    return [RunLink(_("Compare first and last drafts blind"), url, posts=True)]


@project_page(access.MAKERS, methods=["POST"])
def design_pair_round(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """Design the round and go to it; back to the run where there is nothing to compare."""
    run = find_run(project, public_id)
    try:
        round_ = draft_pair_round(run=run, by=current_user(request))
    except ServiceError as error:
        messages.error(request, error.message)
        return redirect("run", project.slug, public_id)
    messages.success(request, _("The round is designed. Check it and launch it."))
    return redirect("round", project.slug, round_.public_id)

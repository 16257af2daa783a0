"""After a change of rules: what was written under older ones, and the batch that has it done again."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.forms import AffectedFilter
from annotation.models import Project
from annotation.services import access, reannotating
from annotation.services.errors import BadInput
from annotation.views.common import filters_of, person, project_page

SHOWN = 200


@project_page(access.MAKERS, methods=("GET", "HEAD", "POST"))
def affected(request: HttpRequest, project: Project) -> HttpResponseBase:
    """The list with its filters; POST previews a batch, and carries it out once confirmed."""
    wanted = filters_of(request, AffectedFilter).cleaned_data
    rows = reannotating.affected(project, annotator=wanted["annotator"], version=wanted["version"])
    context = {
        "project": project,
        "rules": reannotating.rules_since(project),
        "tallies": reannotating.counts(project),
        "rows": rows[:SHOWN],
        "n": rows.count(),
        "shown": SHOWN,
        "wanted": wanted,
    }
    if request.method == "POST":
        action, chosen = request.POST.get("action", ""), _chosen(request)
        try:
            if request.POST.get("do") == "confirm":
                return _done(request, project, action, chosen)
            context["batch"] = reannotating.preview(project=project, action=action, chosen=chosen)
        except BadInput as error:
            context["fault"] = error.message
            return render(request, "annotation/affected.html", context, status=422)
    return render(request, "annotation/affected.html", context)


def _chosen(request: HttpRequest) -> list[uuid.UUID]:
    try:
        return [uuid.UUID(one) for one in request.POST.getlist("assignment")]
    except ValueError:
        raise BadInput(_("This is no summary of the list."), field="assignments") from None


def _done(request: HttpRequest, project: Project, action: str, chosen: list[uuid.UUID]) -> HttpResponse:
    batch = reannotating.carry_out(project=project, action=action, chosen=chosen, by=person(request))
    done = len(batch.attempts)
    if action == "return":
        said = ngettext("%(n)d summary went back to its writer.", "%(n)d summaries went back to their writers.", done)
    else:
        said = ngettext("%(n)d place is open again.", "%(n)d places are open again.", done)
    messages.success(request, said % {"n": done} + " " + _("It can be undone under Steering."))
    if batch.left:
        messages.warning(request, _("%(n)d had changed meanwhile and were left alone.") % {"n": batch.left})
    return redirect("affected", project.slug)

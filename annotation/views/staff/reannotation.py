"""After a change of rules: summaries written under older rules, and batches that return or reopen them."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import BadInput
from annotation.services.core.kind_words import name_finished
from annotation.services.staff import reannotation
from annotation.views.core.decorators import current_user, project_page
from annotation.views.core.pagination import filters_of
from annotation.views.staff.forms import AffectedFilter

SHOWN = 200


@project_page(access.MAKERS, methods=("GET", "HEAD", "POST"))
def affected_list(request: HttpRequest, project: Project) -> HttpResponseBase:
    """The filtered list; POST previews a batch, and executes it with do=confirm."""
    filters = filters_of(request, AffectedFilter).cleaned_data
    rows = reannotation.affected_assignments(project, annotator=filters["annotator"], version=filters["version"])
    context = {
        "project": project,
        "rules": reannotation.latest_rule_version(project),
        "tallies": reannotation.tally_affected(project),
        "rows": rows[:SHOWN],
        "n": rows.count(),
        "shown": SHOWN,
        "wanted": filters,
    }
    if request.method == "POST":
        action, chosen = request.POST.get("action", ""), _parse_chosen(request)
        try:
            if request.POST.get("do") == "confirm":
                return _apply_batch(request, project, action, chosen)
            context["batch"] = reannotation.preview_batch(project=project, action=action, chosen=chosen)
        except BadInput as error:
            context["fault"] = error.message
            return render(request, "annotation/staff/affected.html", context, status=422)
    return render(request, "annotation/staff/affected.html", context)


def _parse_chosen(request: HttpRequest) -> list[uuid.UUID]:
    try:
        return [uuid.UUID(value) for value in request.POST.getlist("assignment")]
    except ValueError:
        raise BadInput(_("This task is not in the list."), field="assignments") from None


def _apply_batch(request: HttpRequest, project: Project, action: str, chosen: list[uuid.UUID]) -> HttpResponse:
    batch = reannotation.carry_out(project=project, action=action, chosen=chosen, by=current_user(request))
    count = len(batch.attempts)
    if action == "return":
        message = ngettext("%(n)d %(noun)s returned to its writer.", "%(n)d %(noun)s returned to their writers.", count)
    else:
        message = ngettext("%(n)d task is available again.", "%(n)d tasks are available again.", count)
    values = {"n": count, "noun": name_finished(project.kind, count)}
    messages.success(request, message % values + " " + _("You can undo this under Steering."))
    if batch.left:
        message = ngettext(
            "%(n)d changed in the meantime and was skipped.",
            "%(n)d changed in the meantime and were skipped.",
            batch.left,
        )
        messages.warning(request, message % {"n": batch.left})
    return redirect("affected", project.slug)

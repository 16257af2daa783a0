"""The guideline page, and the gate on which annotators confirm and sign the guideline."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import GuidelineVersion, Project, Role, Ruling
from annotation.services.core.errors import ServiceError
from annotation.services.guidelines import gate
from annotation.views.core import markdown
from annotation.views.core.decorators import current_user, project_page
from annotation.views.core.navigation import Page
from annotation.views.guidelines.forms import GateForm
from annotation.views.tasks.my_work import open_next_task
from epitome.text.diff import diff_texts

READERS = tuple(Role)


@project_page(READERS)
def show_guideline(request: HttpRequest, project: Project) -> HttpResponse:
    context = _guideline_context(project, project.guideline_version)
    if Role.ANNOTATOR in Page(request).roles:
        context["gate"] = gate.gate_for(project, current_user(request))
    return render(request, "annotation/guidelines/guideline.html", context)


def _guideline_context(project: Project, version: GuidelineVersion) -> dict[str, Any]:
    """Template context of a guideline version and the project's rulings, newest first."""
    rendered = markdown.render_markdown(version.text)
    return {
        "project": project,
        "version": version,
        "title": rendered.title or _("Guideline"),
        "rendered": rendered,
        "rulings": Ruling.objects.filter(project=project).select_related("guideline_version").order_by("-pk"),
    }


@project_page((Role.ANNOTATOR,), methods=("GET", "HEAD", "POST"))
def confirm_guideline(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Confirm and sign the guideline. Confirms the version that was rendered, not a newer one."""
    gate_state = gate.gate_for(project, current_user(request))
    consent = "" if gate_state.confirmed_version is None else "yes" if gate_state.allows_record else "no"
    form = GateForm(request.POST or None, initial={"version": gate_state.version.number, "consent": consent})
    if request.method == "POST" and form.is_valid():
        try:
            gate.confirm_guideline(
                project=project,
                user=current_user(request),
                number=form.cleaned_data["version"],
                statement_hash=gate.hash_of(gate.statement_text(project)),
                allows_record=form.cleaned_data["consent"] == "yes",
            )
        except ServiceError as error:
            messages.error(request, error.message)
            return redirect("gate", project.slug)
        messages.success(request, _("Guideline confirmed."))
        return open_next_task(request, project) if gate_state.must else redirect("work", project.slug)
    context = {
        **_guideline_context(project, gate_state.version),
        "gate": gate_state,
        "form": form,
        "statement": gate.statement_text(project),
    }
    if gate_state.asks and gate_state.confirmed_version is not None:
        context["changes"] = gate.changes_since(gate_state)
        context["difference"] = diff_texts(gate_state.confirmed_version.text, gate_state.version.text)
    return render(request, "annotation/guidelines/gate.html", context, status=422 if form.errors else 200)

"""Making a project, its overview, its settings and its audit log."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.forms import ProjectForm, SettingsForm
from annotation.models import AuditEvent, Job, Project
from annotation.schema import PRESETS, load_preset
from annotation.services import access, overview, projects
from annotation.services.errors import NotFound, ServiceError
from annotation.views.common import paged, person, project_page, refuse, signed_in
from annotation.views.coverage import coverage_tables
from annotation.views.jobs import is_late, name_job
from annotation.views.steps import next_step

SETTINGS = ("name", "overlap", "claim_unit", "phases", "assistance", "lease_minutes", "language", "timezone")


@signed_in(methods=["GET", "HEAD", "POST"])
def new_project(request: HttpRequest) -> HttpResponse:
    if not access.may_create_projects(request.user):
        raise NotFound(_("There is nothing here."))
    form = ProjectForm(request.POST or None, presets=preset_choices())
    if request.method == "POST" and form.is_valid():
        try:
            project = projects.create_project(created_by=person(request), **form.cleaned_data)
        except ServiceError as error:
            refuse(form, error)
        else:
            messages.success(request, _("The project is there. Import its first sources next."))
            return redirect("project", project.slug)
    return render(request, "annotation/project_new.html", {"form": form}, status=422 if form.errors else 200)


def preset_choices() -> list[tuple[str, str]]:
    """The presets with what they ask for, as choices of a form."""
    found = []
    for key in PRESETS:
        labels = ", ".join(attribute.label for attribute in load_preset(key).attributes)
        found.append((key, f"{key}: {labels}"))
    return found


@project_page(access.STAFF)
def overview_page(request: HttpRequest, project: Project) -> HttpResponse:
    counts = overview.pipeline(project)
    jobs = list(Job.objects.filter(project=project).select_related("requested_by").defer("result").order_by("-id")[:5])
    for job in jobs:
        name_job(job)
    waiting = [job for job in jobs if job.state in overview.UNDER_WAY and job.kind not in ("count_tokens", "score")]
    return render(
        request,
        "annotation/project.html",
        {
            "project": project,
            "counts": counts,
            "tables": coverage_tables(project, overview.coverage(project)),
            "jobs": jobs,
            "late": [job for job in waiting if is_late(job)],
            "step": next_step(project, counts, waiting),
            "recent": _recent(project),
        },
    )


def _recent(project: Project) -> list[AuditEvent]:
    """The last events, in words."""
    words = {
        "create_project": _("made the project"),
        "change_settings": _("changed the settings"),
        "new_schema_version": _("wrote a new schema version"),
        "new_guideline_version": _("wrote a new guideline version"),
        "import": _("imported sources"),
        "select_sources": _("selected sources"),
        "flag_damaged": _("flagged a source as damaged"),
        "unflag_damaged": _("took a damage flag away"),
        "member.add": _("gave a role"),
        "member.remove": _("took a role away"),
        "guideline.read": _("confirmed the guideline"),
        "group.choose": _("chose topics and speakers"),
        "task.submit": _("submitted a summary"),
        "task.skip": _("skipped a sample"),
        "task.release": _("gave a task back"),
        "claim.expire": _("let a task run out"),
        "sample_attributes": _("drew samples"),
        "export": _("exported the dataset"),
        "freeze_release": _("froze a release"),
        "extract_candidates": _("extracted candidates"),
    }
    events = list(AuditEvent.objects.filter(project=project).select_related("actor").order_by("-id")[:8])
    for event in events:
        event.words = words.get(event.verb, event.verb.replace("_", " ").replace(".", " "))  # type: ignore[attr-defined]
    return events


@project_page(access.ADMINS, methods=["GET", "HEAD", "POST"])
def settings(request: HttpRequest, project: Project) -> HttpResponse:
    form = SettingsForm(request.POST or None, initial={name: getattr(project, name) for name in SETTINGS})
    if request.method == "POST" and form.is_valid():
        try:
            projects.change_settings(project=project, by=person(request), **form.cleaned_data)
        except ServiceError as error:
            refuse(form, error)
        else:
            messages.success(request, _("Kept."))
            return redirect("project-settings", project.slug)
    context = {"project": project, "form": form}
    return render(request, "annotation/settings.html", context, status=422 if form.errors else 200)


@project_page(access.ADMINS)
def audit_log(request: HttpRequest, project: Project) -> HttpResponse:
    events = AuditEvent.objects.filter(project=project).select_related("actor").order_by("-id")
    return render(request, "annotation/audit.html", {"project": project, "rows": paged(request, events)})

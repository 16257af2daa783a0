"""Creating a project, its settings and its audit log."""

import re
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import AuditEvent, AuditVerb, Project
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.core.suggestion_sources import list_suggestion_choices
from annotation.services.people import pause_rules, projects
from annotation.services.sources.first_files import find_first_file, measure_median_words, sign_first_file
from annotation.services.sources.import_uploads import PendingUpload, store_uploads
from annotation.views.core.decorators import add_service_error, current_user, project_page, signed_in
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.people.forms import AuditFilter, ProjectForm
from annotation.views.people.project_doors import PROJECT_DOORS
from annotation.views.people.project_templates import USUAL_TEMPLATE, pair_templates, schema_choice
from annotation.views.people.settings_forms import PauseRulesForm, SettingsForm
from annotation.views.sources.imports import check_address
from epitome.sampling.asked_lengths import SHORT_TEXT

PERSON = re.compile("user:[0-9]{1,18}")


@signed_in(methods=["GET", "HEAD", "POST"])
def new_project(request: HttpRequest) -> HttpResponse:
    if not access.may_create_projects(request.user):
        raise NotFound(_("Page not found, or you don't have access."))
    sent = request.method == "POST"
    form = ProjectForm(request.POST if sent else None, request.FILES if sent else None)
    upload, advice = None, ""
    if sent and form.is_valid():
        try:
            upload = _find_texts(request, form)
            advice = advise_template(form, upload)
            if not advice:
                return _create_project(request, form, upload)
        except ServiceError as error:
            add_service_error(form, error)
    if upload is not None or form.data.get("token"):
        token = sign_first_file(upload, current_user(request)) if upload is not None else ""
        form = form.with_file(token, is_short=bool(advice))
    context = {
        "form": form,
        "templates": list(pair_templates(form["schema"])),
        "doors": PROJECT_DOORS,
        "upload": upload,
        "advice": advice,
    }
    return render(request, "annotation/people/project_new.html", context, status=422 if form.errors else 200)


def _find_texts(request: HttpRequest, form: ProjectForm) -> PendingUpload | None:
    """The file of a new project, if any: chosen now, or before the form was shown again. Raises BadInput, NotFound."""
    if form.cleaned_data["file"]:
        return store_uploads([form.cleaned_data["file"]])
    token = form.cleaned_data["token"]
    return find_first_file(token, current_user(request)) if token else None


def advise_template(form: ProjectForm, upload: PendingUpload | None) -> str:
    """Why another template is chosen for a file that was chosen just now; "" where the chosen one fits."""
    if upload is None or form.cleaned_data["token"] or form.cleaned_data["schema"] != USUAL_TEMPLATE:
        return ""
    median = measure_median_words(upload)
    if not 0 < median < SHORT_TEXT:
        return ""
    text = ngettext(
        "“Short articles” was chosen: half of these texts have up to %(n)d word, and a share of so few asks for two "
        "or three words. You can choose another template.",
        "“Short articles” was chosen: half of these texts have up to %(n)d words, and a share of so few asks for two "
        "or three words. You can choose another template.",
        median,
    )
    return text % {"n": median}


def _create_project(request: HttpRequest, form: ProjectForm, upload: PendingUpload | None) -> HttpResponse:
    """Create the project and lead on to its file, if there is one. Raises BadInput, Conflict."""
    values = {name: value for name, value in form.cleaned_data.items() if name not in ("file", "token")}
    schema = schema_choice(values.pop("schema"), values["language"], values["kind"])
    project = projects.create_project(created_by=current_user(request), **schema, **values)
    if upload is not None:
        messages.success(request, _("Project created. Check its texts, then import them."))
        return redirect(check_address(project, upload.sign(project)))
    return _lead_on(request, project, is_own="schema_text" in schema)


def _lead_on(request: HttpRequest, project: Project, *, is_own: bool) -> HttpResponse:
    """To the next step of a new project: its attributes where they are its own, else its overview."""
    if is_own:
        messages.success(request, _("Project created. Define its attributes here, then import sources."))
        return redirect("schema", project.slug)
    messages.success(request, _("Project created. Import its first sources next."))
    return redirect("project", project.slug)


def recent_events(project: Project) -> list[AuditEvent]:
    """The last eight audit events."""
    return list(AuditEvent.objects.filter(project=project).select_related("actor").order_by("-id")[:8])


@project_page(access.ADMINS, methods=["GET", "HEAD", "POST"])
def edit_settings(request: HttpRequest, project: Project) -> HttpResponse:
    """One page with two forms: the settings, and the pause rules, which `do` saves or previews."""
    action = request.POST.get("do", "")
    is_of_rules = action in ("rules", "preview")
    initial = {name: getattr(project, name) for name in SettingsForm.base_fields}
    form = SettingsForm(
        None if is_of_rules else request.POST or None, initial=initial, suggestions=list_suggestion_choices(project)
    )
    rules_form = PauseRulesForm(
        request.POST if is_of_rules else None,
        initial={name: getattr(project, name) for name in pause_rules.SETTINGS},
        prefix="rules",
    )
    if (
        action != "preview"
        and request.method == "POST"
        and _save_settings(request, project, rules_form if is_of_rules else form)
    ):
        messages.success(request, _("Settings saved."))
        return redirect("project-settings", project.slug)
    context = {
        "project": project,
        "form": form,
        "rules_form": rules_form,
        "would_pause": _preview_rules(project, rules_form),
        "is_preview": action == "preview",
    }
    wrong = form.errors or rules_form.errors
    return render(request, "annotation/people/settings.html", context, status=422 if wrong else 200)


def _save_settings(request: HttpRequest, project: Project, form: SettingsForm | PauseRulesForm) -> bool:
    if not form.is_valid():
        return False
    try:
        projects.change_settings(project=project, by=current_user(request), **form.cleaned_data)
    except ServiceError as error:
        add_service_error(form, error)
        return False
    return True


def _preview_rules(project: Project, form: PauseRulesForm) -> list[pause_rules.PausedPerson] | None:
    """Whom the submitted rules would pause now, else the saved ones; None for wrong rules and where all are off."""
    if form.is_bound and not form.is_valid():
        return None
    settings = form.cleaned_data if form.is_bound else form.initial
    rules = pause_rules.PauseRules.from_settings(settings)
    return pause_rules.preview_pauses(project, rules) if rules.n_verdicts or rules.n_times else None


class AuditLine(NamedTuple):
    """An event with the user name of the person it is about ("" for anything else), and its details."""

    event: AuditEvent
    person_name: str
    details: list[tuple[str, Any]]


@project_page(access.ADMINS)
def audit_log(request: HttpRequest, project: Project) -> HttpResponse:
    """The audit log, newest first, with filters for person and verb."""
    filters = filters_of(request, AuditFilter)
    events = AuditEvent.objects.filter(project=project).select_related("actor").order_by("-id")
    if filters.cleaned_data["who"]:
        events = events.filter(actor__username=filters.cleaned_data["who"])
    if filters.cleaned_data["did"]:
        events = events.filter(verb__in=find_verbs(filters.cleaned_data["did"]))
    rows = paginate_rows(request, events)
    people = {int(row.target[5:]) for row in rows if PERSON.fullmatch(row.target)}
    names = dict(User.objects.filter(pk__in=people).values_list("pk", "username"))
    lines = [
        AuditLine(
            row,
            names.get(int(row.target[5:]), "") if PERSON.fullmatch(row.target) else "",
            [(name.replace("_", " "), value) for name, value in row.detail.items()],
        )
        for row in rows
    ]
    context = {"project": project, "rows": rows, "lines": lines, "filters": filters}
    return render(request, "annotation/people/audit.html", context)


def find_verbs(text: str) -> list[str]:
    """The audit verbs whose words contain the text, in any case, or whose key begins with it."""
    folded = text.casefold()
    return [verb.value for verb in AuditVerb if folded in verb.label.casefold() or verb.value.startswith(text)]

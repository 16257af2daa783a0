"""What one changed request does to everything else: start a study over a run, follow it, read its tables."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.views.core.decorators import add_service_error, current_user, project_page
from epitome.site.file_language import writes_file
from evaluation.services.changes import change_studies, change_tables
from evaluation.services.changes.change_studies import ChangeStudy
from evaluation.services.reports import report_files
from evaluation.views.changes.forms import StudyForm
from evaluation.views.reports.report_parts import build_sections, render_file
from evaluation.views.runs_compared.paper_tables import file_response
from modelbridge.models import Run
from modelbridge.services.runs.changed_requests import changed_attribute
from modelbridge.views.runs.run_counts import runs_with_counts
from modelbridge.views.runs.runs import find_run

REFUSED = 422


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def show_changes(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """The studies of a run, the newest (or ?n=&seed=) with its tables. POST do=resume or cancel, else start."""
    run = find_run(project, public_id)
    default = change_studies.default_n(project.schema_version.schema)
    starts = request.method == "POST" and request.POST.get("do") not in ACTIONS
    form = StudyForm(request.POST if starts else None, n=default)
    if request.method == "POST":
        answer = _change_study(request, project, run, form)
        if answer is not None:
            return answer
    studies = change_studies.list_studies(run)
    study = _choose_study(request, studies)
    context = {"project": project, "run": run, "form": form, "studies": studies, "study": study}
    context |= _describe_study(project, study) if study is not None else {}
    status = REFUSED if request.method == "POST" else 200
    return render(request, "evaluation/changes/changes.html", context, status=status)


ACTIONS = {"resume": change_studies.resume_study, "cancel": change_studies.cancel_study}


def _change_study(request: HttpRequest, project: Project, run: Run, form: StudyForm) -> HttpResponse | None:
    """Do what was posted; None where the form is refused."""
    if form.is_bound:
        return _start_study(request, project, run, form)
    study = _find_posted(request, run)
    try:
        ACTIONS[request.POST["do"]](study=study, by=current_user(request))
    except ServiceError as error:
        messages.error(request, error.message)
    return redirect(_study_url(project, study))


def _start_study(request: HttpRequest, project: Project, run: Run, form: StudyForm) -> HttpResponse | None:
    if not form.is_valid():
        return None
    try:
        study = change_studies.start_study(run=run, by=current_user(request), **form.cleaned_data)
    except ServiceError as error:
        add_service_error(form, error)
        return None
    return redirect(_study_url(project, study))


def _study_url(project: Project, study: ChangeStudy) -> str:
    return f"{reverse('run-changes', args=[project.slug, study.base.public_id])}?n={study.n}&seed={study.seed}"


def _find_posted(request: HttpRequest, run: Run) -> ChangeStudy:
    """The study that a button belongs to. Raises NotFound."""
    for study in change_studies.list_studies(run):
        if (str(study.n), str(study.seed)) == (request.POST.get("n"), request.POST.get("seed")):
            return study
    raise NotFound()


def _choose_study(request: HttpRequest, studies: list[ChangeStudy]) -> ChangeStudy | None:
    """The study of ?n= and ?seed=, else the newest. Raises NotFound for a study that is not there."""
    draw = (request.GET.get("n"), request.GET.get("seed"))
    if draw == (None, None):
        return studies[0] if studies else None
    for study in studies:
        if (str(study.n), str(study.seed)) == draw:
            return study
    raise NotFound()


def _describe_study(project: Project, study: ChangeStudy) -> dict[str, Any]:
    schema = project.schema_version.schema
    counted = {row.pk: row for row in runs_with_counts(project).filter(pk__in=[run.pk for run in study.runs])}
    attributes = {attribute.key: attribute.label for attribute in schema.attributes}
    rows = [(attributes.get(changed_attribute(run), run.over), counted[run.pk]) for run in study.runs]
    report = change_tables.build_study_report(project, study)
    notes = [
        change_tables.describe_unchanged(study),
        change_tables.describe_waiting(project, study),
        change_tables.describe_no_judge(project, study),
    ]
    return {
        "rows": rows,
        "sections": build_sections(report),
        "notes": [note for note in notes if note],
        "file": reverse("run-changes-file", args=[project.slug, study.base.public_id]),
        "query": f"n={study.n}&seed={study.seed}&",
        "formats": report_files.FORMAT_LABELS,
    }


@writes_file
@project_page(access.MAKERS)
def download_changes(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """The tables and figures of a study, with the options of a round's report file."""
    study = _choose_study(request, change_studies.list_studies(find_run(project, public_id)))
    if study is None:
        raise NotFound(_("This run has no study of changed requests."))
    body, name = render_file(change_tables.build_study_report(project, study), request)
    return file_response(body, f"{project.slug}-{name}")

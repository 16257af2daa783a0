"""Cases of conflicting attributes: the list, keeping an output as a case, files."""

import json
import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.views.core.decorators import add_service_error, current_user, project_page
from epitome.reports.cases import cases_latex, cases_table
from epitome.site.file_language import writes_file
from evaluation.services.cases import cases
from evaluation.views.cases.forms import CaseForm
from evaluation.views.runs_compared.paper_tables import file_response
from modelbridge.services.runs.run_labels import label_run

REFUSED = 422
FORMATS = (("latex", "LaTeX"), ("csv", "CSV"), ("json", "JSON"))


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def show_cases(request: HttpRequest, project: Project) -> HttpResponse:
    """Every case by label. Posting delete=ID removes one from the list; its output stays."""
    if request.method == "POST":
        _delete_case(request, project)
        return redirect("cases", project.slug)
    rows = cases.list_cases(project)
    more = cases.count_cases(project) - len(rows) if len(rows) >= cases.MAX_LISTED else 0
    context = {"project": project, "rows": rows, "more": more, "formats": FORMATS}
    return render(request, "evaluation/cases/cases.html", context)


def _delete_case(request: HttpRequest, project: Project) -> None:
    """Raises NotFound for a case that is not of the project."""
    try:
        public_id = uuid.UUID(request.POST.get("delete", ""))
    except ValueError:
        messages.error(request, _("There is no such case."))
        return
    cases.delete_case(project=project, public_id=public_id, by=current_user(request))


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def keep_case(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """Keep an output as a case."""
    output = cases.find_output(project, public_id)
    others = {str(row.public_id): row for row in cases.list_other_outputs(output)}
    other_choices = [(public_id, label_run(row.run)) for public_id, row in others.items()]
    form = CaseForm(request.POST or None, cases.list_labels(project), other_choices)
    if request.method == "POST" and form.is_valid():
        try:
            by, note = current_user(request), form.cleaned_data["note"]
            kept_outputs = [output, *(others[public_id] for public_id in form.cleaned_data.get("others", []))]
            cases.store_cases(outputs=kept_outputs, label=form.case_label(), note=note, by=by)
            return redirect("cases", project.slug)
        except ServiceError as error:
            add_service_error(form, error)
    context = {"project": project, "output": output, "system": cases.describe_run(output.run), "form": form}
    status = REFUSED if request.method == "POST" else 200
    return render(request, "evaluation/cases/keep.html", context, status=status)


@writes_file
@project_page(access.MAKERS)
def download_cases(request: HttpRequest, project: Project) -> HttpResponse:
    """All cases as ?format=latex, csv or json."""
    rows = [row for _case, row in cases.list_cases(project, limit=None)]
    title = _("Cases of conflicting attributes")
    format_ = request.GET.get("format", "")
    if format_ == "latex":
        return file_response(cases_latex(rows, title=title), f"{project.slug}-cases.tex")
    table = cases_table(rows, title=title)
    if format_ == "csv":
        return file_response("\ufeff" + table.csv(), f"{project.slug}-cases.csv")
    if format_ == "json":
        text = json.dumps(table.as_json(), ensure_ascii=False, indent=1)
        return file_response(text, f"{project.slug}-cases.json")
    raise NotFound(_("Cases come as latex, csv or json."))

"""A project's runs as the tables and figures of a paper, and their files."""

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.text import get_valid_filename
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.forms import StyledForm
from annotation.models import Project
from annotation.services import access
from annotation.services.errors import BadInput
from annotation.views.common import project_page
from evaluation.services import report_files, system_tables
from evaluation.views.report_parts import file_of, sections_of
from modelbridge.models import Run, RunState

MOST = 8
NEWEST = 4
"""Runs that are shown where none is chosen."""
LISTED = 100


class RunChoice(StyledForm):
    """Which runs to put into the tables."""

    run = forms.MultipleChoiceField(
        label=gettext_lazy("Runs, at most 8; two alone are also set side by side"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, data: QueryDict, runs: list[Run]) -> None:
        super().__init__(data)
        choices = [(str(run.public_id), f"{run} · {run.created_at:%Y-%m-%d %H:%M}") for run in runs]
        self.fields["run"].choices = choices  # type: ignore[attr-defined]


def _chosen(request: HttpRequest, project: Project) -> tuple[RunChoice, list[Run]]:
    """The checked form and the runs it names, the newest where it names none."""
    rows = Run.objects.filter(project=project, state=RunState.DONE).select_related("revision__system")
    runs = list(rows.order_by("-pk")[:LISTED])
    form = RunChoice(request.GET, runs)
    if not form.is_valid():
        raise BadInput(_("There is no such run."), field="run")
    names = form.cleaned_data["run"]
    if len(names) > MOST:
        raise BadInput(_("Choose at most %(n)s runs.") % {"n": MOST}, field="run")
    chosen = [run for run in runs if str(run.public_id) in names] if names else runs[:NEWEST]
    return form, chosen[::-1]


@project_page(access.MAKERS)
def tables(request: HttpRequest, project: Project) -> HttpResponse:
    form, runs = _chosen(request, project)
    told = system_tables.tables_of(project, runs)
    context = {
        "project": project,
        "form": form,
        "runs": runs,
        "sections": sections_of(told),
        "no_systems": bool(runs) and not any(table["key"] == "systems" for table in told["tables"]),
        "query": request.GET.urlencode(),
        "formats": report_files.SHOWN,
    }
    return render(request, "evaluation/tables.html", context)


@project_page(access.MAKERS)
def tables_file(request: HttpRequest, project: Project) -> HttpResponse:
    """As the file of a round's report, with the page's choice of runs."""
    _form, runs = _chosen(request, project)
    body, name = file_of(system_tables.tables_of(project, runs), request)
    return download(body, f"{project.slug}-{name}")


def download(body: str | bytes, name: str) -> HttpResponse:
    """A file to keep, never shown as a page."""
    ending = name.rpartition(".")[2]
    response = HttpResponse(body, content_type=f"{report_files.TYPES[ending]}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{get_valid_filename(name)}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response

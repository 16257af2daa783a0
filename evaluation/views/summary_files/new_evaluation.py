"""A new project from a table of summaries: choose the file, check its columns, create everything at once."""

from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.core.word_patterns import join_names
from annotation.services.sources.first_files import find_first_file, sign_first_file
from annotation.services.sources.import_preview import shorten_cell
from annotation.services.sources.import_uploads import PendingUpload, store_uploads
from annotation.views.core.decorators import add_service_error, current_user, signed_in
from annotation.views.people.project_doors import PROJECT_DOORS
from epitome.figures.numbers import format_count
from epitome.formats.summary_tables import SummaryTable
from evaluation.services.summary_files.project_creation import create_project_from_table, find_obstacles
from evaluation.services.summary_files.table_files import TableFile, look_at_table, read_table
from evaluation.views.summary_files.forms import RolesForm, TableForm

SHOWN_ROWS = 4
SHOWN_IDS = 12


class SystemRow(NamedTuple):
    """A system of the table. missing: in words, the texts that it has no summary of; "" for none."""

    name: str
    n_summaries: int
    missing: str


def _require_creator(request: HttpRequest) -> None:
    if not access.may_create_projects(request.user):
        raise NotFound(_("Page not found, or you don't have access."))


@signed_in(methods=["GET", "HEAD", "POST"])
def choose_file(request: HttpRequest) -> HttpResponse:
    """Step 1: the file."""
    _require_creator(request)
    sent = request.method == "POST"
    form = TableForm(request.POST if sent else None, request.FILES if sent else None)
    if sent and form.is_valid():
        try:
            upload = store_uploads([form.cleaned_data["file"]])
        except ServiceError as error:
            add_service_error(form, error)
        else:
            token = sign_first_file(upload, current_user(request))
            return redirect(f"{reverse('evaluation-check')}?{urlencode({'file': token})}")
    limit = settings.EPITOME_MAX_UPLOAD
    context = {"form": form, "limit": limit, "limit_mb": limit // 2**20, "doors": PROJECT_DOORS}
    return render(request, "evaluation/summary_files/choose_file.html", context, status=422 if form.errors else 200)


@signed_in(methods=["GET", "HEAD", "POST"])
def check_table(request: HttpRequest) -> HttpResponse:
    """Step 2: the first rows with a select over each column, and what is read; do=create makes the project."""
    _require_creator(request)
    try:
        upload = find_first_file(request.GET.get("file", ""), current_user(request))
    except NotFound as error:
        messages.error(request, error.message)
        return redirect("evaluation-new")
    table_file = look_at_table(upload)
    sent = request.method == "POST"
    form = RolesForm(request.POST if sent else None, table_file=table_file, file_name=upload.file_name)
    is_valid = form.is_valid() if sent else not form.role_faults()
    table = (
        read_table(upload, table_file.kind, form.roles()) if not form.role_faults() and not table_file.fault else None
    )
    obstacles = find_obstacles(table) if table is not None else []
    if request.POST.get("do") == "create" and is_valid and table is not None and not obstacles:
        created = _create(request, form, table, upload)
        if created is not None:
            return created
    context = {"form": form, "upload": upload, "table_file": table_file, "obstacles": obstacles}
    context |= _describe_columns(form, table_file) | (_describe_table(table) if table is not None else {})
    wrong = form.errors or (sent and obstacles)
    return render(request, "evaluation/summary_files/check_table.html", context, status=422 if wrong else 200)


def _create(request: HttpRequest, form: RolesForm, table: SummaryTable, upload: PendingUpload) -> HttpResponse | None:
    """Create the project; None with a fault in the form."""
    values = {name: form.cleaned_data[name] for name in ("name", "language", "timezone")}
    try:
        project, _runs = create_project_from_table(
            table=table, file_name=upload.file_name, by=current_user(request), **values
        )
    except ServiceError as error:
        add_service_error(form, error)
        return None
    text = ngettext("Project created with %(n)s text.", "Project created with %(n)s texts.", len(table.texts))
    messages.success(request, text % {"n": format_count(len(table.texts))})
    return redirect("evaluation-start", project.slug)


def _describe_columns(form: RolesForm, table_file: TableFile) -> dict[str, Any]:
    """The head and the first rows of the table."""
    columns = [(name, form[f"column-{index}"]) for index, name in enumerate(table_file.columns)]
    rows = [[shorten_cell(row.get(name)) for name in table_file.columns] for row in table_file.rows[:SHOWN_ROWS]]
    return {"columns": columns, "rows": rows}


def _describe_table(table: SummaryTable) -> dict[str, Any]:
    """What was recognised, in counts."""
    systems = [
        SystemRow(name, len(outputs), _list_ids(table.list_missing(name))) for name, outputs in table.outputs.items()
    ]
    without_reference = [row.id for row in table.texts.values() if not row.reference] if table.n_references else []
    complete = [text_id for text_id in table.texts if all(text_id in outputs for outputs in table.outputs.values())]
    return {
        "table": table,
        "systems": systems,
        "without_reference": _list_ids(without_reference),
        "n_complete": len(complete),
        "is_complete": len(complete) == len(table.texts),
    }


def _list_ids(ids: list[str]) -> str:
    """The first ids, and how many more there are; "" for none."""
    listed, more = join_names(ids[:SHOWN_IDS]), len(ids) - SHOWN_IDS
    if more <= 0:
        return listed
    text = ngettext("%(names)s and %(n)d more", "%(names)s and %(n)d more", more)
    return text % {"names": listed, "n": more}

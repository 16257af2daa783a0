"""The ledger of work done in a period, as a page and as CSV."""

from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.staff import ledger as ledger_service
from annotation.services.staff.release_and_void import Period
from annotation.views.core.decorators import project_page
from annotation.views.core.pagination import filters_of
from annotation.views.staff.forms import LedgerFilters
from epitome.figures.table_rendering import render_table
from epitome.site.file_language import writes_file


def _load_ledger(request: HttpRequest, project: Project) -> tuple[LedgerFilters, Any]:
    form = filters_of(request, LedgerFilters)
    values = form.cleaned_data
    period = form.period()
    if not request.GET:
        today = timezone.localdate()
        period = Period(date(today.year, today.month, 1), today)
        form = LedgerFilters(initial={"since": period.since, "until": period.until})
    table = ledger_service.build_table(
        project, period, per=values["per"] or "all", names=values["names"] or "pseudonyms"
    )
    return form, table


@project_page(access.MAKERS)
def show_ledger(request: HttpRequest, project: Project) -> HttpResponse:
    form, table = _load_ledger(request, project)
    context = {"project": project, "form": form, "shown": render_table(table, gettext=_)}
    return render(request, "annotation/staff/ledger.html", context)


@writes_file
@project_page(access.MAKERS)
def download_ledger(request: HttpRequest, project: Project) -> HttpResponse:
    """The ledger as CSV, with formulas escaped for spreadsheets."""
    _form, table = _load_ledger(request, project)
    answer = HttpResponse(table.csv(), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{project.slug}-ledger.csv"'
    return answer

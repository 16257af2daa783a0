"""The report of a round: its tables and figures, their files, and the answers on which raters disagree."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import get_valid_filename
from django.utils.translation import gettext as _

from annotation.figures.charts import chart_from
from annotation.figures.svg import Svg
from annotation.figures.tables import Table
from annotation.services.errors import NotFound, ServiceError
from annotation.views.common import enter, person, signed_in, zone_override
from annotation.views.shown_tables import ShownTable, show
from evaluation.models import Round, RoundState
from evaluation.services import adjudicating, entering, report_files, reporting, steering

DISPUTES = 20
FIRST = ("yes-rater-1", "yes-pooled", "forms", "agreement", "systems")
"""Tables that stand open; the others are one click away."""


@dataclass
class Section:
    """One table with the figures that stand under it."""

    shown: ShownTable
    figures: list[tuple[str, Svg]]
    is_open: bool


def _round(request: HttpRequest, public_id: uuid.UUID) -> Round:
    found = entering.managed_round(request.user, public_id)
    enter(request, found.project)
    return found


@signed_in()
def report(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    round_ = _round(request, public_id)
    blind = round_.state != RoundState.UNBLINDED
    found = None if blind else reporting.stored(round_)
    job = None if blind else reporting.under_way(round_)
    stale = found is not None and found.version != reporting.data_version(round_)
    context = {
        "project": round_.project,
        "round": round_,
        "blind": blind,
        "running": round_.state in (RoundState.OPEN, RoundState.PAUSED),
        "found": found,
        "stale": stale,
        "job": job,
        "sections": _sections(found.report) if found else [],
        "auto": not blind and job is None and (found is None or stale),
        "formats": [(name, name.upper() if name != "latex" else "LaTeX") for name in report_files.FORMATS],
        "words": {
            "of": _("{done} of {total}"),
            "done": _("{done} done"),
            "silent": _("No answer right now; asking again."),
        },
    }
    with zone_override(round_.project):
        return render(request, "evaluation/report.html", context)


def _sections(told: dict[str, Any]) -> list[Section]:
    found = []
    for data in told["tables"]:
        table = Table.from_json(data)
        figures = [(chart["key"], chart_from(chart).draw()) for chart in told["figures"].get(table.key, [])]
        found.append(Section(show(table), figures, table.key in FIRST))
    return found


@signed_in(methods=("POST",))
def start(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    """Begin to work the report out; do=unblind ends the blindness first."""
    round_ = _round(request, public_id)
    try:
        if request.POST.get("do") == "unblind":
            round_ = steering.move(round_=round_, what="unblind", by=person(request))
        reporting.start(round_=round_, by=person(request))
    except ServiceError as error:
        messages.error(request, error.message)
    return redirect("round-report", public_id)


@signed_in()
def file(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    """The whole report (?format=html, csv, latex or json), one table (&table=agreement) or figure (&figure=...)."""
    round_ = _round(request, public_id)
    reporting.readable(round_)
    found = reporting.stored(round_)
    if found is None:
        raise NotFound(_("The report is not worked out yet."))
    body, name = _file(found.report, request)
    ending = name.rpartition(".")[2]
    response = HttpResponse(body, content_type=f"{report_files.TYPES[ending]}; charset=utf-8")
    shown = get_valid_filename(f"{round_.project.slug}-round-{round_.number}-{name}")
    response["Content-Disposition"] = f'attachment; filename="{shown}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _file(told: dict[str, Any], request: HttpRequest) -> tuple[str | bytes, str]:
    """(body, name with its ending). Raises NotFound."""
    format_ = request.GET.get("format", "")
    if key := request.GET.get("table"):
        text, ending = report_files.one_table(told, key, format_)
        return text, f"{key}.{ending}"
    if key := request.GET.get("figure"):
        drawn, ending = report_files.one_figure(told, key, format_)
        return drawn, f"{key}.{ending}"
    if format_ not in report_files.FORMATS:
        raise NotFound(_("A report comes as html, csv, latex or json."))
    return report_files.whole(told, format_), f"report.{report_files.ENDINGS[format_]}"


@signed_in(methods=("GET", "HEAD", "POST"))
def disagreements(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    """Where raters disagree; POST stores what a third person decides."""
    round_ = _round(request, public_id)
    page = request.GET.get("page", "1")
    if request.method == "POST":
        given = request.POST
        try:
            adjudicating.decide(
                round_=round_,
                item=given.get("item", ""),
                question=given.get("question", ""),
                answer=given.get("answer", ""),
                note=given.get("note", ""),
                by=person(request),
            )
            messages.success(request, _("Decided. The raters' own answers stay as they are."))
        except ServiceError as error:
            messages.error(request, error.message)
        return redirect(request.get_full_path())
    try:
        rows = adjudicating.disputes(round_)
    except ServiceError as error:
        messages.error(request, error.message)
        return redirect("round-report", public_id)
    pages = Paginator(rows, DISPUTES)
    shown = pages.page(int(page) if page.isascii() and page.isdigit() and 1 <= int(page) <= pages.num_pages else 1)
    context = {"project": round_.project, "round": round_, "rows": shown, "n": len(rows)}
    return render(request, "evaluation/disagreements.html", context)

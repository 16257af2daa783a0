"""The page of contrastive examples: what there is, how it was made, random examples, and the form to make more."""

import uuid
from collections.abc import Iterator

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import ContrastiveSet, ContrastiveState, Project
from annotation.services.contrastives import excluding, exporting, importing, making, set_numbers, sets
from annotation.services.contrastives.golds import gold_annotations, has_golds
from annotation.services.contrastives.set_options import SetOptions, read_shares
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.core.word_patterns import add_remark, join_clauses, join_names, name_value
from annotation.views.contrastives.example_text import render_pieces
from annotation.views.contrastives.forms import ImportForm, MakingForm
from annotation.views.contrastives.tables import build_plan_table, build_rule_table, draw_histogram
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.jobs.missing_workers import find_missing_worker_of
from epitome.figures.numbers import format_score
from epitome.figures.table_rendering import render_table
from epitome.site.file_language import writes_file

MOST_DRAW = 10**6
MOST_SETS = 20


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def show_contrastives(request: HttpRequest, project: Project) -> HttpResponse:
    """The page; posting the form starts a job, or with do=dry shows what it would make. ?draw=N draws other examples,
    ?state=excluded shows those that are excluded."""
    current = sets.find_current_set(project)
    form, plan = _build_form(request, project, current), None
    if request.method == "POST" and form.is_valid():
        options = form.set_options()
        try:
            if request.POST.get("do") == "dry":
                plan = making.plan_contrastives(project=project, options=options, most_estimated=making.TRIED_GOLDS)
            else:
                job = making.start_making(
                    project=project, options=options, replace=form.replaces, by=current_user(request)
                )
                return redirect("job", job.public_id)
        except ServiceError as error:
            add_service_error(form, error)
    context = {
        "project": project,
        "is_possible": has_golds(project),
        "form": form,
        "plan": plan,
        "planned": render_table(build_plan_table(plan), gettext=_) if plan is not None else None,
        "current": current,
        "n_golds": gold_annotations(project).count() if current is None else 0,
        "missing_worker": find_missing_worker_of(project, making.JOB_KIND, importing.JOB_KIND),
        "sets": [(row, describe_options(row)) for row in sets.list_sets(project)[:MOST_SETS]],
        **(_describe_set(request, project, current) if current is not None else {}),
    }
    return render(request, "annotation/contrastives/contrastives.html", context, status=422 if form.errors else 200)


def _build_form(request: HttpRequest, project: Project, current: ContrastiveSet | None) -> MakingForm:
    is_made = current is not None and current.origin == ContrastiveSet.Origin.MADE
    stored = SetOptions.from_dict(current.options) if current is not None and is_made else None
    return MakingForm(request.POST or None, project, stored=stored, has_set=current is not None)


def _read_draw(request: HttpRequest) -> int:
    text = request.GET.get("draw", "0")
    return int(text) % MOST_DRAW if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def _describe_set(request: HttpRequest, project: Project, current: ContrastiveSet) -> dict[str, object]:
    states, draw = set_numbers.count_states(project), _read_draw(request)
    state = ContrastiveState.EXCLUDED if request.GET.get("state") == "excluded" else ContrastiveState.ACTIVE
    examples = set_numbers.draw_examples(project, draw, state=state)
    return {
        "shows_excluded": state == ContrastiveState.EXCLUDED,
        "draw": draw,
        "excluded": states.get("excluded", 0),
        "withdrawn": states.get("withdrawn", 0),
        "shown": render_table(build_rule_table(current), gettext=_),
        "histogram": draw_histogram(current) if current.golds else "",
        "examples": [(row, render_pieces(row.pieces)) for row in examples],
        "next_draw": (draw + 1) % MOST_DRAW,
    }


def describe_options(contrastive_set: ContrastiveSet) -> list[tuple[str, str]]:
    """(name, value) of what a set was made with, for people."""
    if contrastive_set.origin == ContrastiveSet.Origin.IMPORT:
        return [(_("File"), contrastive_set.file_name)]
    options = SetOptions.from_dict(contrastive_set.options)
    shares = read_shares(contrastive_set.options)
    listed = [
        name_value(name, join_names(f"{kind} {format_score(share)}" for kind, share in half.items()))
        for name, half in (("G", shares.gold), ("S", shares.source))
    ]
    estimated = ngettext(
        "estimated from %(n)d gold summary", "estimated from %(n)d gold summaries", options.estimate
    ) % {"n": options.estimate}
    origin = estimated if options.estimate else _("known for news")
    return [
        (_("Split"), options.split or _("all sources")),
        (_("Gold summaries at most"), str(options.n)),
        (_("Per gold summary"), str(options.per_gold)),
        (_("Seed"), str(options.seed)),
        (_("Rules"), join_names(options.rules)),
        (_("Shares"), add_remark(join_clauses(listed), origin)),
        (_("Words inflected"), _("yes") if options.inflect else _("no")),
        *([(_("Sources left out"), join_names(options.without))] if options.without else []),
        (_("Made by"), f"{contrastive_set.generator}, {contrastive_set.parser}"),
    ]


@project_page(access.MAKERS, methods=["POST"])
def exclude_contrastive(request: HttpRequest, project: Project) -> HttpResponse:
    """Exclude the example of the form, or with do=include let it count again; back to the examples that were shown."""
    includes = request.POST.get("do") == "include"
    try:
        ids = excluding.find_examples(project, [uuid.UUID(request.POST.get("example", ""))])
    except ValueError:
        raise NotFound(_("There is no such contrastive example.")) from None
    change = excluding.include_again if includes else excluding.exclude_contrastives
    if change(project=project, ids=ids, by=current_user(request)):
        messages.success(request, _("The example counts again.") if includes else _("The example is excluded."))
    draw = request.POST.get("draw", "0")
    query = "state=excluded" if includes else f"draw={draw if draw.isascii() and draw.isdecimal() else 0}"
    return redirect(f"{reverse('contrastives', args=[project.slug])}?{query}#examples-title")


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def import_contrastives(request: HttpRequest, project: Project) -> HttpResponse:
    """The form for a file of examples made elsewhere; the job that imports it shows its faults."""
    from django.conf import settings

    has_set = sets.find_current_set(project) is not None
    form = ImportForm(request.POST or None, request.FILES or None, has_set=has_set)
    if request.method == "POST" and form.is_valid():
        try:
            job = importing.start_contrastives_import(
                project=project,
                upload=form.cleaned_data["file"],
                replace=bool(form.cleaned_data.get("replace")),
                by=current_user(request),
            )
        except ServiceError as error:
            add_service_error(form, error)
        else:
            return redirect("job", job.public_id)
    context = {
        "project": project,
        "form": form,
        "limit": settings.EPITOME_MAX_UPLOAD,
        "limit_mb": settings.EPITOME_MAX_UPLOAD // 2**20,
    }
    return render(request, "annotation/contrastives/import.html", context, status=422 if form.errors else 200)


@writes_file
@project_page(access.MAKERS)
def download_contrastives(request: HttpRequest, project: Project) -> HttpResponseBase:
    """The examples as JSON lines."""
    chunks: Iterator[bytes] = exporting.export_lines(project)
    response = StreamingHttpResponse(chunks, content_type="application/x-ndjson")
    response["Content-Disposition"] = f'attachment; filename="{project.slug}-contrastives.jsonl"'
    return response

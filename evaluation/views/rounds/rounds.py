"""The researcher's pages of rounds: list, new design, one round with its progress, exports."""

import json
import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.kinds import get_task_kind
from annotation.models import Project, SourceDocument
from annotation.services.core import access
from annotation.services.core.errors import BadInput, Conflict, NotFound, ServiceError
from annotation.services.core.text_search import contains
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.core.list_filters import list_active
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.jobs.missing_workers import find_missing_worker_of
from epitome.rounds.templates import load_template, template_keys
from epitome.site.file_language import writes_file
from evaluation.models import Round, RoundState
from evaluation.services.monitoring import extra_ratings, round_control, round_progress
from evaluation.services.rating import model_judges, outside_raters, people_choice, rater_pauses
from evaluation.services.reports import judgements
from evaluation.services.rounds import design_check, own_templates, rater_eligibility
from evaluation.services.rounds import launch as round_launch
from evaluation.views.reports.forms import JudgeForm
from evaluation.views.rounds.check_description import describe_check
from evaluation.views.rounds.forms import ClearForm, ConfigForm, ReplaceForm, RoundFilters
from evaluation.views.rounds.round_editor import EditedDesign, apply_offer, edit_design, list_faults, write_design


@project_page(access.MAKERS)
def round_list(request: HttpRequest, project: Project) -> HttpResponse:
    form = filters_of(request, RoundFilters)
    rows = Round.objects.filter(project=project).order_by("-pk")
    if text := form.cleaned_data["q"]:
        rows = rows.filter(contains(text, "name"))
    if state := form.cleaned_data["state"]:
        rows = rows.filter(state=state)
    page, own_names = paginate_rows(request, rows), own_templates.template_names(project)
    going = round_progress.count_places_by_round([row.pk for row in page])
    for row in page:
        annotated: Any = row
        annotated.going = going[row.pk] if row.state != RoundState.DRAFT else None
        shipped_name = load_template(row.template).name if row.template in template_keys() else ""
        annotated.template_name = shipped_name or own_names.get(row.template, row.template)
    context = {"project": project, "rows": page, "form": form, "active": list_active(request, form)}
    context["summarizes"] = get_task_kind(project.kind, has_sample=True).summarizes
    return render(request, "evaluation/rounds/rounds.html", context)


def _find_round(project: Project, public_id: uuid.UUID) -> Round:
    round_ = Round.objects.filter(project=project, public_id=public_id).select_related("project").first()
    if round_ is None:
        raise NotFound()
    return round_


@project_page(access.MAKERS, methods=("GET", "HEAD", "POST"))
def show_round(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    round_ = _find_round(project, public_id)
    if round_.state == RoundState.DRAFT:
        return _handle_draft(request, project, round_)
    forms = _build_forms(request, round_)
    if request.method == "POST":
        try:
            if _apply_form(request, round_, forms):
                return redirect("round", project.slug, round_.public_id)
        except ServiceError as error:
            messages.error(request, error.message)
            return redirect("round", project.slug, round_.public_id)
    design = json.loads(round_.design)
    context = {
        "project": project,
        "round": round_,
        "going": round_progress.build_progress(round_),
        "moves": round_control.allowed_actions(round_),
        "design": design,
        "rules": round_.rules,
        "protocol": round_.instructions,
        "missing_worker": find_missing_worker_of(project, model_judges.KIND),
        "looks": round_.rules.stopping.looks,
        "extra": extra_ratings.count_extra_ratings(round_),
        "takes_outside_answers": any(question.asks.marks for question in round_.rules.questions),
        "asked_judges": design.get("judges", []),
        **forms,
    }
    return render(request, "evaluation/rounds/round.html", context)


def _handle_draft(request: HttpRequest, project: Project, round_: Round) -> HttpResponse:
    """Show a draft; POST changes, launches or deletes it."""
    do = "form" if "use" in request.POST else request.POST.get("do", "")
    form = ConfigForm(request.POST if do == "change" else None, initial={"config": round_.config_toml})
    posted = apply_offer(request.POST) if do in ("form", "preview") else None
    edited = edit_design(project, round_.config_toml, posted)
    try:
        if do == "form" and edited is not None and edited.form.is_valid():
            _change_by_form(request, project, round_, edited)
            return redirect("round", project.slug, round_.public_id)
        if do == "launch":
            round_launch.launch_round(round_=round_, by=current_user(request))
            messages.success(request, _("Round launched. Its design can no longer be changed."))
            return redirect("round", project.slug, round_.public_id)
        if do == "drop":
            round_launch.drop_draft(round_=round_, by=current_user(request))
            return redirect("rounds", project.slug)
        if do == "change" and form.is_valid():
            round_launch.change_draft(round_=round_, text=form.cleaned_data["config"], by=current_user(request))
            return redirect("round", project.slug, round_.public_id)
    except ServiceError as error:
        if do == "change":
            add_service_error(form, BadInput(error.message, field="config"))
        elif do == "form" and edited is not None:
            add_service_error(edited.form, error)
        else:
            messages.error(request, error.message)
    try:
        result, fault = design_check.check_design(project, design_check.parse_draft(round_)), ""
    except BadInput as error:
        result, fault = None, error.message
    context = {"project": project, "round": round_, "form": form, "check": describe_check(result), "fault": fault}
    context |= {"edited": edited, "sketch": edited.form if edited else None, "faults": list_faults(result, edited)}
    faulty = form.errors or (do == "form" and edited is not None and edited.form.errors)
    return render(request, "evaluation/rounds/round_draft.html", context, status=422 if faulty else 200)


def _change_by_form(request: HttpRequest, project: Project, round_: Round, edited: EditedDesign) -> None:
    """Store what was entered. Raises Conflict where the draft was changed since the form was opened."""
    if request.POST.get("hash", "") != round_.config_hash:
        message = _("The draft was changed meanwhile. Reload the page and enter the change again.")
        raise Conflict(message, code="changed")
    round_launch.change_draft(round_=round_, text=write_design(project, edited), by=current_user(request))
    messages.success(request, _("Draft saved."))


def _build_forms(request: HttpRequest, round_: Round) -> dict[str, Any]:
    """Forms of a running round: replace a rater, clear a source, start a judge."""
    do = request.POST.get("do", "")
    rater_names = list(round_.raters.filter(left_at=None).order_by("pk").values_list("rater__username", flat=True))
    known = set(round_.raters.values_list("rater_id", flat=True))
    others = [
        user.username
        for user in rater_eligibility.team_raters(round_.project).order_by("username")
        if user.pk not in known
    ]
    data = request.POST if request.method == "POST" else None
    judges = model_judges.list_judges(round_.project)
    return {
        "judges": judges,
        "replace": ReplaceForm(data if do == "replace" else None, leaves=rater_names, joins=others, prefix="r"),
        "clear": ClearForm(data if do == "clear" else None, raters=rater_names, prefix="c"),
        "judge": JudgeForm(data if do == "judge" else None, judges=judges, prefix="j"),
    }


def _apply_form(request: HttpRequest, round_: Round, forms: dict[str, Any]) -> bool:
    """Apply the submitted form; False means that the page is shown again with the form's errors."""
    do = request.POST.get("do", "")
    if do == "replace":
        return _replace_rater(request, round_, forms["replace"])
    if do == "clear":
        return _clear_source(request, round_, forms["clear"])
    if do == "judge":
        return _start_judging(request, round_, forms["judge"])
    if do == "resume-rater":
        return _resume_rater(request, round_)
    if do == "ask-judges":
        return _ask_judges(request, round_)
    if do == "extra":
        return _request_extra_ratings(request, round_)
    if do == "remove-outside":
        return _remove_outside_rater(request, round_)
    if do == "unblind":
        raise BadInput(_("Type the name of the round to confirm."), field="name")
    round_control.apply_action(round_=round_, action=do, by=current_user(request))
    return True


def _replace_rater(request: HttpRequest, round_: Round, form: ReplaceForm) -> bool:
    if not form.is_valid():
        return False
    values = form.cleaned_data
    joins = User.objects.get(username=values["joins"]) if values["joins"] else None
    leaves = User.objects.get(username=values["leaves"])
    round_control.replace_rater(
        round_=round_, leaves=leaves, joins=joins, keep=values["keep"], by=current_user(request)
    )
    messages.success(request, _("Rater replaced. The new rater continues in the same order."))
    return True


def _resume_rater(request: HttpRequest, round_: Round) -> bool:
    row = round_control.find_rater(round_, request.POST.get("rater", ""), "rater")
    rater_pauses.resume_rater(round_=round_, rater=row.rater, by=current_user(request))
    messages.success(request, _("Rater resumed."))
    return True


def _remove_outside_rater(request: HttpRequest, round_: Round) -> bool:
    """Delete what an outside rater answered; for admins, like the import."""
    access.project_for(request.user, round_.project.slug, access.ADMINS)
    n_items = outside_raters.remove_outside_rater(
        round_=round_, account=request.POST.get("rater", ""), by=current_user(request)
    )
    message = ngettext("%(n)d imported rating removed.", "%(n)d imported ratings removed.", n_items)
    messages.success(request, message % {"n": n_items})
    return True


def _clear_source(request: HttpRequest, round_: Round, form: ClearForm) -> bool:
    if not form.is_valid():
        return False
    values = form.cleaned_data
    source = SourceDocument.objects.filter(project=round_.project, external_id=values["source"]).first()
    if source is None:
        form.add_error("source", _("There is no such source in the project."))
        return False
    rater = User.objects.get(username=values["rater"])
    rater_eligibility.clear_source(
        round_=round_, rater=rater, document=source, reason=values["reason"], by=current_user(request)
    )
    messages.success(request, _("Rater allowed. The exception was recorded in the audit log."))
    return True


def _ask_judges(request: HttpRequest, round_: Round) -> bool:
    """Ask the judges of the design again for what they have not answered."""
    n_jobs = model_judges.ask_frozen_judges(round_, current_user(request))
    if n_jobs:
        messages.success(request, ngettext("%(n)d judge asked.", "%(n)d judges asked.", n_jobs) % {"n": n_jobs})
    elif people_choice.choose_when_judged(round_):
        messages.success(request, _("The items for people were chosen."))
    else:
        messages.info(request, _("All judges have answered or are being asked."))
    return True


def _request_extra_ratings(request: HttpRequest, round_: Round) -> bool:
    """Request one more rating of items that raters disagree on."""
    disagreeing, requested = extra_ratings.request_extra_ratings(round_=round_, by=current_user(request))
    if requested:
        message = ngettext(
            "One more rating requested for %(n)d item.", "One more rating requested for %(n)d items.", requested
        )
        messages.success(request, message % {"n": requested})
    elif disagreeing:
        messages.info(request, _("The round has had as many additional ratings as its design allows."))
    else:
        messages.info(request, _("Raters disagree on no further item that somebody else could rate."))
    return True


def _start_judging(request: HttpRequest, round_: Round, form: JudgeForm) -> bool:
    if not form.is_valid():
        return False
    revisions = {revision.pk: revision for revision in model_judges.list_judges(round_.project)}
    revision = model_judges.find_judge(round_, revisions[int(form.cleaned_data["judge"])].system)
    model_judges.start_judging(round_=round_, revision=revision, by=current_user(request))
    messages.success(request, _("Rating started as a job. The model's answers are kept separate from those of people."))
    return True


@writes_file
@project_page(access.MAKERS)
def download_judgements(request: HttpRequest, project: Project, public_id: uuid.UUID) -> StreamingHttpResponse:
    """Download the judgements as JSON lines, or as CSV with ?format=csv; ?quality=1 includes what counts in no figure,
    ?notes=1 free text."""
    everything = request.GET.get("quality") == "1"
    options = judgements.ExportOptions(
        quality=everything, excluded=everything, extra=everything, notes=request.GET.get("notes") == "1"
    )
    round_ = _find_round(project, public_id)
    format_ = "csv" if request.GET.get("format") == "csv" else "jsonl"
    export, content_type = judgements.EXPORTS[format_]
    response = StreamingHttpResponse(export(round_, options), content_type=content_type)
    file_name = judgements.export_file_name(round_, format_)
    response.headers["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response


@writes_file
@project_page(access.MAKERS)
def download_judges(request: HttpRequest, project: Project, public_id: uuid.UUID) -> StreamingHttpResponse:
    """Download the answers of models as JSON lines."""
    round_ = _find_round(project, public_id)
    response = StreamingHttpResponse(judgements.export_judges(round_), content_type="application/jsonl")
    name = f"{project.slug}-round-{round_.number}-judges.jsonl"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@writes_file
@project_page(access.MAKERS)
def download_design(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponseBase:
    """Download the frozen design: the TOML file, the full configuration, targets and hashes."""
    round_ = _find_round(project, public_id)
    frozen_design = {
        "project": project.slug,
        "round": round_.number,
        "name": round_.name,
        "config_toml": round_.config_toml,
        "config_hash": round_.config_hash,
        "config": round_.config,
        "design": json.loads(round_.design),
        "seed": round_.seed,
        "items": round_.n_items,
        "items_hash": round_.items_hash,
        "launched_at": round_.launched_at.isoformat() if round_.launched_at else None,
    }
    response = HttpResponse(json.dumps(frozen_design, ensure_ascii=False, indent=2), content_type="application/json")
    name = f"{project.slug}-round-{round_.number}-design.json"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response

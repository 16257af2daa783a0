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

from annotation.models import Project, SourceDocument
from annotation.services import access
from annotation.services.errors import BadInput, NotFound, ServiceError
from annotation.views.common import paged, person, project_page, refuse
from evaluation.forms import ClearForm, ConfigForm, JudgeForm, ReplaceForm, SketchForm
from evaluation.models import Round, RoundState
from evaluation.rounds.protocols import names, protocol
from evaluation.rounds.writing import toml_of
from evaluation.services import barring, checking, following, judgements, judging, launching, steering
from evaluation.services.checking import Check


@project_page(access.MAKERS)
def rounds(request: HttpRequest, project: Project) -> HttpResponse:
    found = paged(request, Round.objects.filter(project=project).order_by("-pk"))
    for row in found:
        shown: Any = row
        shown.going = following.places(row) if row.state != RoundState.DRAFT else None
        shown.template_name = protocol(row.template).name if row.template in names() else row.template
    return render(request, "evaluation/rounds.html", {"project": project, "rows": found})


@project_page(access.MAKERS, methods=("GET", "HEAD", "POST"))
def new_round(request: HttpRequest, project: Project) -> HttpResponse:
    """First the form, then the text it makes with its check, then a draft."""
    do = request.POST.get("do", "")
    form = SketchForm(request.POST if do == "write" else None, project=project, initial=_initial(request))
    if do == "write" and form.is_valid():
        text = toml_of(form.sketch(project))
        return _design(request, project, ConfigForm(initial={"config": text}), text)
    if do in ("check", "keep"):
        config = ConfigForm(request.POST)
        if config.is_valid():
            text = config.cleaned_data["config"]
            if do == "keep":
                try:
                    made = launching.make_draft(project=project, text=text, by=person(request))
                except ServiceError as error:
                    refuse(config, BadInput(error.message, field="config"))
                else:
                    messages.success(request, _("Kept as a draft. Look at the check, then launch it."))
                    return redirect("round", project.slug, made.public_id)
            return _design(request, project, config, text)
        return render(request, "evaluation/round_design.html", {"project": project, "form": config}, status=422)
    context = {
        "project": project,
        "form": form,
        "templates": [protocol(key) for key in names()],
        "blank": ConfigForm(),
    }
    return render(request, "evaluation/round_new.html", context, status=422 if do == "write" else 200)


def _initial(request: HttpRequest) -> dict[str, Any]:
    """The template asked for by ?template=, with its usual numbers."""
    key = request.GET.get("template", "macsum-yes-no")
    chosen = protocol(key if key in names() else "macsum-yes-no")
    return {"template": chosen.key, "n": chosen.n, "raters_per_item": chosen.raters_per_item}


def _design(request: HttpRequest, project: Project, form: ConfigForm, text: str) -> HttpResponse:
    """The text with its check below; a fault stands beside the text."""
    found: Check | None = None
    fault = ""
    try:
        found = checking.check(project, checking.parsed(project, text))
    except BadInput as error:
        fault = error.message
    context = {"project": project, "form": form, "check": _shown(found), "fault": fault}
    return render(request, "evaluation/round_design.html", context, status=422 if fault or form.errors else 200)


def _shown(found: Check | None) -> dict[str, Any] | None:
    """A check as the page shows it: questions as columns, targets as rows."""
    if found is None:
        return None
    questions = [one for one in found.config.questions if any(cell.question == one.key for cell in found.cells)]
    rows: dict[tuple[str, str], dict[str, int]] = {}
    for cell in found.cells:
        rows.setdefault((cell.target, cell.domain), {})[cell.question] = cell.n
    return {
        "found": found,
        "questions": [one.attribute or one.key for one in questions],
        "rows": [(target, domain, [n.get(one.key, 0) for one in questions]) for (target, domain), n in rows.items()],
        "power": [
            (one.n, [(rate, 100 * half) for rate, half in one.rates.items()], list(one.kappas.items()))
            for one in found.power
        ],
        "hours": found.cost.minutes / 60 if found.cost else 0,
    }


def _round(project: Project, public_id: uuid.UUID) -> Round:
    found = Round.objects.filter(project=project, public_id=public_id).select_related("project").first()
    if found is None:
        raise NotFound(_("There is no such thing, or it is not yours."))
    return found


@project_page(access.MAKERS, methods=("GET", "HEAD", "POST"))
def one_round(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    round_ = _round(project, public_id)
    if round_.state == RoundState.DRAFT:
        return _draft(request, project, round_)
    forms = _forms(request, round_)
    if request.method == "POST":
        try:
            if _do(request, round_, forms):
                return redirect("round", project.slug, round_.public_id)
        except ServiceError as error:
            messages.error(request, error.message)
            return redirect("round", project.slug, round_.public_id)
    design = json.loads(round_.design)
    context = {
        "project": project,
        "round": round_,
        "going": following.follow(round_),
        "moves": steering.can(round_),
        "design": design,
        "rules": round_.rules,
        "protocol": round_.instructions,
        **forms,
    }
    return render(request, "evaluation/round.html", context)


def _draft(request: HttpRequest, project: Project, round_: Round) -> HttpResponse:
    """A draft can be changed, checked, launched or dropped."""
    do = request.POST.get("do", "")
    form = ConfigForm(request.POST if do == "change" else None, initial={"config": round_.config_toml})
    try:
        if do == "launch":
            launching.launch(round_=round_, by=person(request))
            messages.success(request, _("The round is open; its design is frozen."))
            return redirect("round", project.slug, round_.public_id)
        if do == "drop":
            launching.drop_draft(round_=round_, by=person(request))
            return redirect("rounds", project.slug)
        if do == "change" and form.is_valid():
            launching.change_draft(round_=round_, text=form.cleaned_data["config"], by=person(request))
            return redirect("round", project.slug, round_.public_id)
    except ServiceError as error:
        if do == "change":
            refuse(form, BadInput(error.message, field="config"))
        else:
            messages.error(request, error.message)
    try:
        found, fault = checking.check(project, round_.rules), ""
    except BadInput as error:
        found, fault = None, error.message
    context = {"project": project, "round": round_, "form": form, "check": _shown(found), "fault": fault}
    return render(request, "evaluation/round_draft.html", context, status=422 if form.errors else 200)


def _forms(request: HttpRequest, round_: Round) -> dict[str, Any]:
    """Replacing a rater and clearing a source, for a round that runs."""
    do = request.POST.get("do", "")
    here = list(round_.raters.filter(left_at=None).order_by("pk").values_list("rater__username", flat=True))
    known = set(round_.raters.values_list("rater_id", flat=True))
    others = [one.username for one in barring.may_rate(round_.project).order_by("username") if one.pk not in known]
    given = request.POST if request.method == "POST" else None
    judges = judging.judges_of(round_.project)
    return {
        "judges": judges,
        "replace": ReplaceForm(given if do == "replace" else None, leaves=here, joins=others, prefix="r"),
        "clear": ClearForm(given if do == "clear" else None, raters=here, prefix="c"),
        "judge": JudgeForm(given if do == "judge" else None, judges=judges, prefix="j"),
    }


def _do(request: HttpRequest, round_: Round, forms: dict[str, Any]) -> bool:
    """What a form of the page asks for; False shows the page again with the form's faults."""
    do = request.POST.get("do", "")
    if do == "replace":
        return _replace(request, round_, forms["replace"])
    if do == "clear":
        return _clear(request, round_, forms["clear"])
    if do == "judge":
        return _judge(request, round_, forms["judge"])
    steering.move(round_=round_, what=do, by=person(request))
    return True


def _replace(request: HttpRequest, round_: Round, form: ReplaceForm) -> bool:
    if not form.is_valid():
        return False
    given = form.cleaned_data
    joins = User.objects.get(username=given["joins"]) if given["joins"] else None
    leaves = User.objects.get(username=given["leaves"])
    steering.replace(round_=round_, leaves=leaves, joins=joins, keep=given["keep"], by=person(request))
    messages.success(request, _("Done. Whoever takes the place goes on in the same order."))
    return True


def _clear(request: HttpRequest, round_: Round, form: ClearForm) -> bool:
    if not form.is_valid():
        return False
    given = form.cleaned_data
    source = SourceDocument.objects.filter(project=round_.project, external_id=given["source"]).first()
    if source is None:
        form.add_error("source", _("There is no such source in the project."))
        return False
    rater = User.objects.get(username=given["rater"])
    barring.clear(round_=round_, rater=rater, document=source, reason=given["reason"], by=person(request))
    messages.success(request, _("Noted, also in the audit log."))
    return True


def _judge(request: HttpRequest, round_: Round, form: JudgeForm) -> bool:
    if not form.is_valid():
        return False
    revisions = {one.pk: one for one in judging.judges_of(round_.project)}
    judging.start(round_=round_, revision=revisions[int(form.cleaned_data["judge"])], by=person(request))
    messages.success(request, _("It is asked what raters are asked, as a job; its answers stand apart from people's."))
    return True


@project_page(access.MAKERS)
def judgements_of(request: HttpRequest, project: Project, public_id: uuid.UUID) -> StreamingHttpResponse:
    """The judgements as JSON lines; ?quality=1 with foils and repeats."""
    wanted = judgements.Wanted(quality=request.GET.get("quality") == "1", excluded=request.GET.get("quality") == "1")
    round_ = _round(project, public_id)
    answer = StreamingHttpResponse(judgements.file_of(round_, wanted), content_type="application/jsonl")
    answer.headers["Content-Disposition"] = f'attachment; filename="{judgements.file_name(round_)}"'
    return answer


@project_page(access.MAKERS)
def design_of(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponseBase:
    """The design as it was frozen: the file, the filled-in configuration, targets and hashes."""
    round_ = _round(project, public_id)
    told = {
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
    answer = HttpResponse(json.dumps(told, ensure_ascii=False, indent=2), content_type="application/json")
    name = f"{project.slug}-round-{round_.number}-design.json"
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer

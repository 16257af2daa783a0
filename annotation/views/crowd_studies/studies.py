"""Pages of studies on Prolific: the list with a form, and one study with its submissions and bonus payments."""

import uuid
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotation.models import BonusBatch, BonusState, CrowdLink, CrowdStudy, Job, JobState, Project
from annotation.services.core import access
from annotation.services.core.errors import BadInput, NotFound, ServiceError
from annotation.services.crowd_studies import bonuses, prolific, studies, submissions
from annotation.services.crowd_studies.money import format_minor
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.core.public_ids import parse_uuid
from annotation.views.crowd_studies.forms import DecisionForm, StudyForm
from annotation.views.jobs.missing_workers import find_missing_worker

METHODS = ["GET", "HEAD", "POST"]
KINDS = (studies.STUDY_JOB, submissions.DECISION_JOB, bonuses.BONUS_JOB)
SHOWN = 200
STATES: dict[str, str | Promise] = {
    "": gettext_lazy("not created yet"),
    "UNPUBLISHED": gettext_lazy("draft"),
    "SCHEDULED": gettext_lazy("scheduled"),
    "PUBLISHING": gettext_lazy("being published"),
    "PUBLISHED": gettext_lazy("published"),
    "ACTIVE": pgettext_lazy("study", "active"),
    "PAUSED": gettext_lazy("paused"),
    "RESERVED": gettext_lazy("reserved"),
    "PROCESSING": gettext_lazy("being processed"),
    "AWAITING REVIEW": gettext_lazy("awaiting review"),
    "APPROVED": gettext_lazy("approved"),
    "PARTIALLY APPROVED": gettext_lazy("partially approved"),
    "REJECTED": gettext_lazy("rejected"),
    "RETURNED": gettext_lazy("returned"),
    "TIMED-OUT": gettext_lazy("timed out"),
    "SCREENED OUT": gettext_lazy("screened out"),
    "COMPLETED": gettext_lazy("completed"),
}
"""States of studies and submissions in the platform's words -> ours."""


def describe_state(status: str) -> str:
    """A state in words; one that Prolific added later as it came."""
    return str(STATES.get(status.replace("_", " "), status))


class SubmissionRow(NamedTuple):
    """A submission with its state in words."""

    line: submissions.SubmissionLine
    state: str


class ProposalLine(NamedTuple):
    """A bonus that could be paid, with its amounts in words."""

    person: str
    minutes: float
    earned: str
    paid: str
    amount: str


class BatchLine(NamedTuple):
    """A batch with its total in words. why_not_again: why it cannot be sent again; "" if it can."""

    batch: BonusBatch
    n_payments: int
    n_confirmed: int
    total: str
    is_open: bool
    can_cancel: bool
    why_not_again: str


@project_page(access.ADMINS, methods=METHODS)
def list_studies(request: HttpRequest, project: Project) -> HttpResponse:
    """The studies of a project, and a form that drafts one."""
    form = StudyForm(request.POST or None, project=project)
    if request.method == "POST" and form.is_valid():
        try:
            study = _create_study(request, project, dict(form.cleaned_data))
        except ServiceError as error:
            add_service_error(form, error)
        else:
            return redirect("crowd-study", project.slug, study.public_id)
    rows = CrowdStudy.objects.filter(project=project).select_related("link").order_by("-pk")[:100]
    context = {
        "project": project,
        "form": form,
        "is_set_up": prolific.is_set_up(),
        "has_links": studies.open_links(project).exists(),
        "studies": [(row, format_minor(row.currency, row.reward), describe_state(row.status)) for row in rows],
    }
    return render(request, "annotation/crowd_studies/studies.html", context, status=422 if form.errors else 200)


def _create_study(request: HttpRequest, project: Project, values: dict[str, Any]) -> CrowdStudy:
    link = CrowdLink.objects.filter(project=project, public_id=parse_uuid(values.pop("link"))).first()
    if link is None:
        raise NotFound()
    devices = tuple(values.pop("devices"))
    return studies.create_study(
        project=project,
        link=link,
        study_settings=studies.StudySettings(**values, devices=devices),
        base=request.build_absolute_uri("/"),
        by=current_user(request),
    )


@project_page(access.ADMINS, methods=METHODS)
def show_study(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    study = studies.find_study(project, public_id)
    do = request.POST.get("do", "") if request.method == "POST" else ""
    decision = DecisionForm(request.POST if do in (submissions.REJECT, submissions.RETURN) else None, study=study)
    if request.method == "POST" and _apply_action(request, study, do, decision):
        return redirect("crowd-study", project.slug, public_id)
    context = {**_describe(study), "project": project, "study": study, "form": decision}
    return render(request, "annotation/crowd_studies/study.html", context, status=422 if decision.errors else 200)


def _apply_action(request: HttpRequest, study: CrowdStudy, do: str, decision: DecisionForm) -> bool:
    """Do what a button asks for; False: the page is shown again with the faults of its form."""
    by = current_user(request)
    if do in (submissions.REJECT, submissions.RETURN) and not decision.is_valid():
        return False
    try:
        if do in (submissions.REJECT, submissions.RETURN):
            submissions.start_decision(study=study, do=do, by=by, **decision.cleaned_data)
        elif do == submissions.APPROVE:
            submissions.start_approval(study=study, by=by)
        elif do == "pay":
            bonuses.prepare_bonuses(study=study, expect=_read_number(request, "expect"), by=by)
        elif do in ("go_on", "again", "cancel"):
            _apply_to_batch(request, study, do)
        else:
            studies.start_study_job(study=study, do=do, by=by, base=request.build_absolute_uri("/"))
    except NotFound:
        raise
    except ServiceError as error:
        if error.field in decision.fields and decision.is_bound:
            add_service_error(decision, error)
            return False
        messages.error(request, error.message)
    return True


def _apply_to_batch(request: HttpRequest, study: CrowdStudy, do: str) -> None:
    batch = bonuses.find_batch(study, parse_uuid(request.POST.get("batch", "")))
    act = {"go_on": bonuses.go_on, "again": bonuses.send_again, "cancel": bonuses.cancel_batch}[do]
    act(batch=batch, by=current_user(request))


def _read_number(request: HttpRequest, name: str) -> int:
    try:
        return int(request.POST.get(name, ""))
    except ValueError:
        raise BadInput(_("The bonuses have changed. Check them again.")) from None


def _describe(study: CrowdStudy) -> dict[str, Any]:
    """What the page shows of a study besides its form."""
    jobs = Job.objects.filter(project=study.project, kind__in=KINDS, arguments__study=study.pk).order_by("-pk")
    last = jobs.first()
    running = jobs.filter(state__in=JobState.UNDER_WAY).first()
    lines = submissions.list_lines(study)
    proposals = bonuses.propose_bonuses(study)
    return {
        "is_set_up": prolific.is_set_up(),
        "reward": format_minor(study.currency, study.reward),
        "state": describe_state(study.status),
        "job": running,
        "failed": last if running is None and last is not None and last.state in JobState.UNSUCCESSFUL else None,
        "missing_worker": find_missing_worker(running) if running is not None else None,
        "is_draft": study.status == studies.UNPUBLISHED,
        "rows": [SubmissionRow(line, describe_state(line.submission.status)) for line in lines[:SHOWN]],
        "n_passing": sum(not line.obstacle for line in lines),
        "n_waiting": sum(line.submission.status == submissions.AWAITING for line in lines),
        "no_bonus": bonuses.find_obstacle(study),
        "proposals": [_describe_proposal(study, row) for row in proposals],
        "total": sum(row.amount for row in proposals),
        "total_words": format_minor(study.currency, sum(row.amount for row in proposals)),
        "batches": [_describe_batch(study, row) for row in study.bonus_batches.order_by("-pk")],
    }


def _describe_proposal(study: CrowdStudy, row: bonuses.Proposal) -> ProposalLine:
    amounts = (format_minor(study.currency, amount) for amount in (row.earned, row.paid, row.amount))
    worker = row.submission.worker
    return ProposalLine(worker.user.username if worker else "", row.minutes, *amounts)


def _describe_batch(study: CrowdStudy, batch: BonusBatch) -> BatchLine:
    payments = list(batch.payments.all())
    return BatchLine(
        batch,
        len(payments),
        sum(row.confirmed_at is not None for row in payments),
        format_minor(study.currency, sum(row.amount for row in payments)),
        batch.state not in (BonusState.PAID, BonusState.REFUSED),
        batch.state in (BonusState.PREPARED, BonusState.SET_UP),
        bonuses.why_not_again(batch),
    )

"""Staff pages: skipped samples, the ledger, and bulk actions on tasks."""

import re
from datetime import date
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.figures.table_rendering import render_table
from annotation.models import AssignmentState, BulkAction, PoolExit, Project
from annotation.services.core import access
from annotation.services.core.errors import Conflict, NotFound, ServiceError
from annotation.services.staff import bulk_actions, reassignment
from annotation.services.staff import ledger as ledgers
from annotation.services.staff import release_and_void as acts
from annotation.services.staff import skipped_samples as pool
from annotation.services.staff.release_and_void import Period
from annotation.services.tasks import reservations
from annotation.services.tasks.submit import SKIP_REASONS
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.core.forms import StyledForm
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.core.public_ids import parse_uuid


def day_field(label: Any) -> forms.DateField:
    return forms.DateField(label=label, required=False, widget=forms.DateInput({"type": "date"}))


class PeriodForm(StyledForm):
    since = day_field(gettext_lazy("From"))
    until = day_field(gettext_lazy("To"))

    def period(self) -> Period:
        return Period(self.cleaned_data["since"], self.cleaned_data["until"])


class LedgerFilters(PeriodForm):
    per = forms.ChoiceField(
        label=gettext_lazy("Per"),
        required=False,
        choices=[
            ("", gettext_lazy("whole period")),
            ("month", gettext_lazy("month")),
            ("week", gettext_lazy("week")),
        ],
    )
    names = forms.ChoiceField(
        label=gettext_lazy("People by"),
        required=False,
        choices=[("", gettext_lazy("pseudonyms, as in exports")), ("usernames", gettext_lazy("account names"))],
    )


class SteerForm(PeriodForm):
    kind = forms.ChoiceField(
        label=gettext_lazy("What to do"),
        choices=[(kind.value, kind.label) for kind in bulk_actions.KINDS],
        widget=forms.RadioSelect,
        initial="release",
    )
    person = forms.CharField(label=gettext_lazy("Account"), max_length=150)
    to = forms.CharField(
        label=gettext_lazy("Who gets the tasks"),
        required=False,
        max_length=150,
        help_text=gettext_lazy("For giving them to somebody else."),
    )
    n = forms.IntegerField(
        label=gettext_lazy("Places to keep"),
        required=False,
        min_value=1,
        max_value=reassignment.MAX_PLACES,
        widget=forms.NumberInput({"class": "short"}),
    )
    days = forms.IntegerField(
        label=gettext_lazy("Days they are kept"),
        required=False,
        min_value=1,
        max_value=reservations.MAX_DAYS,
        widget=forms.NumberInput({"class": "short", "placeholder": reservations.DAYS}),
    )
    field_order = ("kind", "person", "to", "since", "until", "n", "days")

    def asked(self) -> bulk_actions.ActionRequest:
        values = self.cleaned_data
        days, n = values["days"] or reservations.DAYS, values["n"] or 0
        return bulk_actions.ActionRequest(values["kind"], values["person"], values["to"], self.period(), n, days)


@project_page(access.STAFF, methods=["GET", "HEAD", "POST"])
def skip_list(request: HttpRequest, project: Project) -> HttpResponse:
    """Skip reasons and rates; samples that left the pool, to put back or to redraw (with a preview)."""
    pool_exit = None
    if request.method == "POST":
        if not access.roles_of(request.user, project) & {role.value for role in access.MAKERS}:
            raise NotFound(_("There is nothing here."))
        pool_exit = _find_pool_exit(project, request.POST.get("sample", ""))
        action = request.POST.get("do")
        try:
            if action == "back":
                pool.put_sample_back(exit=pool_exit, by=current_user(request))
                messages.success(request, _("The sample is offered again."))
                return redirect("skips", project.slug)
            if action == "redraw":
                pool.redraw_sample(exit=pool_exit, by=current_user(request), expect=request.POST.get("source", ""))
                messages.success(request, _("The combination is asked for on another source."))
                return redirect("skips", project.slug)
        except ServiceError as error:
            messages.error(request, error.message)
            return redirect("skips", project.slug)
    rates = pool.skip_rates(project)
    context = {
        "project": project,
        "people": rates,
        "rows": [(rate, [rate.reasons[reason] for reason in SKIP_REASONS]) for rate in rates],
        "reasons": [reason_name(reason) for reason in SKIP_REASONS],
        "left": paginate_rows(request, pool.list_pool_exits(project)),
        "shown": pool_exit,
        "source": pool.find_redraw_source(pool_exit) if pool_exit is not None else None,
        "alert": pool.ALERT,
    }
    return render(request, "annotation/staff/skips.html", context)


def _find_pool_exit(project: Project, sample: str) -> PoolExit:
    pool_exit = pool.list_pool_exits(project).filter(sample__public_id=parse_uuid(sample)).first()
    if pool_exit is None:
        raise NotFound()
    return pool_exit


def reason_name(reason: str) -> str:
    return {
        "contradiction": _("contradiction"),
        "nothing_fits": _("nothing fits"),
        "damaged": _("damaged"),
        "other": _("other"),
    }.get(reason, reason)


def _load_ledger(request: HttpRequest, project: Project) -> tuple[LedgerFilters, Any]:
    form = filters_of(request, LedgerFilters)
    values = form.cleaned_data
    period = form.period()
    if not request.GET:
        today = timezone.localdate()
        period = Period(date(today.year, today.month, 1), today)
        form = LedgerFilters(initial={"since": period.since, "until": period.until})
    table = ledgers.build_table(project, period, per=values["per"] or "all", names=values["names"] or "pseudonyms")
    return form, table


@project_page(access.MAKERS)
def show_ledger(request: HttpRequest, project: Project) -> HttpResponse:
    form, table = _load_ledger(request, project)
    context = {"project": project, "form": form, "shown": render_table(table, gettext=_)}
    return render(request, "annotation/staff/ledger.html", context)


@project_page(access.MAKERS)
def download_ledger(request: HttpRequest, project: Project) -> HttpResponse:
    """The ledger as CSV, with formulas escaped for spreadsheets."""
    _form, table = _load_ledger(request, project)
    answer = HttpResponse(table.csv(), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{project.slug}-ledger.csv"'
    return answer


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def steering_page(request: HttpRequest, project: Project) -> HttpResponse:
    """Preview a bulk action, then execute it with the number of tasks shown; list past actions for undo."""
    action = request.POST.get("do", "")
    if request.method == "POST" and action in ("freeze", "unfreeze", "undo"):
        return _handle_action(request, project, action)
    form = SteerForm(request.POST or None)
    preview = None
    if request.method == "POST" and form.is_valid():
        try:
            if action == "act":
                bulk_actions.execute_action(
                    project, form.asked(), by=current_user(request), expect=_parse_expected_count(request, form)
                )
                messages.success(request, _("Done. It can be undone below."))
                return redirect("steering", project.slug)
            preview = bulk_actions.preview_action(project, form.asked())
        except ServiceError as error:
            add_service_error(form, error)
    actions = BulkAction.objects.filter(project=project).select_related("person", "other", "by").order_by("-pk")
    context = {
        "project": project,
        "form": form,
        "preview": preview,
        "about": _build_preview_key(form) if preview else "",
        "states": [(AssignmentState(state).label, n) for state, n in preview.states.items()] if preview else [],
        "rows": paginate_rows(request, actions),
    }
    return render(request, "annotation/staff/steering.html", context, status=422 if form.errors else 200)


def _build_preview_key(form: SteerForm) -> str:
    """A key of the form values, to detect a form that was changed after its preview."""
    return " ".join(
        str(form.cleaned_data[name] or "-") for name in ("kind", "since", "until", "n", "days", "to", "person")
    )


def _parse_expected_count(request: HttpRequest, form: SteerForm) -> int:
    """The number of tasks in the preview. Raises Conflict when the preview was for other form values."""
    expect = request.POST.get("expect", "")
    if request.POST.get("about", "") != _build_preview_key(form) or not re.fullmatch("[0-9]{1,9}", expect):
        raise Conflict(_("This was not shown yet; look first."), code="changed")
    return int(expect)


def _handle_action(request: HttpRequest, project: Project, action: str) -> HttpResponse:
    try:
        if action == "freeze":
            acts.freeze_project(project=project, by=current_user(request))
        elif action == "unfreeze":
            acts.unfreeze_project(project=project, by=current_user(request))
        else:
            n = acts.undo_action(
                action=acts.get_action(project, parse_uuid(request.POST.get("action", ""))), by=current_user(request)
            )
            messages.success(request, _("%(n)d tasks have their state back.") % {"n": n})
    except ServiceError as error:
        if isinstance(error, NotFound):
            raise
        messages.error(request, error.message)
    return redirect("steering", project.slug)

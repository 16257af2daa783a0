"""Staff's hand on the work: skips, the ledger, and actions on many tasks at once."""

import re
import uuid
from datetime import date
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.forms import StyledForm
from annotation.models import AssignmentState, BulkAction, PoolExit, Project
from annotation.services import access, bulk, reassigning, reserving
from annotation.services import ledger as ledgers
from annotation.services import skips as pool
from annotation.services import steering as acts
from annotation.services.errors import Conflict, NotFound, ServiceError
from annotation.services.steering import Period
from annotation.services.submitting import SKIP_REASONS
from annotation.views.common import filters_of, paged, person, project_page, refuse
from annotation.views.shown_tables import show


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
        choices=[(kind.value, kind.label) for kind in bulk.KINDS],
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
        max_value=reassigning.MOST,
        widget=forms.NumberInput({"class": "short"}),
    )
    days = forms.IntegerField(
        label=gettext_lazy("Days they are kept"),
        required=False,
        min_value=1,
        max_value=reserving.MOST_DAYS,
        widget=forms.NumberInput({"class": "short", "placeholder": reserving.DAYS}),
    )
    field_order = ("kind", "person", "to", "since", "until", "n", "days")

    def asked(self) -> bulk.Asked:
        given = self.cleaned_data
        days, n = given["days"] or reserving.DAYS, given["n"] or 0
        return bulk.Asked(given["kind"], given["person"], given["to"], self.period(), n, days)


@project_page(access.STAFF, methods=["GET", "HEAD", "POST"])
def skips(request: HttpRequest, project: Project) -> HttpResponse:
    """Reasons and rates; samples that left the pool, to put back or draw elsewhere (shown first)."""
    shown = None
    if request.method == "POST":
        if not access.roles_of(request.user, project) & {role.value for role in access.MAKERS}:
            raise NotFound(_("There is nothing here."))
        shown = _exit(project, request.POST.get("sample", ""))
        do = request.POST.get("do")
        try:
            if do == "back":
                pool.put_back(exit=shown, by=person(request))
                messages.success(request, _("The sample is offered again."))
                return redirect("skips", project.slug)
            if do == "redraw":
                pool.redraw(exit=shown, by=person(request), expect=request.POST.get("source", ""))
                messages.success(request, _("The combination is asked for on another source."))
                return redirect("skips", project.slug)
        except ServiceError as error:
            messages.error(request, error.message)
            return redirect("skips", project.slug)
    rates = pool.rates(project)
    context = {
        "project": project,
        "people": rates,
        "rows": [(one, [one.reasons[reason] for reason in SKIP_REASONS]) for one in rates],
        "reasons": [reason_name(reason) for reason in SKIP_REASONS],
        "left": paged(request, pool.left(project)),
        "shown": shown,
        "source": pool.other_source(shown) if shown is not None else None,
        "alert": pool.ALERT,
    }
    return render(request, "annotation/skips.html", context)


def _exit(project: Project, sample: str) -> PoolExit:
    try:
        found = pool.left(project).filter(sample__public_id=uuid.UUID(sample)).first()
    except ValueError:
        found = None
    if found is None:
        raise NotFound(_("There is no such thing, or it is not yours."))
    return found


def reason_name(reason: str) -> str:
    return {
        "contradiction": _("contradiction"),
        "nothing_fits": _("nothing fits"),
        "damaged": _("damaged"),
        "other": _("other"),
    }.get(reason, reason)


def _ledger_of(request: HttpRequest, project: Project) -> tuple[LedgerFilters, Any]:
    form = filters_of(request, LedgerFilters)
    asked = form.cleaned_data
    period = form.period()
    if not request.GET:
        today = timezone.localdate()
        period = Period(date(today.year, today.month, 1), today)
        form = LedgerFilters(initial={"since": period.since, "until": period.until})
    table = ledgers.table(project, period, per=asked["per"] or "all", names=asked["names"] or "pseudonyms")
    return form, table


@project_page(access.MAKERS)
def ledger(request: HttpRequest, project: Project) -> HttpResponse:
    form, table = _ledger_of(request, project)
    return render(request, "annotation/ledger.html", {"project": project, "form": form, "shown": show(table)})


@project_page(access.MAKERS)
def ledger_file(request: HttpRequest, project: Project) -> HttpResponse:
    """The same ledger as CSV that no spreadsheet takes for formulas."""
    _form, table = _ledger_of(request, project)
    answer = HttpResponse(table.csv(), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{project.slug}-ledger.csv"'
    return answer


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def steering(request: HttpRequest, project: Project) -> HttpResponse:
    """A preview first, then the same form with the number that was shown; and what was done, to undo."""
    do = request.POST.get("do", "")
    if request.method == "POST" and do in ("freeze", "unfreeze", "undo"):
        return _at_once(request, project, do)
    form = SteerForm(request.POST or None)
    preview = None
    if request.method == "POST" and form.is_valid():
        try:
            if do == "act":
                bulk.act(project, form.asked(), by=person(request), expect=_shown(request, form))
                messages.success(request, _("Done. It can be undone below."))
                return redirect("steering", project.slug)
            preview = bulk.preview(project, form.asked())
        except ServiceError as error:
            refuse(form, error)
    actions = BulkAction.objects.filter(project=project).select_related("person", "other", "by").order_by("-pk")
    context = {
        "project": project,
        "form": form,
        "preview": preview,
        "about": _about(form) if preview else "",
        "states": [(AssignmentState(state).label, n) for state, n in preview.states.items()] if preview else [],
        "rows": paged(request, actions),
    }
    return render(request, "annotation/steering.html", context, status=422 if form.errors else 200)


def _about(form: SteerForm) -> str:
    """What a preview was asked about, so that a form changed since is not taken for it."""
    return " ".join(
        str(form.cleaned_data[name] or "-") for name in ("kind", "since", "until", "n", "days", "to", "person")
    )


def _shown(request: HttpRequest, form: SteerForm) -> int:
    """The number of tasks the person saw. Raises Conflict where it was shown for something else."""
    expect = request.POST.get("expect", "")
    if request.POST.get("about", "") != _about(form) or not re.fullmatch("[0-9]{1,9}", expect):
        raise Conflict(_("This was not shown yet; look first."), code="changed")
    return int(expect)


def _at_once(request: HttpRequest, project: Project, do: str) -> HttpResponse:
    try:
        if do == "freeze":
            acts.freeze(project=project, by=person(request))
        elif do == "unfreeze":
            acts.unfreeze(project=project, by=person(request))
        else:
            n = acts.undo(action=acts.action_of(project, _uuid(request.POST.get("action", ""))), by=person(request))
            messages.success(request, _("%(n)d tasks have their state back.") % {"n": n})
    except ServiceError as error:
        if isinstance(error, NotFound):
            raise
        messages.error(request, error.message)
    return redirect("steering", project.slug)


def _uuid(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError as error:
        raise NotFound(_("There is no such thing, or it is not yours.")) from error

"""Who takes part in a project: roles, quotas, pauses, new accounts; one person at a time or many."""

from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.forms import AccountForm, MemberForm, StyledForm
from annotation.models import Assignment, CrowdWorker, Membership, Participation, Project, Role
from annotation.services import access, participation
from annotation.services import members as service
from annotation.services.errors import ServiceError
from annotation.services.people import act_on
from annotation.transactions import write
from annotation.views.common import filters_of, paged, person, project_page, refuse

BULK = (
    ("give", gettext_lazy("give the role")),
    ("take", gettext_lazy("take the role")),
    ("quota", gettext_lazy("set the quota")),
    ("pause", gettext_lazy("pause: no new tasks")),
    ("resume", gettext_lazy("give tasks again")),
    ("close", gettext_lazy("close the account")),
    ("open", gettext_lazy("open the account")),
    ("reset", gettext_lazy("reset the second factor")),
)
NEEDS_ROLE = ("give", "take")


class MemberFilter(forms.Form):
    q = forms.CharField(required=False, max_length=150)
    role = forms.ChoiceField(required=False, choices=[("", gettext_lazy("any role")), *Role.choices])
    page = forms.CharField(required=False)


class BulkForm(StyledForm):
    """What is to be done with the people who are ticked."""

    action = forms.ChoiceField(label=gettext_lazy("Do with the people ticked"), choices=BULK)
    role = forms.ChoiceField(label=gettext_lazy("Role"), required=False, choices=[("", "–"), *Role.choices])
    max_tasks = forms.IntegerField(
        label=gettext_lazy("Quota"),
        required=False,
        min_value=0,
        max_value=participation.MOST_TASKS,
        help_text=gettext_lazy("Tasks held and handed in. Empty: no limit."),
        widget=forms.NumberInput({"class": "short"}),
    )
    note = forms.CharField(
        label=gettext_lazy("Why paused"),
        required=False,
        max_length=500,
        help_text=gettext_lazy("The person reads it."),
        widget=forms.TextInput({"dir": "auto"}),
    )

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        if found.get("action") in NEEDS_ROLE and not found.get("role"):
            self.add_error("role", _("Choose the role."))
        return found


@dataclass(slots=True)
class Row:
    """One member as the list shows them. taken: tasks that count for the quota."""

    user: User
    roles: list[Membership] = field(default_factory=list)
    limits: Participation | None = None
    worker: CrowdWorker | None = None
    taken: int = 0


@project_page(access.ADMINS, methods=["GET", "HEAD", "POST"])
def members(request: HttpRequest, project: Project) -> HttpResponse:
    """One page, several forms: `do` says which was sent."""
    do = request.POST.get("do", "")
    add = MemberForm(request.POST if do == "add" else None, prefix="add")
    account = AccountForm(request.POST if do == "account" else None, prefix="account")
    bulk = BulkForm(request.POST if do == "bulk" else None)
    if do == "remove":
        return _remove(request, project)
    done = (
        (do == "add" and _add(request, project, add))
        or (do == "account" and _account(request, project, account))
        or (do == "bulk" and _bulk(request, project, bulk))
    )
    if done:
        return redirect("members", project.slug)
    filters = filters_of(request, MemberFilter)
    found = _people(project, filters)
    page = paged(request, found)
    context = {
        "project": project,
        "people": _rows(project, list(page)),
        "rows": page,
        "filters": filters,
        "add": add,
        "account": account,
        "bulk": bulk,
        "ticked": set(request.POST.getlist("person")),
    }
    wrong = add.errors or account.errors or bulk.errors
    return render(request, "annotation/members.html", context, status=422 if wrong else 200)


def _people(project: Project, filters: MemberFilter) -> Any:
    rows = Membership.objects.filter(project=project)
    if filters.cleaned_data["role"]:
        rows = rows.filter(role=filters.cleaned_data["role"])
    people = User.objects.filter(pk__in=rows.values("user"))
    if filters.cleaned_data["q"]:
        people = people.filter(username__icontains=filters.cleaned_data["q"])
    return people.order_by("username")


def _rows(project: Project, people: list[User]) -> list[Row]:
    """Four queries, whatever the number of people."""
    found = {user.pk: Row(user) for user in people}
    for role in Membership.objects.filter(project=project, user__in=people).order_by("id"):
        found[role.user_id].roles.append(role)
    for limits in Participation.objects.filter(project=project, user__in=people):
        found[limits.user_id].limits = limits
    for worker in CrowdWorker.objects.filter(project=project, user__in=people).select_related("link"):
        found[worker.user_id].worker = worker
    taken = Assignment.objects.filter(project=project, annotator__in=people, state__in=participation.COUNTED)
    for user, n in taken.order_by().values("annotator").annotate(n=Count("pk")).values_list("annotator", "n"):
        found[user].taken = n
    return list(found.values())


def _bulk(request: HttpRequest, project: Project, form: BulkForm) -> bool:
    if not form.is_valid():
        return False
    try:
        people = service.named(project, request.POST.getlist("person")[:500])
        if not people:
            form.add_error(None, _("Tick at least one person."))
            return False
        given = {name: form.cleaned_data[name] for name in ("action", "role", "max_tasks", "note")}
        n = act_on(project=project, users=people, by=person(request), **given)
    except ServiceError as error:
        refuse(form, error)
        return False
    messages.success(request, _("Done for %(n)d of %(all)d people.") % {"n": n, "all": len(people)})
    return True


def _add(request: HttpRequest, project: Project, form: MemberForm) -> bool:
    if not form.is_valid():
        return False
    try:
        service.add_member(project=project, by=person(request), **form.cleaned_data)
    except ServiceError as error:
        refuse(form, error)
        return False
    messages.success(request, _("%(name)s has the role now.") % {"name": form.cleaned_data["username"]})
    return True


def _account(request: HttpRequest, project: Project, form: AccountForm) -> bool:
    """A new account and its role, both or neither."""
    if not form.is_valid():
        return False
    values = form.cleaned_data
    try:
        with write():
            user = service.create_person(
                username=values["username"], password=values["password"], email=values["email"], by=person(request)
            )
            service.add_member(project=project, username=user.username, role=values["role"], by=person(request))
    except ServiceError as error:
        refuse(form, error)
        return False
    messages.success(
        request, _("The account %(name)s is there. Give its first password to the person.") % {"name": user.username}
    )
    return True


def _remove(request: HttpRequest, project: Project) -> HttpResponse:
    username, role = request.POST.get("username", ""), request.POST.get("role", "")
    try:
        service.remove_member(project=project, username=username, role=role, by=person(request))
    except ServiceError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _("%(name)s does not have this role any more.") % {"name": username[:150]})
    return redirect("members", project.slug)

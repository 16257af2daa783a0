"""Project members: roles, quotas, pauses, new accounts; single or bulk."""

from collections import Counter, defaultdict
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import Assignment, AssignmentState, CrowdWorker, Membership, Participation, Project, Role
from annotation.services.accounts import first_passwords
from annotation.services.core import access
from annotation.services.core.errors import ServiceError
from annotation.services.core.list_pages import count_named
from annotation.services.core.text_search import contains
from annotation.services.people import members as member_service
from annotation.services.people import pause_rules, quotas
from annotation.services.people.member_bulk_actions import act_on_members
from annotation.transactions import write_transaction
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.core.list_filters import list_active
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.people.forms import AccountForm, BulkForm, MemberFilter, MemberForm


class RoleRow(NamedTuple):
    """A role of a person. from_group: whether a group of the sign-in provider granted it."""

    role: str
    label: str
    from_group: bool


class MemberRow(NamedTuple):
    """A row of the list. worker: the id of a crowd platform, or "". n_tasks: of at most `max_tasks`, None without a
    quota. pause_note, pause_reason: the words of staff, or of a rule, why the person gets no new tasks."""

    name: str
    worker: str
    roles: list[RoleRow]
    n_tasks: int
    max_tasks: int | None
    is_paused: bool
    pause_note: str
    pause_reason: str
    is_active: bool


@project_page(access.ADMINS, methods=["GET", "HEAD", "POST"])
def member_list(request: HttpRequest, project: Project) -> HttpResponse:
    """One page with several forms; `do` names the submitted one."""
    action = request.POST.get("do", "")
    add = MemberForm(request.POST if action == "add" else None, prefix="add")
    account = AccountForm(request.POST if action == "account" else None, prefix="account")
    bulk = BulkForm(request.POST if action == "bulk" else None)
    if action == "remove":
        return _remove_member(request, project)
    if action == "resume":
        return _resume_member(request, project)
    changed = (action == "add" and _add_member(request, project, add)) or (
        action == "bulk" and _apply_bulk_action(request, project, bulk)
    )
    new_account = _create_account(request, project, account) if action == "account" else None
    if new_account is not None:
        account = AccountForm(prefix="account")
    if changed:
        return redirect("members", project.slug)
    filters = filters_of(request, MemberFilter)
    people = _filter_people(project, filters)
    page = paginate_rows(request, people)
    context = {
        "project": project,
        "people": _build_rows(project, page.object_list),
        "rows": page,
        "filters": filters,
        "active": list_active(request, filters),
        "add": add,
        "account": account,
        "makes_accounts": settings.EPITOME_PASSWORD_SIGN_IN,
        "new_account": new_account,
        "bulk": bulk,
        "ticked": set(request.POST.getlist("person")),
    }
    wrong = add.errors or account.errors or bulk.errors
    return render(request, "annotation/people/members.html", context, status=422 if wrong else 200)


def _filter_people(project: Project, filters: MemberFilter) -> Any:
    rows = Membership.objects.filter(project=project)
    if filters.cleaned_data["role"]:
        rows = rows.filter(role=filters.cleaned_data["role"])
    people = User.objects.filter(pk__in=rows.values("user"))
    if filters.cleaned_data["q"]:
        people = people.filter(contains(filters.cleaned_data["q"], "username", "email"))
    return people.order_by("username")


def _build_rows(project: Project, page: Any) -> list[MemberRow]:
    """The rows of a page of the queryset, with five queries, for any number of people."""
    people = list(page.values("pk", "username", "is_active"))
    of_page = {"project": project, "user__in": [person["pk"] for person in people]}
    roles: dict[int, list[RoleRow]] = defaultdict(list)
    labels = {role.value: str(role.label) for role in Role}
    memberships = Membership.objects.filter(**of_page).order_by("id")
    for user, role, group_role in memberships.values_list("user", "role", "group_role__pk"):
        roles[user].append(RoleRow(role, labels[role], group_role is not None))
    participations = {row.user_id: row for row in Participation.objects.filter(**of_page)}
    workers = dict(CrowdWorker.objects.filter(**of_page).values_list("user", "external_id"))
    n_tasks = _count_tasks(project)
    rows = []
    for person in people:
        participation = participations.get(person["pk"], Participation())
        rows.append(
            MemberRow(
                name=person["username"],
                worker=workers.get(person["pk"], ""),
                roles=roles[person["pk"]],
                n_tasks=n_tasks[person["pk"]],
                max_tasks=participation.max_tasks,
                is_paused=participation.paused_at is not None,
                pause_note=participation.pause_note,
                pause_reason=pause_rules.describe_reason(participation.pause_reason),
                is_active=person["is_active"],
            )
        )
    return rows


def _count_tasks(project: Project) -> Counter[int]:
    """The tasks that count towards the quota, by person."""

    def submitted() -> "QuerySet[Assignment]":
        return Assignment.objects.filter(project=project, state__in=AssignmentState.SUBMITTED_ONCE)

    n_tasks = Counter(count_named("submitted attempts", submitted, "annotator", project))
    # A claim leaves no audit event, so what is claimed is counted every time; it is little.
    claimed = Assignment.objects.filter(project=project, state=AssignmentState.CLAIMED)
    n_tasks.update(dict(claimed.values_list("annotator").annotate(n=Count("pk"))))
    return n_tasks


def _apply_bulk_action(request: HttpRequest, project: Project, form: BulkForm) -> bool:
    if not form.is_valid():
        return False
    try:
        people = member_service.find_members(project, request.POST.getlist("person")[:500])
        if not people:
            form.add_error(None, _("Select at least one person."))
            return False
        values = {name: form.cleaned_data[name] for name in ("action", "role", "max_tasks", "note")}
        n = act_on_members(project=project, users=people, by=current_user(request), **values)
    except ServiceError as error:
        add_service_error(form, error)
        return False
    messages.success(request, _("Applied to %(n)d of %(all)d selected.") % {"n": n, "all": len(people)})
    return True


def _add_member(request: HttpRequest, project: Project, form: MemberForm) -> bool:
    if not form.is_valid():
        return False
    try:
        member_service.add_member(project=project, by=current_user(request), **form.cleaned_data)
    except ServiceError as error:
        add_service_error(form, error)
        return False
    messages.success(request, _("Role added for %(name)s.") % {"name": form.cleaned_data["username"]})
    return True


class NewAccount(NamedTuple):
    """A new account with its first password, which is shown once."""

    username: str
    password: str


def _create_account(request: HttpRequest, project: Project, form: AccountForm) -> NewAccount | None:
    """Create an account and its role in one transaction; without a password in the form, with a generated one."""
    if not form.is_valid():
        return None
    values = form.cleaned_data
    password = values["password"] or first_passwords.generate_password()
    try:
        with write_transaction():
            user = member_service.create_person(
                username=values["username"],
                password=password,
                email=values["email"],
                by=current_user(request),
                must_change_password=True,
            )
            member_service.add_member(
                project=project, username=user.username, role=values["role"], by=current_user(request)
            )
    except ServiceError as error:
        add_service_error(form, error)
        return None
    return NewAccount(user.username, password)


def _resume_member(request: HttpRequest, project: Project) -> HttpResponse:
    username = request.POST.get("username", "")
    try:
        users = member_service.find_members(project, [username])
    except ServiceError as error:
        messages.error(request, error.message)
    else:
        quotas.resume_members(project=project, users=users, by=current_user(request))
        messages.success(request, _("Resumed: %(name)s.") % {"name": username[:150]})
    return redirect("members", project.slug)


def _remove_member(request: HttpRequest, project: Project) -> HttpResponse:
    username, role = request.POST.get("username", ""), request.POST.get("role", "")
    try:
        member_service.remove_member(project=project, username=username, role=role, by=current_user(request))
    except ServiceError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _("Role removed from %(name)s.") % {"name": username[:150]})
    return redirect("members", project.slug)

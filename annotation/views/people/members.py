"""Project members: roles, quotas, pauses, new accounts; single or bulk."""

from collections import Counter, defaultdict
from datetime import datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.figures.numbers import format_count
from annotation.models import Assignment, AssignmentState, CrowdWorker, Membership, Participation, Project, Role
from annotation.services.accounts import first_passwords
from annotation.services.core import access
from annotation.services.core.errors import ServiceError
from annotation.services.core.list_pages import PageColumns, count_named
from annotation.services.core.prepared_queries import Among, IntParam, Prepared
from annotation.services.core.text_search import contains
from annotation.services.people import members as member_service
from annotation.services.people import pause_rules, quotas
from annotation.services.people.member_bulk_actions import act_on_members
from annotation.transactions import write_transaction
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.core.list_filters import list_active
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.people.forms import AccountForm, BulkForm, MemberFilter, MemberForm

LISTED = PageColumns(User, ("username", "is_active"))
ROLES: Prepared[tuple[int, str, int | None]] = Prepared(
    lambda: (
        Membership.objects.filter(Among("user", "people"), project=IntParam("project"))
        .order_by("id")
        .values_list("user", "role", "group_role__pk")
    )
)
LIMITS: Prepared[tuple[int, int | None, datetime | None, str, dict[str, Any]]] = Prepared(
    lambda: Participation.objects.filter(Among("user", "people"), project=IntParam("project")).values_list(
        "user", "max_tasks", "paused_at", "pause_note", "pause_reason"
    )
)
WORKERS: Prepared[tuple[int, str]] = Prepared(
    lambda: CrowdWorker.objects.filter(Among("user", "people"), project=IntParam("project")).values_list(
        "user", "external_id"
    )
)
CLAIMED: Prepared[tuple[int, int]] = Prepared(
    lambda: (
        Assignment.objects.filter(project=IntParam("project"), state=AssignmentState.CLAIMED)
        .values_list("annotator")
        .annotate(n=Count("pk"))
    )
)


class RoleLine(NamedTuple):
    """A role of a person. from_group: whether a group of the sign-in provider gave it."""

    role: str
    label: str
    from_group: bool
    remove_label: str


class Pause(NamedTuple):
    """Why a person gets no new tasks: the words of staff, or of a rule."""

    note: str
    reason: str
    resume_label: str


class MemberLine(NamedTuple):
    """One line of the list, in the order in which its template takes it apart (see the sample list).
    worker: the id of a crowd platform, or ""."""

    name: str
    select_label: str
    worker: str
    roles: list[RoleLine]
    tasks: str
    pause: Pause | None
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
        "people": _build_lines(project, LISTED.read(page)),
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


def _build_lines(project: Project, people: list[tuple[int, str, bool]]) -> list[MemberLine]:
    """The lines of a page with five queries, for any number of people."""
    if not people:
        return []
    page_of_people = {"project": project.pk, "people": [key for key, _name, _active in people]}
    roles: dict[int, list[tuple[str, bool]]] = defaultdict(list)
    for person, role, group_role in ROLES.rows(**page_of_people):
        roles[person].append((role, group_role is not None))
    limits: dict[int, list[Any]] = {person: values for person, *values in LIMITS.rows(**page_of_people)}
    workers = dict(WORKERS.rows(**page_of_people))
    n_tasks = _count_tasks(project)
    labels = {role.value: str(role.label) for role in Role}
    select, remove = _("Select %(name)s"), _("Remove the role %(role)s from %(name)s")
    lines = []
    for key, name, is_active in people:
        most, paused_at, note, reason = limits.get(key, (None, None, "", {}))
        lines.append(
            MemberLine(
                name=name,
                select_label=select % {"name": name},
                worker=workers.get(key, ""),
                roles=[
                    RoleLine(role, labels[role], from_group, remove % {"role": labels[role], "name": name})
                    for role, from_group in roles[key]
                ],
                tasks=_describe_tasks(n_tasks[key], most),
                pause=_describe_pause(name, note, reason) if paused_at else None,
                is_active=is_active,
            )
        )
    return lines


def _count_tasks(project: Project) -> Counter[int]:
    """The tasks that count towards the quota, by person."""

    def submitted() -> "QuerySet[Assignment]":
        return Assignment.objects.filter(project=project, state__in=AssignmentState.SUBMITTED_ONCE)

    n_tasks = Counter(count_named("submitted attempts", submitted, "annotator", project))
    # A claim leaves no audit event, so what is claimed is counted every time; it is little.
    n_tasks.update(dict(CLAIMED.rows(project=project.pk)))
    return n_tasks


def _describe_tasks(n: int, most: int | None) -> str:
    if most is None:
        return format_count(n)
    return _("%(n)s of %(all)s") % {"n": format_count(n), "all": format_count(most)}


def _describe_pause(name: str, note: str, reason: dict[str, Any]) -> Pause:
    return Pause(note, pause_rules.describe_reason(reason), _("Resume %(name)s") % {"name": name})


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

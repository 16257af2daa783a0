"""Who takes part in a project, and new accounts for them."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.forms import AccountForm, MemberForm
from annotation.models import Membership, Project, Role
from annotation.services import access
from annotation.services import members as service
from annotation.services.errors import ServiceError
from annotation.transactions import write
from annotation.views.common import person, project_page, refuse


@project_page(access.ADMINS, methods=["GET", "HEAD", "POST"])
def members(request: HttpRequest, project: Project) -> HttpResponse:
    """One page, three forms: `do` says which was sent."""
    do = request.POST.get("do", "")
    add = MemberForm(request.POST if do == "add" else None, prefix="add")
    account = AccountForm(request.POST if do == "account" else None, prefix="account")
    if do == "remove":
        return _remove(request, project)
    done = (do == "add" and _add(request, project, add)) or (do == "account" and _account(request, project, account))
    if done:
        return redirect("members", project.slug)
    context = {
        "project": project,
        "people": _people(project),
        "add": add,
        "account": account,
        "roles": Role.choices,
    }
    return render(request, "annotation/members.html", context, status=422 if add.errors or account.errors else 200)


def _people(project: Project) -> list[tuple[User, list[Membership]]]:
    """Everybody in the project with their roles, by name."""
    found: dict[int, tuple[User, list[Membership]]] = {}
    rows = Membership.objects.filter(project=project).select_related("user").order_by("user__username", "id")
    for row in rows:
        found.setdefault(row.user_id, (row.user, []))[1].append(row)
    return list(found.values())


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

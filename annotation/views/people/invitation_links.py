"""Admin pages for invitation links and crowd links."""

from typing import Any, NamedTuple

from django.contrib import messages
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import CrowdLink, CrowdOutcome, CrowdWorker, Invitation, InvitationUse, Project, Role
from annotation.services.core import access
from annotation.services.core.errors import ServiceError
from annotation.services.people import consent, crowd_outcomes, invitations
from annotation.services.people import crowd_links as crowd_accounts
from annotation.services.people.crowd_roles import CROWD_ROLES
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.core.pagination import paginate_rows
from annotation.views.core.public_ids import parse_uuid
from annotation.views.people.crowd_forms import CrowdForm
from annotation.views.people.forms import InvitationForm
from annotation.views.people.invitation_lists import build_shared_link

LABELS = {
    "": gettext_lazy("open"),
    "revoked": gettext_lazy("closed"),
    "expired": gettext_lazy("expired"),
    "full": gettext_lazy("full"),
}


def _revoke_link(request: HttpRequest, project: Project, kind: Any, page: str) -> HttpResponse:
    link = invitations.find_link(project, kind, parse_uuid(request.POST.get("link", "")))
    invitations.revoke_link(link=link, by=current_user(request))
    messages.success(request, _("Link closed. People who have joined stay members."))
    return redirect(page, project.slug)


class LinkLine(NamedTuple):
    """A link with its state in words; roles: labels of what it grants."""

    link: Invitation
    is_open: bool
    state_label: Any
    roles: list[Any]


class CrowdLine(NamedTuple):
    """A crowd link with its state in words; role_label, target: what people do, and where; pay: what is shown."""

    link: CrowdLink
    is_open: bool
    state_label: Any
    role_label: Any
    target: str
    pay: str


def _describe_link(link: Invitation) -> LinkLine:
    reason = invitations.why_closed(link)
    return LinkLine(link, not reason, LABELS[reason], [Role(role).label for role in link.roles])


def _describe_crowd_link(link: CrowdLink) -> CrowdLine:
    reason = invitations.why_closed(link)
    target = CROWD_ROLES[link.role].find_target(link) if link.role != Role.ANNOTATOR else None
    label, pay = target.label if target else "", crowd_outcomes.describe_pay(link)
    return CrowdLine(link, not reason, LABELS[reason], Role(link.role).label, label, pay)


@project_page(access.ADMINS, methods=["GET", "HEAD", "POST"])
def invitation_links(request: HttpRequest, project: Project) -> HttpResponse:
    """List invitation links and their uses, and create one; its URL is shown once, in the response to the form."""
    if request.method == "POST" and request.POST.get("do") == "revoke":
        return _revoke_link(request, project, Invitation, "invitations")
    form, link = InvitationForm(request.POST or None), None
    if request.method == "POST" and form.is_valid():
        try:
            _row, plain_token = invitations.create_invitation(
                project=project, by=current_user(request), **form.cleaned_data
            )
        except ServiceError as error:
            add_service_error(form, error)
        else:
            form, link = InvitationForm(), build_shared_link(request, project, plain_token)
    rows = paginate_rows(
        request, Invitation.objects.filter(project=project).select_related("created_by").order_by("-pk")
    )
    uses = InvitationUse.objects.filter(invitation__project=project).select_related("user", "invitation")
    context = {
        "project": project,
        "form": form,
        "new_link": link,
        "rows": rows,
        "links": [_describe_link(row) for row in rows],
        "used": uses.order_by("-pk")[:200],
        "now": timezone.now(),
    }
    return render(request, "annotation/people/invitations.html", context, status=422 if form.errors else 200)


@project_page(access.ADMINS, methods=["GET", "HEAD", "POST"])
def crowd_links(request: HttpRequest, project: Project) -> HttpResponse:
    """List crowd links and the progress of their workers, and create a link."""
    if request.method == "POST" and request.POST.get("do") == "revoke":
        return _revoke_link(request, project, CrowdLink, "crowd-links")
    form, new_link, address = _build_crowd_form(request, project), None, ""
    if request.method == "POST" and form.is_valid():
        try:
            new_link, plain_token = crowd_accounts.make_link(
                project=project,
                by=current_user(request),
                link_settings=crowd_accounts.LinkSettings(**form.cleaned_data),
            )
        except ServiceError as error:
            add_service_error(form, error)
        else:
            form = CrowdForm(project=project)
            address = (
                request.build_absolute_uri(reverse("take-part", args=[plain_token])) + "?" + _build_query(new_link)
            )
    complete = Q(workers__outcome=CrowdOutcome.COMPLETE)
    rows = CrowdLink.objects.filter(project=project).annotate(completed=Count("workers", filter=complete))
    workers = CrowdWorker.objects.filter(project=project).select_related("user", "link").order_by("-pk")
    context = {
        "project": project,
        "form": form,
        "made": new_link,
        "address": address,
        "key": crowd_accounts.signing_key(new_link) if new_link is not None and new_link.signed else "",
        "links": [_describe_crowd_link(row) for row in rows.order_by("-pk")[:100]],
        "rows": paginate_rows(request, workers),
        "consent": consent.find_current(project),
    }
    return render(request, "annotation/people/crowd_links.html", context, status=422 if form.errors else 200)


def _build_crowd_form(request: HttpRequest, project: Project) -> CrowdForm:
    """The form of a new link; ?target= chooses where it leads."""
    if request.method == "POST":
        return CrowdForm(request.POST, project=project)
    chosen = f"{Role.RATER.value}:{request.GET.get('target', '')}"
    targets = CROWD_ROLES[Role.RATER.value].list_targets(project) if Role.RATER.value in CROWD_ROLES else []
    target = next((target for target in targets if chosen == f"{Role.RATER.value}:{target.id}"), None)
    initial = {"leads_to": chosen, "tasks": target.tasks or 10, "name": target.label[:100]} if target else {}
    return CrowdForm(initial=initial, project=project)


def _build_query(link: CrowdLink) -> str:
    """The query string of the link, with Prolific's placeholders for its values."""
    placeholders = {
        "PROLIFIC_PID": "{{%PROLIFIC_PID%}}",
        "STUDY_ID": "{{%STUDY_ID%}}",
        "SESSION_ID": "{{%SESSION_ID%}}",
    }
    names = [name for name in (link.id_parameter, link.study_parameter, link.session_parameter) if name]
    pairs = [f"{name}={placeholders.get(name, '…')}" for name in names]
    return "&".join([*pairs, "sig=…"] if link.signed else pairs)

"""The page that invites many people at once, and what invitation links carry: text to copy, mail, QR code."""

from typing import NamedTuple
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.accounts.qr_codes import QrCode, build_qr_code
from annotation.services.core import access
from annotation.services.core.errors import ServiceError
from annotation.services.people import invitation_lists
from annotation.services.people.invitation_lists import Invited
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.people.forms import InvitationListForm


class SharedLink(NamedTuple):
    """A new link with the ways to hand it over; shown once."""

    url: str
    mail_url: str
    qr: QrCode


class InvitedLine(NamedTuple):
    """One line of the list; link is None where the fault says why."""

    invited: Invited
    link: SharedLink | None


def build_shared_link(request: HttpRequest, project: Project, secret: str, address: str = "") -> SharedLink:
    url = request.build_absolute_uri(reverse("join", args=[secret]))
    subject = _("Invitation to %(name)s") % {"name": project.name}
    body = _("You are invited to take part in %(name)s. Open this link to join:\n\n%(url)s\n")
    query = f"subject={quote(subject)}&body={quote(body % {'name': project.name, 'url': url})}"
    return SharedLink(url, f"mailto:{quote(address, safe='@')}?{query}", build_qr_code(url))


@project_page(access.ADMINS, methods=["GET", "HEAD", "POST"])
def invite_many(request: HttpRequest, project: Project) -> HttpResponse:
    """Create one link per address; they are shown once, in the response to the form."""
    form = InvitationListForm(request.POST or None, request.FILES or None)
    rows: list[InvitedLine] = []
    if request.method == "POST" and form.is_valid():
        try:
            lines = invitation_lists.parse_addresses(form.cleaned_data["addresses"])
            invited = invitation_lists.create_invitations(
                project=project,
                lines=lines,
                roles=form.cleaned_data["roles"],
                days=form.cleaned_data["days"],
                by=current_user(request),
            )
        except ServiceError as error:
            add_service_error(form, error)
        else:
            rows = [_describe_line(request, project, entry) for entry in invited]
    made = [row for row in rows if row.link is not None]
    context = {
        "project": project,
        "form": form,
        "invited": rows,
        "n_made": len(made),
        "all_links": "\n".join(f"{row.invited.address}\t{row.link.url}" for row in made if row.link),
    }
    return render(request, "annotation/people/invite_many.html", context, status=422 if form.errors else 200)


def _describe_line(request: HttpRequest, project: Project, invited: Invited) -> InvitedLine:
    link = build_shared_link(request, project, invited.secret, invited.address) if invited.secret else None
    return InvitedLine(invited, link)

"""The consent page: versions for staff, and the page on which people of crowd links agree."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import ConsentVersion, CrowdWorker, Project, Role
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.people import consent
from annotation.services.people.crowd_roles import CROWD_ROLES
from annotation.views.core import markdown
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.people.crowd_forms import ConsentForm


def default_purpose() -> str:
    """A statement of purpose to start from."""
    return _(
        "The data are collected for research only. The study was approved by the ethics board of [institution], "
        "number [number]. Questions: [name and e-mail address]."
    )


def default_text() -> str:
    """A consent text to start from, in Markdown."""
    return _(
        "# Consent\n\n"
        "* You take part voluntarily and can stop at any time.\n"
        "* Your answers are stored under a random name, with the ID that the platform gave us and the time you took.\n"
        "* They may be published without that ID.\n"
        "* Until they are published you can have them deleted: write to the address above and give your ID."
    )


def describe_consent(version: ConsentVersion | None) -> dict[str, Any]:
    """Template context of a version to agree to; `consent` is None where there is none."""
    rendered = markdown.render_markdown(version.text) if version is not None else None
    return {"consent": version, "consent_text": rendered}


def read_version(data: Mapping[str, str]) -> int | None:
    """The number of the version that a form agrees to; None without a tick."""
    number = data.get("consent_version", "")
    return int(number) if data.get("agree") == "1" and number.isascii() and number.isdigit() else None


@project_page(access.ADMINS, methods=["GET", "HEAD", "POST"])
def edit_consent(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the version in force and publish the next one, with a preview before it is published."""
    current = consent.find_current(project)
    initial = {
        "purpose": current.purpose if current else default_purpose(),
        "text": current.text if current else default_text(),
    }
    form = ConsentForm(request.POST or None, initial=initial)
    previewed = initial
    if request.method == "POST" and form.is_valid():
        previewed = dict(form.cleaned_data)
        if request.POST.get("do") == "publish":
            try:
                version = consent.publish_version(project=project, by=current_user(request), **form.cleaned_data)
            except ServiceError as error:
                add_service_error(form, error)
            else:
                messages.success(
                    request, _("Version %(n)d published. Everybody is asked to agree.") % {"n": version.number}
                )
                return redirect("consent-edit", project.slug)
    versions = ConsentVersion.objects.filter(project=project).annotate(agreed=Count("agreements"))
    context = {
        "project": project,
        "form": form,
        "current": current,
        "purpose": previewed["purpose"],
        "preview": markdown.render_markdown(previewed["text"]),
        "versions": versions.select_related("created_by").order_by("-number"),
    }
    return render(request, "annotation/people/consent_edit.html", context, status=422 if form.errors else 200)


@project_page((Role.ANNOTATOR, Role.RATER), methods=["GET", "HEAD", "POST"])
def show_consent(request: HttpRequest, project: Project) -> HttpResponseBase:
    """The consent page of people who joined by a crowd link; POST agrees to it."""
    worker = CrowdWorker.objects.select_related("link").filter(project=project, user=current_user(request)).first()
    version = consent.find_current(project)
    if worker is None or version is None:
        raise NotFound(_("Page not found, or you don't have access."))
    fault = ""
    if request.method == "POST":
        try:
            agreed = read_version(request.POST)
            consent.check_agreed(project, agreed)
            consent.agree(project=project, user=worker.user, number=version.number)
        except ServiceError as error:
            fault = error.message
        else:
            return redirect(CROWD_ROLES[worker.link.role].page, project.slug)
    agreement = worker.agreements.filter(version=version).first()
    context = {"project": project, "fault": fault, "agreement": agreement, **describe_consent(version)}
    return render(request, "annotation/people/consent.html", context, status=409 if fault else 200)

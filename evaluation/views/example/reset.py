"""Recreating the examples of a demo, after a question."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core.errors import NotFound
from annotation.views.core.decorators import current_user, signed_in
from annotation.views.staff.notices import HOME_NOTICES, Notice
from evaluation.services.example import resetting


@HOME_NOTICES.register
def link_reset(request: HttpRequest) -> Notice | None:
    if not resetting.may_reset(request.user):
        return None
    return Notice("evaluation/example/_reset_link.html", None)


@signed_in(methods=["GET", "HEAD", "POST"])
def reset_examples(request: HttpRequest) -> HttpResponse:
    """Name what is removed; a POST with the box ticked starts the reset."""
    if not resetting.may_reset(request.user):
        raise NotFound()
    lacks_tick = request.method == "POST" and request.POST.get("confirmed") != "yes"
    if request.method == "POST" and not lacks_tick:
        resetting.start_reset(by=current_user(request))
        messages.success(request, _("The examples are being reset. This takes about two minutes."))
        return redirect("home")
    projects = Project.objects.filter(slug__in=resetting.SLUGS).order_by("name")
    context = {"projects": projects, "lacks_tick": lacks_tick}
    return render(request, "evaluation/example/reset.html", context, status=422 if lacks_tick else 200)

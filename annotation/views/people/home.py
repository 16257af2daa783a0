"""The user's projects, with the work waiting in each by role."""

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.services.core import access
from annotation.services.staff import pipeline_counts
from annotation.views.core.decorators import current_user, signed_in


@signed_in()
def home_page(request: HttpRequest) -> HttpResponse:
    user: User = current_user(request)
    entries = pipeline_counts.waiting_for(user)
    return render(
        request,
        "annotation/people/home.html",
        {
            "entries": entries,
            "first": next((entry for entry in entries if entry.has_work), None),
            "may_reset": settings.EPITOME_DEMO and user.is_superuser,
            "may_create": access.may_create_projects(user),
        },
    )

"""Home: the next thing to do and one's own projects, then a card for every project that one runs."""

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.services.core import access
from annotation.services.staff import pipeline_counts
from annotation.views.core.decorators import current_user, signed_in
from annotation.views.people.next_thing import find_own_work
from annotation.views.people.project_cards import build_cards
from annotation.views.staff.notices import list_home_notices


@signed_in()
def home_page(request: HttpRequest) -> HttpResponse:
    user: User = current_user(request)
    entries = pipeline_counts.waiting_for(user)
    own_work = find_own_work(user, entries)
    context = {
        "entries": entries,
        "own": own_work,
        "cards": build_cards(entries),
        "notices": list_home_notices(request) if entries else [],
        "may_create": access.may_create_projects(user),
    }
    return render(request, "annotation/people/home.html", context)

"""All projects of the person, and what waits in each."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.views.common import signed_in


@signed_in()
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "annotation/home.html")

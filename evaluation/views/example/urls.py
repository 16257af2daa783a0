"""URLs of the example's tour and reset."""

from django.urls import URLPattern, path

from evaluation.views.example import reset, tour

urlpatterns: list[URLPattern] = [
    path("examples/reset/", reset.reset_examples, name="examples-reset"),
]

project_urls: list[URLPattern] = [
    path("tour/dismiss/", tour.dismiss_tour, name="tour-dismiss"),
]

"""URLs of the calls of the statistics."""

from django.urls import URLPattern, path

from annotation.api.statistics import statistics

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}statistics/", statistics.Statistics.as_view(), name="api-statistics"),
]

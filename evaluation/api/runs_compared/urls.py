"""URLs of the calls on tables of runs."""

from django.urls import URLPattern, path

from evaluation.api.runs_compared import tables

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/tables/", tables.ProjectTables.as_view(), name="api-tables"),
]

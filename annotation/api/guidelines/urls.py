"""URLs of the calls of the schema, the guideline and the gate."""

from django.urls import URLPattern, path

from annotation.api.guidelines import gate, versions

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}schema/", versions.Schema.as_view(), name="api-project-schema"),
    path(f"{PROJECT}guideline/", versions.Guideline.as_view(), name="api-guideline"),
    path(f"{PROJECT}gate/", gate.Gate.as_view(), name="api-gate"),
]

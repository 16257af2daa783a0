"""URLs of the calls of inspection."""

from django.urls import URLPattern, path

from annotation.api.inspection import inspections

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(
        "annotations/<uuid:public_id>/inspections/",
        inspections.AnnotationInspections.as_view(),
        name="api-annotation-inspections",
    ),
    path(f"{PROJECT}inspections/", inspections.Inspections.as_view(), name="api-inspections"),
]

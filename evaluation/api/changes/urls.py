"""URLs of the calls on studies of changed requests."""

from django.urls import URLPattern, path

from evaluation.api.changes import changes

urlpatterns: list[URLPattern] = [
    path("runs/<uuid:public_id>/changes/", changes.RunChanges.as_view(), name="api-run-changes"),
]

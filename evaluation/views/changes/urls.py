"""URLs of the pages of studies of changed requests."""

from django.urls import URLPattern, path

from evaluation.views.changes import changes

project_urls: list[URLPattern] = [
    path("runs/<uuid:public_id>/changes/", changes.show_changes, name="run-changes"),
    path("runs/<uuid:public_id>/changes/file/", changes.download_changes, name="run-changes-file"),
]

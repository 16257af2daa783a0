"""URLs of the calls of exports and releases."""

from django.urls import URLPattern, path

from annotation.api.exports import exports

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}export/", exports.Export.as_view(), name="api-export"),
    path(f"{PROJECT}exports/", exports.Exports.as_view(), name="api-exports"),
    path(f"{PROJECT}releases/", exports.Releases.as_view(), name="api-releases"),
]

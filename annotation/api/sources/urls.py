"""URLs of the calls of sources and imports."""

from django.urls import URLPattern, path

from annotation.api.sources import documents, imports

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}documents/", documents.Documents.as_view(), name="api-documents"),
    path("documents/<uuid:public_id>/", documents.OneDocument.as_view(), name="api-document"),
    path("documents/<uuid:public_id>/damage/", documents.DocumentFlag.as_view(), name="api-document-damage"),
    path(f"{PROJECT}documents/priorities/", documents.Priorities.as_view(), name="api-document-priorities"),
    path(f"{PROJECT}imports/", imports.Imports.as_view(), name="api-imports"),
    path(f"{PROJECT}imports/preview/", imports.ImportPreview.as_view(), name="api-import-preview"),
    path(f"{PROJECT}selections/", documents.Selections.as_view(), name="api-selections"),
]

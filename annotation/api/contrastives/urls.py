"""URLs of the calls of contrastive examples."""

from django.urls import URLPattern, path

from annotation.api.contrastives import contrastives

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}contrastives/", contrastives.Contrastives.as_view(), name="api-contrastives"),
    path(f"{PROJECT}contrastives/import/", contrastives.ContrastivesImport.as_view(), name="api-contrastives-import"),
    path(f"{PROJECT}contrastives/exclude/", contrastives.Exclusions.as_view(), name="api-contrastives-exclude"),
    path(f"{PROJECT}contrastive-sets/", contrastives.ContrastiveSets.as_view(), name="api-contrastive-sets"),
]

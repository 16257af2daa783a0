"""URLs of the pages of contrastive examples."""

from django.urls import URLPattern, path

from annotation.views.contrastives import contrastives

project_urls: list[URLPattern] = [
    path("contrastives/", contrastives.show_contrastives, name="contrastives"),
    path("contrastives/exclude/", contrastives.exclude_contrastive, name="contrastives-exclude"),
    path("contrastives/import/", contrastives.import_contrastives, name="contrastives-import"),
    path("contrastives/file/", contrastives.download_contrastives, name="contrastives-file"),
]

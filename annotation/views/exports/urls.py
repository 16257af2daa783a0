"""URLs of the pages of exports and releases."""

from django.urls import URLPattern, path

from annotation.views.exports import exports

project_urls: list[URLPattern] = [
    path("export/", exports.export_dataset, name="export"),
]

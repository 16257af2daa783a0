"""URLs of the pages of publications."""

from django.urls import URLPattern, path

from annotation.views.publications import publications

project_urls: list[URLPattern] = [
    path("publish/", publications.list_publications, name="publications"),
    path("publish/<uuid:public_id>/", publications.show_publication, name="publication"),
    path("publish/<uuid:public_id>/places/", publications.list_hits, name="publication-hits"),
    path("publish/<uuid:public_id>/datasheet/", publications.edit_datasheet, name="publication-datasheet"),
]

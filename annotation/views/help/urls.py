"""URLs of the help."""

from django.urls import URLPattern, path

from annotation.views.help import api_reference, help_pages

urlpatterns: list[URLPattern] = [
    path("help/", help_pages.help_index, name="help"),
    path("help/api-reference/", api_reference.api_reference, name="api-reference"),
    path("help/<slug:name>/", help_pages.help_chapter, name="help-chapter"),
]

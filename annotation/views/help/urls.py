"""URLs of the help."""

from django.urls import URLPattern, path

from annotation.views.help import help_pages

urlpatterns: list[URLPattern] = [
    path("help/", help_pages.help_index, name="help"),
    path("help/<slug:name>/", help_pages.help_chapter, name="help-chapter"),
]

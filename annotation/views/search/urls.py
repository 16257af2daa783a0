"""URLs of the search."""

from django.urls import URLPattern, path

from annotation.views.search import search

urlpatterns: list[URLPattern] = [
    path("search/", search.search, name="search"),
]

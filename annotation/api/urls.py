"""The API under /api/v1/."""

from django.urls import URLPattern, URLResolver

from annotation.api import tasks_urls

urlpatterns: list[URLPattern | URLResolver] = [*tasks_urls.urlpatterns]

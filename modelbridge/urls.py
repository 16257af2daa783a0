"""URLs of the pages of systems and runs; each feature lists its own. Every name must be in tests/pages."""

from django.urls import URLPattern, URLResolver, include, path

from modelbridge import navigation  # noqa: F401 - tabs, help and search: only processes that serve pages need them
from modelbridge.views.construction import urls as construction
from modelbridge.views.runs import urls as runs
from modelbridge.views.systems import urls as systems
from modelbridge.views.training import urls as training

project_urls: list[URLPattern] = [
    *systems.project_urls,
    *runs.project_urls,
    *training.project_urls,
    *construction.project_urls,
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/<slug:slug>/", include(project_urls)),
]

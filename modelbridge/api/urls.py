"""URLs of the calls under /api/v1/; each feature lists its own. Every name must be in the access table of tests/api."""

from django.urls import URLPattern

from modelbridge.api.construction import urls as construction
from modelbridge.api.runs import urls as runs
from modelbridge.api.systems import urls as systems
from modelbridge.api.training import urls as training

urlpatterns: list[URLPattern] = [
    *systems.urlpatterns,
    *runs.urlpatterns,
    *training.urlpatterns,
    *construction.urlpatterns,
]

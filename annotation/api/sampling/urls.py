"""URLs of the calls of samples and candidates."""

from django.urls import URLPattern, path

from annotation.api.sampling import samples

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}candidates/", samples.Candidates.as_view(), name="api-candidates"),
    path(f"{PROJECT}samples/", samples.Samples.as_view(), name="api-samples"),
    path(f"{PROJECT}samples/dry-run/", samples.SamplesDryRun.as_view(), name="api-samples-dry-run"),
]

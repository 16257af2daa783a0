"""URLs of the calls of samples, candidates and draws."""

from django.urls import URLPattern, path

from annotation.api.sampling import draws, samples

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}candidates/", samples.Candidates.as_view(), name="api-candidates"),
    path(f"{PROJECT}samples/", samples.Samples.as_view(), name="api-samples"),
    path(f"{PROJECT}samples/dry-run/", samples.SamplesDryRun.as_view(), name="api-samples-dry-run"),
    path(f"{PROJECT}draws/", draws.Draws.as_view(), name="api-draws"),
    path("draws/<uuid:public_id>/undo/", draws.DrawUndo.as_view(), name="api-draw-undo"),
]

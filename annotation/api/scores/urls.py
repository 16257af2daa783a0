"""URLs of the calls of scores and live meters."""

from django.urls import URLPattern, path

from annotation.api.scores import scores

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path("annotations/<uuid:public_id>/scores/", scores.AnnotationScores.as_view(), name="api-annotation-scores"),
    path(f"{PROJECT}scores/", scores.ProjectScores.as_view(), name="api-scores"),
    path("assignments/<uuid:public_id>/meters/", scores.Meters.as_view(), name="api-meters"),
    path("assignments/<uuid:public_id>/meters/<uuid:job>/", scores.Meter.as_view(), name="api-meter"),
]

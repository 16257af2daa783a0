"""URLs of the calls of the pilot."""

from django.urls import URLPattern, path

from annotation.api.pilot import pilots

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}pilot/", pilots.Pilot.as_view(), name="api-pilot"),
    path(f"{PROJECT}pilot/samples/", pilots.PilotSamples.as_view(), name="api-pilot-samples"),
    path("pilot-samples/<uuid:public_id>/", pilots.OnePilotSample.as_view(), name="api-pilot-sample"),
    path(f"{PROJECT}pilot/candidates/", pilots.PilotCandidates.as_view(), name="api-pilot-candidates"),
    path("pilot-candidates/<uuid:public_id>/", pilots.OneCandidate.as_view(), name="api-pilot-candidate"),
    path("pilot-candidates/<uuid:public_id>/decision/", pilots.Decision.as_view(), name="api-pilot-decision"),
    path("pilot-candidates/<uuid:public_id>/reopening/", pilots.Reopening.as_view(), name="api-pilot-reopening"),
]

"""URLs of the calls of runs and outputs."""

from django.urls import URLPattern, path

from modelbridge.api.runs import outputs, runs

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}runs/", runs.Runs.as_view(), name="api-runs"),
    path(f"{PROJECT}runs/upload/", runs.RunUpload.as_view(), name="api-run-upload"),
    path("runs/<uuid:public_id>/", runs.OneRun.as_view(), name="api-run"),
    path("runs/<uuid:public_id>/cancel/", runs.RunCancel.as_view(), name="api-run-cancel"),
    path("runs/<uuid:public_id>/resume/", runs.RunResume.as_view(), name="api-run-resume"),
    path("runs/<uuid:public_id>/outputs/", outputs.RunOutputs.as_view(), name="api-run-outputs"),
    path("runs/<uuid:public_id>/export/", outputs.RunExport.as_view(), name="api-run-export"),
    path("samples/<uuid:public_id>/outputs/", outputs.SampleOutputs.as_view(), name="api-sample-outputs"),
]

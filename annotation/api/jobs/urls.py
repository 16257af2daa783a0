"""URLs of the calls of jobs."""

from django.urls import URLPattern, path

from annotation.api.jobs import jobs

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}jobs/", jobs.Jobs.as_view(), name="api-jobs"),
    path("jobs/<uuid:public_id>/", jobs.OneJob.as_view(), name="api-job"),
    path("jobs/<uuid:public_id>/cancel/", jobs.JobCancel.as_view(), name="api-job-cancel"),
    path("jobs/<uuid:public_id>/download/", jobs.JobFile.as_view(), name="api-job-download"),
]

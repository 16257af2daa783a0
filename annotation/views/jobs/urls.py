"""URLs of the pages of jobs."""

from django.urls import URLPattern, path

from annotation.views.jobs import jobs, jobs_menu

urlpatterns: list[URLPattern] = [
    path("jobs/latest/", jobs_menu.show_latest_jobs, name="jobs-latest"),
    path("jobs/ended/", jobs.list_ended, name="jobs-ended"),
    path("jobs/seen/", jobs_menu.mark_jobs_seen, name="jobs-seen"),
    path("jobs/<uuid:public_id>/", jobs.show_job, name="job"),
    path("jobs/<uuid:public_id>/state/", jobs.job_state, name="job-state"),
    path("jobs/<uuid:public_id>/cancel/", jobs.cancel, name="job-cancel"),
    path("jobs/<uuid:public_id>/download/", jobs.download_file, name="job-download"),
]

project_urls: list[URLPattern] = [
    path("jobs/", jobs.job_list, name="jobs"),
]

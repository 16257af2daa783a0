"""URLs of the pages of runs."""

from django.urls import URLPattern, path

from modelbridge.views.runs import run_stages, run_step, runs, uploads  # noqa: F401  for what they register

project_urls: list[URLPattern] = [
    path("runs/", runs.run_list, name="runs"),
    path("runs/upload/", uploads.upload_run, name="run-upload"),
    path("runs/<uuid:public_id>/", runs.show_run, name="run"),
    path("runs/<uuid:public_id>/state/", runs.run_state, name="run-state"),
    path("runs/<uuid:public_id>/file/", runs.download_run, name="run-file"),
]

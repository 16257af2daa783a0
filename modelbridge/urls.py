"""The pages of systems and runs. Every name here must be in the access matrix of tests/pages."""

from django.urls import URLPattern, URLResolver, include, path

from modelbridge.views import outputs, runs, systems, trainings, uploads

project_urls: list[URLPattern | URLResolver] = [
    path("systems/", systems.system_list, name="systems"),
    path("systems/new/", systems.new_system, name="system-new"),
    path("systems/shipped/", systems.add_shipped, name="system-shipped"),
    path("systems/<uuid:public_id>/", systems.show_system, name="system"),
    path("runs/", runs.run_list, name="runs"),
    path("runs/compare/", runs.compare_runs, name="runs-compare"),
    path("runs/upload/", uploads.upload_run, name="run-upload"),
    path("runs/<uuid:public_id>/", runs.show_run, name="run"),
    path("runs/<uuid:public_id>/state/", runs.run_state, name="run-state"),
    path("runs/<uuid:public_id>/file/", runs.download_run, name="run-file"),
    path("trainings/", trainings.training_list, name="trainings"),
    path("trainings/<uuid:public_id>/", trainings.show_training, name="training"),
    path("trainings/<uuid:public_id>/state/", trainings.training_state, name="training-state"),
    path("samples/<uuid:public_id>/outputs/", outputs.sample_outputs, name="sample-outputs"),
]

urlpatterns: list[URLPattern | URLResolver] = [path("p/<slug:slug>/", include(project_urls))]

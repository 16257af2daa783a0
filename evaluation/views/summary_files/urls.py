"""URLs of the second door: evaluating summaries that somebody has."""

from django.urls import URLPattern, path

from evaluation.views.summary_files import first_round, new_evaluation, project_door  # noqa: F401  registers the door

urlpatterns: list[URLPattern] = [
    path("projects/new/evaluate/", new_evaluation.choose_file, name="evaluation-new"),
    path("projects/new/evaluate/check/", new_evaluation.check_table, name="evaluation-check"),
]

project_urls: list[URLPattern] = [
    path("evaluate/", first_round.show_ways_on, name="evaluation-start"),
]

"""URLs of the pages that check judges by hand."""

from django.urls import URLPattern, path

from evaluation.views.judge_checks import judge_checks

project_urls: list[URLPattern] = [
    path("judge-check/", judge_checks.show_checks, name="judge-check"),
    path("judge-check/<uuid:public_id>/", judge_checks.label_texts, name="judge-check-label"),
]

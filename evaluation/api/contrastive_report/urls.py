"""URLs of the calls on reports of runs over contrastive examples."""

from django.urls import URLPattern, path

from evaluation.api.contrastive_report import contrastive_report

urlpatterns: list[URLPattern] = [
    path(
        "projects/<slug:slug>/contrastive-report/",
        contrastive_report.ContrastiveReport.as_view(),
        name="api-contrastive-report",
    ),
]

"""URLs of the report of runs over contrastive examples."""

from django.urls import URLPattern, path

from evaluation.views.contrastive_report import contrastive_report

project_urls: list[URLPattern] = [
    path("contrastive-report/", contrastive_report.show_report, name="contrastive-report"),
    path("contrastive-report/file/", contrastive_report.download_report, name="contrastive-report-file"),
]

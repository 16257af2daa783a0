"""URLs of the pages of reports."""

from django.urls import URLPattern, path

from evaluation.views.reports import disagreements, reports

project_urls: list[URLPattern] = [
    path("rounds/<uuid:public_id>/report/", reports.show_report, name="round-report"),
    path("rounds/<uuid:public_id>/report/start/", reports.start_report, name="round-report-start"),
    path("rounds/<uuid:public_id>/report/file/", reports.download_report, name="round-report-file"),
    path("rounds/<uuid:public_id>/disagreements/", disagreements.decide_disagreement, name="round-disagreements"),
]

"""URLs of the pages of reports."""

from django.urls import URLPattern, path

from evaluation.views.reports import disagreements, examples, report_site, reports, rounds_together, shared

project_urls: list[URLPattern] = [
    path("rounds/<uuid:public_id>/report/", reports.show_report, name="round-report"),
    path("rounds/<uuid:public_id>/report/start/", reports.start_report, name="round-report-start"),
    path("rounds/<uuid:public_id>/report/file/", reports.download_report, name="round-report-file"),
    path("rounds/<uuid:public_id>/report/site/", report_site.download_site, name="round-site"),
    path("rounds/<uuid:public_id>/report/links/", shared.show_links, name="round-report-links"),
    path("rounds/together/", rounds_together.show_rounds_together, name="rounds-together"),
    path("rounds/together/file/", rounds_together.download_rounds_together, name="rounds-together-file"),
    path("rounds/<uuid:public_id>/report/examples/", examples.review_examples, name="round-examples"),
    path("rounds/<uuid:public_id>/disagreements/", disagreements.decide_disagreement, name="round-disagreements"),
]

urlpatterns: list[URLPattern] = [
    path("shared/<str:token>/", shared.read_shared_report, name="shared-report"),
    path("shared/<str:token>/file/", shared.download_shared_report, name="shared-report-file"),
]

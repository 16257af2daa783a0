"""URLs of the calls of reports."""

from django.urls import URLPattern, path

from evaluation.api.reports import interim, reports

ROUND = "rounds/<uuid:public_id>/"

urlpatterns: list[URLPattern] = [
    path(f"{ROUND}report/", reports.RoundReport.as_view(), name="api-round-report"),
    path(f"{ROUND}report/check/", reports.RoundCheckFile.as_view(), name="api-round-check-file"),
    path(f"{ROUND}site/", reports.RoundSite.as_view(), name="api-round-site"),
    path(f"{ROUND}judges/", reports.RoundJudge.as_view(), name="api-round-judge"),
    path(f"{ROUND}interim/", interim.RoundInterim.as_view(), name="api-round-interim"),
]

"""URLs of the calls under /api/v1/; each feature lists its own. Every name must be in the access table of tests/api."""

from django.urls import URLPattern

from evaluation.api.aggregations import urls as aggregations
from evaluation.api.changes import urls as changes
from evaluation.api.contrastive_report import urls as contrastive_report
from evaluation.api.judge_checks import urls as judge_checks
from evaluation.api.rating import urls as rating
from evaluation.api.reports import urls as reports
from evaluation.api.rounds import urls as rounds
from evaluation.api.runs_compared import urls as runs_compared

urlpatterns: list[URLPattern] = [
    *rounds.urlpatterns,
    *reports.urlpatterns,
    *rating.urlpatterns,
    *judge_checks.urlpatterns,
    *changes.urlpatterns,
    *runs_compared.urlpatterns,
    *contrastive_report.urlpatterns,
    *aggregations.urlpatterns,
]

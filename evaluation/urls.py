"""URLs of the pages of rounds; each feature lists its own. Every name must be in the access matrix of tests/pages."""

from django.urls import URLPattern, URLResolver, include, path

from evaluation import navigation  # noqa: F401 - tabs, help and search: only processes that serve pages need them
from evaluation.views.aggregations import urls as aggregations
from evaluation.views.cases import urls as cases
from evaluation.views.changes import urls as changes
from evaluation.views.contrastive_report import urls as contrastive_report
from evaluation.views.example import urls as example
from evaluation.views.judge_checks import urls as judge_checks
from evaluation.views.rating import urls as rating
from evaluation.views.reports import urls as reports
from evaluation.views.rounds import urls as rounds
from evaluation.views.runs_compared import urls as runs_compared
from evaluation.views.summary_files import urls as summary_files

project_urls: list[URLPattern] = [
    *rounds.project_urls,
    *rating.project_urls,
    *runs_compared.project_urls,
    *judge_checks.project_urls,
    *changes.project_urls,
    *aggregations.project_urls,
    *cases.project_urls,
    *contrastive_report.project_urls,
    *reports.project_urls,
    *example.project_urls,
    *summary_files.project_urls,
]

urlpatterns: list[URLPattern | URLResolver] = [
    *rating.urlpatterns,
    *example.urlpatterns,
    *reports.urlpatterns,
    *summary_files.urlpatterns,
    path("p/<slug:slug>/", include(project_urls)),
]

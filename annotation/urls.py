"""URLs of the pages; each feature lists its own. Every name must be in the access matrix of tests/pages."""

from django.urls import URLPattern, URLResolver, include, path

from annotation import navigation  # noqa: F401 - tabs, help and search: only processes that serve pages need them
from annotation.views.accounts import urls as accounts
from annotation.views.aggregations import urls as aggregations
from annotation.views.contrastives import urls as contrastives
from annotation.views.crowd_studies import urls as crowd_studies
from annotation.views.exports import urls as exports
from annotation.views.guidelines import urls as guidelines
from annotation.views.help import urls as help_pages
from annotation.views.inspection import urls as inspection
from annotation.views.jobs import urls as jobs
from annotation.views.overlap import urls as overlap
from annotation.views.people import urls as people
from annotation.views.pilot import urls as pilot
from annotation.views.practice import urls as practice
from annotation.views.publications import urls as publications
from annotation.views.sampling import urls as sampling
from annotation.views.search import urls as search
from annotation.views.sources import urls as sources
from annotation.views.staff import urls as staff
from annotation.views.statistics import urls as statistics
from annotation.views.tasks import urls as tasks
from annotation.views.webhooks import urls as webhooks
from annotation.views.withdrawal import urls as withdrawal

project_urls: list[URLPattern] = [
    *people.project_urls,
    *jobs.project_urls,
    *staff.project_urls,
    *sources.project_urls,
    *sampling.project_urls,
    *statistics.project_urls,
    *exports.project_urls,
    *publications.project_urls,
    *crowd_studies.project_urls,
    *contrastives.project_urls,
    *withdrawal.project_urls,
    *guidelines.project_urls,
    *tasks.project_urls,
    *inspection.project_urls,
    *practice.project_urls,
    *pilot.project_urls,
    *overlap.project_urls,
    *aggregations.project_urls,
    *webhooks.project_urls,
]

urlpatterns: list[URLPattern | URLResolver] = [
    *accounts.urlpatterns,
    *people.urlpatterns,
    *jobs.urlpatterns,
    *tasks.urlpatterns,
    *help_pages.urlpatterns,
    *search.urlpatterns,
    path("p/<slug:slug>/", include(project_urls)),
]

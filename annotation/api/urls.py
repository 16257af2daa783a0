"""URLs of the calls under /api/v1/; each feature lists its own. Every name must be in the access table of tests/api."""

from django.urls import URLPattern

from annotation.api.accounts import urls as accounts
from annotation.api.contrastives import urls as contrastives
from annotation.api.exports import urls as exports
from annotation.api.guidelines import urls as guidelines
from annotation.api.inspection import urls as inspection
from annotation.api.jobs import urls as jobs
from annotation.api.overlap import urls as overlap
from annotation.api.people import urls as people
from annotation.api.pilot import urls as pilot
from annotation.api.practice import urls as practice
from annotation.api.publications import urls as publications
from annotation.api.sampling import urls as sampling
from annotation.api.scores import urls as scores
from annotation.api.sources import urls as sources
from annotation.api.staff import urls as staff
from annotation.api.statistics import urls as statistics
from annotation.api.tasks import urls as tasks
from annotation.api.webhooks import urls as webhooks
from annotation.api.withdrawal import urls as withdrawal

urlpatterns: list[URLPattern] = [
    *people.urlpatterns,
    *withdrawal.urlpatterns,
    *guidelines.urlpatterns,
    *sources.urlpatterns,
    *sampling.urlpatterns,
    *staff.urlpatterns,
    *scores.urlpatterns,
    *inspection.urlpatterns,
    *statistics.urlpatterns,
    *exports.urlpatterns,
    *publications.urlpatterns,
    *contrastives.urlpatterns,
    *jobs.urlpatterns,
    *accounts.urlpatterns,
    *tasks.urlpatterns,
    *practice.urlpatterns,
    *pilot.urlpatterns,
    *overlap.urlpatterns,
    *webhooks.urlpatterns,
]

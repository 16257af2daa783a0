"""Pages of overlap, priorities and draws with more annotators: nothing overflows, axe finds nothing."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from annotation.jobs import NoProgress, run_job
from annotation.models import Annotation
from annotation.services import statistics
from annotation.services.overlap import extra_texts
from annotation.services.people import projects
from annotation.services.sources import priorities
from tests.browser.conftest import shows_text
from tests.browser.test_paper_pages import look_at, look_at_all
from tests.overlap.factories import newest_annotation, written_by
from tests.tasks.factories import make_project

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_pages_of_overlap(open_page, db):
    person = User.objects.create_superuser("researcher")
    project, sample, attempts, _reviewers = written_by(2)
    for number, attempt in enumerate(attempts):
        annotation = newest_annotation(attempt)
        payload = {**annotation.payload, "relevant_segments": [number], "spans": []}
        Annotation.objects.filter(pk=annotation.pk).update(payload=payload)
    settings = {"extra_below": 0.5, "pay_per_hour": 12.0, "pay_currency": "EUR"}
    projects.change_settings(project=project, by=person, **settings)
    extra_texts.request_extra_texts(project=project, by=person, progress=NoProgress())
    priorities.set_priorities(project=project, priorities={sample.document.external_id: 5}, by=person)
    run_job(statistics.start_statistics(project=project, by=None).pk)
    slug = project.slug
    addresses = {
        "overlap": reverse("overlap", args=[slug]),
        "overlap-compare": reverse("overlap-compare", args=[slug, sample.public_id]),
        "overlap-statistics": reverse("statistics", args=[slug]),
        "sources": reverse("documents", args=[slug]),
        "sources-priority": reverse("sources-priority", args=[slug]),
        "settings": reverse("project-settings", args=[slug]),
    }
    look_at_all(open_page, person, addresses)


def test_a_dry_run_with_more_annotators_for_a_share(open_page, db):
    person = User.objects.create_superuser("researcher")
    project = make_project("news", documents=20, groups=0, size=1)
    page = open_page(person, reverse("draw", args=[project.slug]))
    page.get_by_label("Share with more annotators (%)").fill("30")
    page.get_by_label("Annotators of each of these").fill("3")
    page.get_by_role("button", name="Dry run").click()
    shows_text(page.locator(".facts"), "with 3")
    faults = look_at(page, "draw-more-annotators")
    assert not faults, "\n".join(faults)

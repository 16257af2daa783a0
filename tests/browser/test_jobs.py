"""A job as people follow it: its place and end, Cancel, and the notice of its end on another page."""

import pytest
from django.contrib.auth.models import User

from annotation import jobs
from annotation.models import Job, JobState, SourceDocument
from annotation.services.exports.exporting import ExportOptions, start_export
from annotation.services.sources.candidates import start_extraction
from tests.jobs.heartbeats import run_worker
from tests.tasks.factories import make_project


@pytest.fixture
def admin(transactional_db) -> User:
    return User.objects.create_superuser("admin")


def test_the_end_of_a_job_is_told_on_whatever_page_one_is(admin, open_page):
    project = make_project("news", documents=2)
    job = start_export(project=project, options=ExportOptions(), by=admin)
    page = open_page(admin, "/p/news/documents/")
    jobs.run_job(job.pk)

    page.get_by_role("link", name="Export: done").click()
    page.wait_for_url(f"**/jobs/{job.public_id}/")
    page.get_by_role("link", name="Download").wait_for()


def test_a_job_says_what_stands_before_it_and_is_cancelled_on_its_page(admin, open_page):
    project = make_project("news", documents=2)
    run_worker("default", "text")
    first_job = start_extraction(project=project, by=admin)
    job = start_export(project=project, options=ExportOptions(), by=admin)
    Job.objects.filter(pk=first_job.pk).update(state=JobState.RUNNING, lease_until="2100-01-01T00:00Z")
    page = open_page(admin, f"/jobs/{job.public_id}/")
    page.get_by_text("1 job before yours").wait_for()

    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("cancelled").first.wait_for()
    page.get_by_text("Nothing of it is kept; what was there before stays.").wait_for()
    job.refresh_from_db()
    assert job.state == JobState.CANCELLED
    assert SourceDocument.objects.count() == 2


def test_the_details_of_a_job_follow_its_bar(admin, open_page):
    project = make_project("news", documents=2)
    job = start_extraction(project=project, by=admin)
    page = open_page(admin, f"/jobs/{job.public_id}/")
    details = page.locator("[data-job-details]")
    details.get_by_text("waiting").wait_for()

    Job.objects.filter(pk=job.pk).update(state=JobState.RUNNING, lease_until="2100-01-01T00:00Z")
    details.get_by_text("running").wait_for()

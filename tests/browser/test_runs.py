"""Systems in a browser, on the bundled example: added, run while one watches, compared on one sample."""

import pytest
from django.contrib.auth.models import User
from django.db import connections
from playwright.sync_api import expect

from annotation import jobs
from annotation.models import Job, Project, SourceDocument
from annotation.services.example import FOLDER
from annotation.services.people import projects
from annotation.services.sampling import draw as sample_draw
from annotation.services.sources import importing
from epitome.formats.options import ImportOptions
from modelbridge.models import Run, SystemOutput
from modelbridge.services.runs.system_processes import HOSTS
from tests.browser.conftest import DESK, PHONE

SYSTEMS = ("Lead", "TextRank", "Controlled extract")
SOURCES = 3


@pytest.fixture
def project(transactional_db) -> Project:
    """The example's first news texts, with the samples that need no topic; extracting candidates is tried elsewhere."""
    other_project = projects.create_project(slug="example-news", name="Example: news", schema="macsum-doc")
    file = FOLDER / "documents.jsonl"
    options = ImportOptions(format="jsonl")
    importing.import_file(project=other_project, path=file, file_name=file.name, options=options, by=None)
    source_documents = list(SourceDocument.objects.filter(project=other_project).order_by("pk")[:SOURCES])
    SourceDocument.objects.filter(project=other_project).exclude(pk__in=[item.pk for item in source_documents]).update(
        selected=False
    )
    sample_draw.sample_attributes(
        project=other_project, options=sample_draw.default_options(other_project, seed=20), by=None
    )
    Job.objects.all().delete()
    return other_project


@pytest.fixture
def researcher(transactional_db) -> User:
    return User.objects.create_superuser("researcher")


@pytest.fixture(autouse=True)
def _no_process_is_left():
    yield
    HOSTS.close()


def work_off(kind="run"):
    """What a worker does while the page is open. Measuring can wait."""
    for job_id, _queue in jobs.list_open_jobs():
        if Job.objects.get(pk=job_id).kind == kind:
            jobs.run_job(job_id)
    connections.close_all()


def add_and_run(page, name):
    page.get_by_role("link", name="Systems", exact=True).first.click()
    page.get_by_role("button", name=f"Add {name}", exact=True).click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("waiting", exact=True).first.wait_for()
    n = SystemOutput.objects.count()
    work_off()
    page.get_by_text("Done", exact=True).wait_for()  # the page saw it by itself
    assert SystemOutput.objects.filter(state="done").count() == n
    expect(page.get_by_role("link", name="Export outputs")).to_be_visible()


def test_three_systems_are_run_and_compared_on_one_sample(project, researcher, open_page):
    page = open_page(researcher, "/p/example-news/systems/")
    page.set_default_timeout(30_000)  # each run starts a process of its own
    for name in SYSTEMS:
        add_and_run(page, name)
    assert Run.objects.filter(state="done").count() == len(SYSTEMS)

    page.locator("#outputs tbody th a").first.click()
    for name in SYSTEMS:
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    output = SystemOutput.objects.filter(run__revision__system__key="lead").order_by("position")[0]
    expect(page.locator(".output .read", has_text=output.text[:80]).first).to_be_visible()
    assert page.locator("mark.copied").count() >= len(SYSTEMS)
    tops = {card.bounding_box()["y"] for card in page.locator(".output").all()}
    assert len(tops) == 1, "on a desk they stand beside each other"

    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size(DESK)
    page.goto(page.url.split("/samples/")[0] + "/runs/compare/")
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("The texts are being measured").wait_for()
    work_off("score")
    page.get_by_text("The scores are being calculated").wait_for()  # the page asked for them by itself
    work_off("run-scores")
    page.locator("#t-control tbody tr").first.wait_for()
    expect(page.locator("#t-control tbody tr")).to_have_count(len(SYSTEMS))

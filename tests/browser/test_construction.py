"""CCSBench constructed from thirty papers by page, to the test set; rewrites accepted and dropped side by side."""

import pytest
from django.contrib.auth.models import User
from django.db import connections
from playwright.sync_api import expect

from annotation import jobs
from annotation.models import Job, Sample
from modelbridge.models import RewriteVerdict
from modelbridge.services.systems import systems
from tests.browser.test_every_page import AXE, AXE_RUN, HERE, WIDTHS
from tests.browser.test_rounds import shot
from tests.construction.conftest import TOML, make_project, server  # noqa: F401  a fixture

ORDER = ("Readability", "Focus", "Keywords", "Length", "Splits", "Compositional")


def work_off():
    """What a worker does while the page is open."""
    for job_id, _queue in jobs.list_open_jobs():
        if Job.objects.get(pk=job_id).kind == "construction":
            jobs.run_job(job_id)
    connections.close_all()


def look_at_every_width(page, name):
    """Nothing overflows at any width, and axe finds nothing serious; screenshots where a folder is named."""
    layout = (HERE / "layout.js").read_text(encoding="utf-8")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(layout) == [], width
        if width in (390, 1440):
            shot(page, f"{name}-{width}")
    page.set_viewport_size({"width": 1024, "height": 900})
    if AXE.exists():
        page.evaluate(f"() => {{ {AXE.read_text(encoding='utf-8')} }}")
        assert page.evaluate(AXE_RUN) == []


@pytest.fixture
def researcher(transactional_db, tmp_path, server) -> User:  # noqa: F811
    project = make_project(tmp_path, n=30)
    systems.register_system(project=project, toml_text=TOML, by=None)
    return User.objects.create_superuser("researcher")


def test_the_whole_construction_by_page(open_page, researcher, server):  # noqa: F811
    page = open_page(researcher, "/p/papers/sources/")
    page.get_by_role("link", name="Construction", exact=True).first.click()
    page.get_by_role("button", name="Estimate cost of Readability").click()
    page.get_by_text("At most 30 calls.").wait_for()
    assert not server.asked
    for title in ORDER:
        page.get_by_role("button", name=f"Start {title}").click()
        page.get_by_role("button", name=f"Stop {title}").wait_for()
        work_off()
        page.get_by_role("link", name="Refresh", exact=True).click()
        page.locator(f"section#step-{title.lower()}").get_by_text("done", exact=True).wait_for()
    samples = Sample.objects.filter(constructed__step__key="compositional", document__split="test")
    assert samples.select_related("group") and all(len(sample.attributes) == 4 for sample in samples)
    sizes = page.locator("#t-ccsbench-sizes")
    assert sizes.locator("tbody tr").count() == 10 and sizes.locator("tr.quoted").count() == 5

    look_at_every_width(page, "construction")

    page.get_by_role("link", name="Compare rewrites of Readability").click()
    look_at_every_width(page, "construction-pairs")
    expect(page.get_by_role("button", name="Accept rewrite")).to_have_count(20)
    assert page.locator(".diff ins").first.is_visible() and page.locator(".diff del").first.is_visible()
    page.get_by_role("button", name="Drop rewrite 1", exact=True).click()
    page.get_by_text("Accepted: 0. Dropped: 1.").wait_for()
    page.get_by_role("button", name="Accept rewrite 2", exact=True).click()
    page.get_by_text("Accepted: 1. Dropped: 1.").wait_for()
    assert set(RewriteVerdict.objects.values_list("verdict", flat=True)) == {"accept", "drop"}
    connections.close_all()

"""What a user of the demo does with the training example: two tiny systems are trained, run, and stand scored."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connections
from playwright.sync_api import expect

from annotation import jobs
from annotation.models import Job
from annotation.services import example
from epitome.training.shipped import missing_libraries
from modelbridge.models import SystemOutput, TrainingMetric
from modelbridge.services.runs.system_processes import HOSTS
from tests.browser.conftest import PHONE

pytestmark = [
    pytest.mark.models,
    pytest.mark.skipif(
        bool(missing_libraries()), reason=f"NOT RUN: {missing_libraries()} not installed (make install-models)"
    ),
]
SYSTEMS = {"tiny-hp": "Tiny model, hard prompt", "tiny-sp": "Tiny model, soft prefixes"}
QUICK = {
    "steps": 4,
    "evaluate_every": 2,
    "log_every": 1,
    "batch_size": 4,
    "dev_samples": 3,
    "max_tokens": 16,
    "min_tokens": 6,
}
"""Enough to see the way; that more updates are obeyed is tested without a browser."""


@pytest.fixture
def researcher(transactional_db) -> User:
    example.load_training_example()
    return User.objects.get(username="researcher")


@pytest.fixture(autouse=True)
def _no_process_is_left():
    yield
    HOSTS.close()


def work_off():
    """What a worker does while the page is open."""
    for job_id, _queue in jobs.list_open_jobs():
        if Job.objects.get(pk=job_id).kind in ("train", "run"):
            jobs.run_job(job_id)
    connections.close_all()


def train(page, key):
    """Begin with what comes along, start it on its page, and see it end there."""
    page.get_by_role("link", name="Training", exact=True).first.click()
    page.get_by_role("link", name=key, exact=True).last.click()
    toml = page.get_by_label("Configuration", exact=True)
    text = toml.input_value()
    for name, number in QUICK.items():
        text, result = re.subn(rf"^{name} = \d+$", f"{name} = {number}", text, flags=re.MULTILINE)
        assert result == 1
    toml.fill(text)
    page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_text("You can leave this page; the training continues.").wait_for()
    work_off()
    page.get_by_role("link", name="Run the system").wait_for()  # the page saw it by itself
    expect(page.get_by_role("img", name="Loss").locator("polyline")).to_have_count(1)
    expect(page.locator("section", has_text="Scores on dev").locator("tbody tr")).to_have_count(2)


def run(page):
    page.get_by_role("link", name="Run the system").click()
    page.get_by_label("Samples", exact=True).select_option("dev")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("waiting", exact=True).first.wait_for()
    work_off()
    page.get_by_text("Done", exact=True).wait_for()


def test_two_systems_are_trained_run_and_scored(researcher, open_page):
    page = open_page(researcher, "/p/training-example/systems/")
    page.set_default_timeout(60_000)  # each run starts a process that loads torch
    for key in SYSTEMS:
        train(page, key)
        run(page)
    assert SystemOutput.objects.filter(state="done").count() == 2 * 36
    assert set(TrainingMetric.objects.values_list("split", flat=True)) == {"train", "dev"}

    page.locator("#outputs tbody th a").first.click()
    for name in SYSTEMS.values():
        card = page.locator(".output", has=page.get_by_role("heading", name=name, exact=True))
        assert card.locator(".measured dd").count() >= 3
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

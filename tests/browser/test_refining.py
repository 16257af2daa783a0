"""A system that refines, in a browser: registered, run over a stub, its tables read, its drafts put into a round."""

import os
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from evaluation.models import Round
from modelbridge.models import Run
from modelbridge.services.systems import systems
from tests.browser.conftest import DESK, PHONE
from tests.browser.test_runs import work_off
from tests.refine.conftest import project, stub  # noqa: F401  fixtures
from tests.refine.factories import CHAT, PRICE, refine_toml

SHOTS = os.environ.get("EPITOME_SHOTS", "")


def take_shot(page, name):
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS) / f"{name}.png"), full_page=True)


@pytest.fixture
def researcher(transactional_db) -> User:
    return User.objects.create_superuser("researcher")


def test_a_system_is_registered_run_read_and_its_drafts_compared(
    transactional_db,
    project,  # noqa: F811
    stub,  # noqa: F811
    researcher,
    open_page,
):
    page = open_page(researcher, f"/p/{project.slug}/systems/new/?kind=refine")
    page.set_default_timeout(60_000)
    take_shot(page, "form")
    page.get_by_text("Advanced: edit as TOML").press("Enter")
    page.locator("#id_toml").fill(refine_toml('plan = "all"', CHAT + PRICE))
    page.get_by_role("button", name="Register this text").click()
    page.get_by_text("Registered as revision 1").wait_for()
    take_shot(page, "system")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("waiting", exact=True).first.wait_for()
    work_off()
    page.get_by_text("Done", exact=True).wait_for()  # the page saw it by itself

    expect(page.locator("#t-refine-summary tbody tr")).to_have_count(1)
    expect(page.get_by_role("heading", name="What a step moves")).to_be_visible()
    expect(page.get_by_role("img", name="Requests met after so many drafts")).to_be_visible()
    take_shot(page, "run")
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    take_shot(page, "run-phone")
    page.emulate_media(color_scheme="dark")
    take_shot(page, "run-phone-dark")
    page.set_viewport_size(DESK)
    take_shot(page, "run-dark")
    page.emulate_media(color_scheme="light")

    page.get_by_role("button", name="Compare first and last drafts blind").click()
    page.get_by_text("The round is designed. Check it and launch it.").wait_for()
    take_shot(page, "round")
    round_ = Round.objects.get()
    assert round_.form == "pair" and Run.objects.count() == 2
    assert systems.system_named(project, "refined-first-draft").name == "Refined, first draft"

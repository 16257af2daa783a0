"""Coming in: by an invitation from sign-up to member, and from a crowd platform to the completion code."""

import os
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from annotation.models import Assignment, CrowdWorker
from annotation.services.people import quotas
from annotation.services.tasks import assignments, submit
from tests.browser.conftest import DESK, PHONE, shows_text
from tests.tasks.factories import make_people, make_project, payload

SHOTS = os.environ.get("EPITOME_SHOTS", "")
PASSWORD = "a-long-pass-phrase"


@pytest.fixture
def project(transactional_db):
    return make_project("news", documents=2, frozen=True, claim_unit="sample")


@pytest.fixture
def admin(transactional_db) -> User:
    return User.objects.create_superuser("sam")


@pytest.fixture
def stranger(chromium, live_server):
    """stranger(path) -> a page of nobody, in a browser of its own."""
    contexts = []

    def open_it(url: str, **options):
        context = chromium.new_context(**{"viewport": DESK, "locale": "en-GB", **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.goto(url)
        return page

    yield open_it
    for context in contexts:
        context.close()


def shot(page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS) / f"people-{name}.png"), full_page=True)


def test_an_invitation_makes_a_member(project, admin, open_page, stranger):
    desk = open_page(admin, "/p/news/members/invitations/")
    desk.get_by_label("Description").fill("Autumn course")
    desk.get_by_role("button", name="Create link").click()
    address = desk.locator("[data-link]").inner_text()
    shot(desk, "invitations")
    page = stranger(address)
    shot(page, "join")
    page.get_by_label("User name").fill("newcomer")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat the password").fill(PASSWORD)
    page.get_by_role("button", name="Create account and join").click()
    page.get_by_text("Account created. You are signed in.").wait_for()
    page.get_by_role("link", name="News").first.wait_for()
    desk.goto(desk.url.replace("invitations/", ""))
    shows_text(desk.get_by_role("region", name="Members"), "newcomer")


def test_a_crowd_worker_comes_works_and_gets_the_code(project, admin, open_page, stranger):
    desk = open_page(admin, "/p/news/members/crowd/")
    desk.get_by_label("Description").fill("Study 1")
    desk.get_by_label("Tasks per person").fill("1")
    desk.get_by_label("Completion code").fill("C0DE-77")
    desk.get_by_role("button", name="Create link").click()
    address = desk.locator("[data-link]").inner_text()
    shot(desk, "crowd")
    page = stranger(address.replace("{{%PROLIFIC_PID%}}", "5f1d2a77c0ffee01"), viewport=PHONE)
    shot(page, "take-part")
    page.get_by_role("button", name="Start").click()
    page.locator("[data-action=next-task]").click()
    page.wait_for_url("**/gate/")
    page.get_by_label("I have read this version of the guideline").check()
    page.get_by_label("I wrote this myself").check()
    page.get_by_label("yes").check()
    page.get_by_role("button", name="Confirm and sign").click()
    page.wait_for_url("**/tasks/*/")
    user = CrowdWorker.objects.get(external_id="5f1d2a77c0ffee01").user
    task = assignments.get_own_assignment(user, Assignment.objects.get().public_id)
    submit.submit_task(assignment=task, payload=payload(), idempotency_key="k")
    page.goto(page.url.split("/tasks/")[0] + "/p/news/work/")
    shot(page, "work")
    page.get_by_role("button", name="Get the completion code").click()
    expect(page.locator("[data-code]")).to_have_text("C0DE-77", use_inner_text=True)
    shot(page, "completion")


@pytest.mark.parametrize(("look", "size"), [("light", DESK), ("dark", PHONE)])
def test_every_page_fits_its_width(project, admin, open_page, look, size):
    people = make_people(3, project)
    quotas.pause_members(project=project, users=people[:1], note="Please read the mail.", by=admin)
    quotas.set_quota(project=project, users=people[1:], max_tasks=40, by=admin)
    page = open_page(admin, "/p/news/members/", viewport=size, color_scheme=look)
    site = page.url.split("/p/news/")[0]
    page.set_viewport_size({**size, "width": min(size["width"], 1024)})  # the row of pages is wider than this
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.set_viewport_size(size)
    for name in ("members/", "members/invitations/", "members/crowd/", "members/withdrawals/", "steering/"):
        page.goto(f"{site}/p/news/{name}")
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, name
        shot(page, f"{name.strip('/').replace('/', '-')}-{look}")
    page.goto(f"{site}/second-factor/")
    page.get_by_role("button", name="Set up").click()
    page.get_by_role("img", name="QR code of the secret").wait_for()
    shot(page, f"second-factor-{look}")

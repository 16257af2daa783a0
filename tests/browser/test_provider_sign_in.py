"""Sign-in at a provider in the browser: there and back across two sites, and what is shown when it fails."""

import os
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from epitome.site.oidc import GroupRoles
from tests.accounts.provider import open_provider
from tests.browser.conftest import DESK, PHONE, shows_text
from tests.browser.test_every_page import AXE, AXE_RUN
from tests.tasks.factories import make_project

SHOTS = os.environ.get("EPITOME_SHOTS", "")
ROLES = GroupRoles(projects={"news": {"researcher": frozenset({"nlp-lab"})}})


@pytest.fixture
def provider(settings):
    with open_provider() as provider:
        settings.EPITOME_OIDC = provider.build_settings(ROLES)
        yield provider


@pytest.fixture
def page(chromium, live_server):
    context = chromium.new_context(viewport=DESK, locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(30_000)
    yield page
    context.close()


def check_looks(page, name: str) -> None:
    """Light on a desk and dark on a phone: nothing too wide, no fault for assistive technology."""
    for look, size in (("light", DESK), ("dark", PHONE)):
        page.emulate_media(color_scheme=look)
        page.set_viewport_size(size)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (name, look)
        if AXE.exists():
            page.evaluate(AXE.read_text(encoding="utf-8"))
            assert page.evaluate(AXE_RUN) == [], (name, look)
        if SHOTS:
            page.screenshot(path=str(Path(SHOTS) / f"provider-{name}-{look}.png"), full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(DESK)


def test_a_person_goes_to_the_provider_and_comes_back_with_a_role(
    transactional_db, settings, live_server, provider, page
):
    make_project("news", documents=1)
    provider.claims["groups"] = ["nlp-lab"]
    page.goto(f"{live_server.url}/p/news/sources/")
    check_looks(page, "sign-in")
    page.get_by_role("link", name="Sign in with Example University").click()
    page.wait_for_url("**/p/news/sources/")
    page.get_by_role("heading", name="Sources").first.wait_for()
    page.locator("summary.who-am-i").click()
    shows_text(page.locator(".menu-body").last, "annotator1")
    expect(page.get_by_role("link", name="Change password")).to_have_count(0)

    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in/")
    provider.refusal = "access_denied"
    page.get_by_role("link", name="Sign in with Example University").click()
    page.get_by_text("The sign-in was cancelled").wait_for()
    check_looks(page, "refused")
    provider.refusal = ""
    page.get_by_role("link", name="Sign in with Example University").click()
    page.get_by_role("heading", name="Projects", exact=True).wait_for()
    assert User.objects.count() == 1

    page.context.clear_cookies()
    settings.EPITOME_PASSWORD_SIGN_IN = False
    page.goto(f"{live_server.url}/sign-in/")
    expect(page.get_by_label("User name")).to_have_count(0)
    check_looks(page, "without-passwords")

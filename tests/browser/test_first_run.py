"""A new site from the set-up page to the first project; its people: links to copy, first passwords."""

import os
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from annotation.models import FirstPassword, Invitation
from annotation.services.people import first_admin
from tests.browser.conftest import DESK, PHONE, shows_text
from tests.tasks.factories import make_project

SHOTS = os.environ.get("EPITOME_SHOTS", "")
PASSWORD = "a-long-pass-phrase"
LOOKS = (("light", DESK), ("dark", PHONE))


@pytest.fixture
def visitor(chromium, live_server):
    """visitor(path) -> a page of nobody, in a browser of its own that may use the clipboard."""
    contexts = []

    def open_it(path: str, **options):
        context = chromium.new_context(**{"viewport": DESK, "locale": "en-GB", **options})
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.goto(f"{live_server.url}{path}")
        return page

    yield open_it
    for context in contexts:
        context.close()


def shoot_and_measure(page, name: str) -> None:
    """Both looks of the page as it is; nothing is wider than the screen."""
    for look, size in LOOKS:
        page.emulate_media(color_scheme=look)
        page.set_viewport_size(size)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (name, look)
        if SHOTS:
            page.screenshot(path=str(Path(SHOTS) / f"first-run-{name}-{look}.png"), full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(DESK)


def sign_in(page, name: str, password: str) -> None:
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()


def copied_text(page) -> str:
    return page.evaluate("navigator.clipboard.readText()")


def test_a_new_site_is_set_up_in_the_browser(transactional_db, settings, visitor):
    settings.EPITOME_SETUP_PAGE = True
    page = visitor("/p/anything/")
    page.wait_for_url("**/setup/")
    shows_text(page.get_by_role("main"), "No worker is running")
    shoot_and_measure(page, "setup")
    page.get_by_label("One-time code").fill("AAAA-AAAA")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat the password").fill(PASSWORD)
    page.get_by_role("button", name="Create admin account").click()
    page.get_by_text("Wrong code").wait_for()
    shoot_and_measure(page, "setup-fault")
    assert not User.objects.exists()

    page.get_by_label("One-time code").fill(first_admin.get_code())
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat the password").fill(PASSWORD)
    page.get_by_role("button", name="Create admin account").click()
    page.wait_for_url("**/projects/new/")
    page.get_by_text("Admin account created").wait_for()
    assert User.objects.get().is_superuser

    page.locator("summary.who-am-i").click()
    page.get_by_role("link", name="System status").click()
    page.wait_for_url("**/status/")
    shoot_and_measure(page, "status")
    page.goto(page.url.replace("/status/", "/setup/"))
    page.get_by_text("Page not found, or you don't have access").wait_for()
    shoot_and_measure(page, "not-found")


def test_links_are_copied_and_a_first_password_is_changed(transactional_db, visitor):
    make_project("news", documents=1)
    User.objects.create_superuser("admin", password=PASSWORD)
    desk = visitor("/sign-in/?next=/p/news/members/invitations/many/")
    sign_in(desk, "admin", PASSWORD)
    desk.get_by_label("E-mail addresses").fill("a@example.org\nwrong\nb@example.org")
    desk.get_by_role("button", name="Create invitations").click()
    desk.get_by_text("2 of 3 addresses invited.").wait_for()
    assert Invitation.objects.count() == 2
    first_link = desk.locator("[data-link]").first.inner_text()
    desk.get_by_role("button", name="Copy link").first.click()
    desk.get_by_role("button", name="Copied").wait_for()
    assert copied_text(desk) == first_link
    desk.get_by_text("QR code", exact=True).first.click()
    desk.get_by_role("img", name="QR code of the link").first.wait_for()
    shoot_and_measure(desk, "invited")
    joining = visitor(f"/join/{first_link.split('/join/')[1]}")
    joining.get_by_label("Repeat").or_(joining.get_by_label("Repeat the password")).wait_for()

    desk.goto(desk.url.replace("invitations/many/", ""))
    desk.get_by_label("User name").fill("annotator1")
    desk.get_by_role("button", name="Create account").click()
    password = desk.locator("[data-first-password]").inner_text()
    desk.get_by_role("button", name="Copy password").click()
    desk.get_by_role("button", name="Copied").wait_for()
    assert copied_text(desk) == password
    shoot_and_measure(desk, "account")

    page = visitor("/sign-in/")
    sign_in(page, "annotator1", password)
    page.wait_for_url("**/password/")
    page.get_by_text("Choose your own password first").wait_for()
    shoot_and_measure(page, "change")
    page.goto(page.url.replace("/password/", "/p/news/work/"))
    page.wait_for_url("**/password/")
    page.get_by_label("Old password").fill(password)
    page.get_by_label("New password", exact=True).fill("quite my own pass phrase")
    page.get_by_label("New password confirmation").fill("quite my own pass phrase")
    page.get_by_role("button", name="Change password").click()
    page.wait_for_url("**/password/changed/")
    assert not FirstPassword.objects.exists()
    page.goto(page.url.replace("/password/changed/", "/p/news/work/"))
    page.get_by_role("heading", name="My work").wait_for()


def test_a_button_pressed_after_the_session_ended_leads_back(transactional_db, visitor):
    make_project("news", documents=1)
    User.objects.create_superuser("admin", password=PASSWORD)
    page = visitor("/sign-in/?next=/p/news/samples/")
    sign_in(page, "admin", PASSWORD)
    page.wait_for_url("**/p/news/samples/")
    page.context.clear_cookies(name="sessionid")
    page.evaluate("document.querySelector('form[action*=extract] button').click()")
    page.get_by_text("You were signed out").wait_for()
    shoot_and_measure(page, "signed-out")
    sign_in(page, "admin", PASSWORD)
    page.wait_for_url("**/p/news/samples/")
    page.get_by_text("Press the button again.").wait_for()
    page.goto(page.url.replace("/p/news/samples/", "/sign-out/"))
    page.get_by_text("This address is not a page").wait_for()
    shoot_and_measure(page, "not-a-page")
    page.get_by_role("link", name="Open the page").click()
    page.get_by_role("heading", name="Projects", exact=True).wait_for()

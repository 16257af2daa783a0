"""Lists follow their filters while one types, in a real browser; without scripts the button does it."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from annotation.models import Role, SourceDocument
from tests.browser.conftest import DESK
from tests.tasks.factories import make_people, make_project


@pytest.fixture
def project(transactional_db):
    other_project = make_project("news", documents=6, groups=1, frozen=True)
    for number, row in enumerate(SourceDocument.objects.filter(project=other_project).order_by("pk")):
        SourceDocument.objects.filter(pk=row.pk).update(
            external_id=f"{'harbour' if number % 2 else 'council'}-{number}"
        )
    return other_project


@pytest.fixture
def admin(transactional_db) -> User:
    return User.objects.create_superuser("admin")


def rows(page):
    return page.locator("[data-live=rows] tbody tr")


def test_rows_follow_as_one_types_and_the_address_keeps_the_filter(project, admin, open_page):
    page = open_page(admin, "/p/news/sources/")
    expect(rows(page)).to_have_count(6)
    page.evaluate("document.body.dataset.same = 'page'")
    field = page.locator("[data-live-filters] input[type=search]").first

    field.press_sequentially("HARB")

    expect(rows(page)).to_have_count(3)
    expect(page.locator("[data-live-status]")).to_have_text("3 matches")
    expect(page.get_by_text("3 matches").last).to_be_visible()
    page.wait_for_url("**/p/news/sources/?q=HARB")
    assert page.evaluate("document.body.dataset.same") == "page"  # no reload
    expect(field).to_be_focused()
    assert "q=HARB" in page.get_by_role("link", name="Set licence of these sources").get_attribute("href")

    page.reload()
    expect(rows(page)).to_have_count(3)
    page.get_by_role("link", name="Clear the filter").click()
    expect(rows(page)).to_have_count(6)


def test_nothing_matches_is_said_where_the_rows_were(project, admin, open_page):
    page = open_page(admin, "/p/news/sources/")
    page.locator("[data-live-filters] input[type=search]").first.fill("zebra")
    expect(page.get_by_text("No matching sources")).to_be_visible()
    expect(page.locator("[data-live-status]")).to_have_text("0 matches")


def test_ticks_stay_on_rows_that_are_still_there(project, admin, open_page):
    name = make_people(3, project, Role.RATER)[1].username
    page = open_page(admin, "/p/news/members/")
    page.get_by_label(f"Select {name}").check()
    page.locator("[data-live-filters] input[type=search]").first.fill(name[:-1])
    expect(page.locator("[data-live-status]")).to_have_text("3 matches")
    expect(page.get_by_label(f"Select {name}")).to_be_checked()


def test_without_scripts_the_button_filters(project, admin, chromium, live_server, client):
    client.force_login(admin)
    context = chromium.new_context(java_script_enabled=False, viewport=DESK)
    session = client.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page = context.new_page()
    page.goto(f"{live_server.url}/p/news/sources/")
    page.locator("[data-live-filters] input[type=search]").first.fill("harb")
    page.get_by_role("button", name="Filter").click()
    expect(rows(page)).to_have_count(3)
    context.close()

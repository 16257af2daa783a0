"""The attribute editor in a browser: the preview follows, handles and numbers agree, what was typed is kept."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from annotation.models import Project
from tests.browser.conftest import PHONE
from tests.tasks.factories import make_project

URL = "/p/news/schema/edit/"


@pytest.fixture
def admin(transactional_db) -> User:
    make_project("news")
    return User.objects.create_superuser("admin")


def test_the_preview_follows_what_is_typed_and_the_toml_too(admin, open_page):
    from playwright.sync_api import expect

    page = open_page(admin, URL)
    page.get_by_label("Name", exact=True).first.fill("Extent")
    page.locator("[data-part=preview] h3").first.filter(has_text="Extent").wait_for()
    page.get_by_text("Advanced: edit as TOML").click()
    expect(page.locator("#id_toml")).to_have_value(re.compile('label = "Extent"'))
    assert Project.objects.get(slug="news").schema_versions.count() == 1


def test_a_band_is_moved_by_keyboard_and_published(admin, open_page):
    page = open_page(admin, URL)
    handle = page.get_by_label("Lower end of the usual range").first
    handle.focus()
    page.keyboard.press("ArrowLeft")
    low = page.locator("#id_a0-v0-low")
    moved = low.input_value()
    assert moved != "0.045"
    page.get_by_role("button", name="Publish new version").press("Enter")
    page.get_by_text("Version 2 published").wait_for()
    length = Project.objects.get(slug="news").schema_version.schema.attributes[0]
    assert length.band("short").low == float(moved)


def test_the_handles_never_cross(admin, open_page):
    page = open_page(admin, URL)
    page.get_by_label("Lower end of the usual range").first.press("End")
    low, high = page.locator("#id_a0-v0-low").input_value(), page.locator("#id_a0-v0-high").input_value()
    assert float(low) == float(high)


def test_an_attribute_is_added_by_keyboard_alone_and_published(admin, open_page):
    page = open_page(admin, URL)
    page.get_by_role("button", name="Add attribute").press("Enter")
    last = page.get_by_role("group", name="New attribute")
    for label, text in (("Name", "Tone"), ("Key", "tone"), ("Guide for annotators", "How warm it is.")):
        last.get_by_label(label, exact=True).focus()
        page.keyboard.type(text)
    for number, text in ((1, "cool"), (2, "warm")):
        last.get_by_role("group", name=f"Value {number}").get_by_label("Value", exact=True).focus()
        page.keyboard.type(text)
    page.get_by_role("button", name="Publish new version").press("Enter")
    page.get_by_text("Version 2 published").wait_for()
    assert Project.objects.get(slug="news").schema_version.schema.attribute("tone").values == ("cool", "warm")


def test_without_script_the_number_fields_and_the_button_do_the_same(admin, open_page):
    page = open_page(admin, URL, viewport=PHONE, java_script_enabled=False)
    expect(page.get_by_label("Lower end of the usual range")).to_have_count(0)
    page.locator("#id_a0-v0-low").fill("0.04")
    page.get_by_role("button", name="Check and preview").click()
    page.get_by_text("Guideline: 4 to 6 %").first.wait_for()
    page.get_by_role("button", name="Publish new version").click()
    page.get_by_text("Version 2 published").wait_for()


def test_what_was_typed_is_offered_again_after_the_page_was_left(admin, open_page):
    page = open_page(admin, URL)
    page.get_by_role("button", name="Add attribute").click()
    page.get_by_role("group", name="New attribute").get_by_label("Key", exact=True).fill("tone")
    page.get_by_role("button", name="Add value").first.press("Enter")
    page.locator("form[data-kept]").wait_for()
    page.goto(page.url)
    page.get_by_role("button", name="Restore").press("Enter")
    assert page.get_by_role("group", name="New attribute").get_by_label("Key", exact=True).input_value() == "tone"


def test_without_a_network_the_form_stays_and_the_preview_comes_later(admin, open_page):
    page = open_page(admin, URL)
    name = page.get_by_label("Name", exact=True).first
    page.context.set_offline(True)
    name.fill("Offline")
    page.locator("form[data-kept]").wait_for()
    page.context.set_offline(False)
    name.fill("Back again")
    page.locator("[data-part=preview] h3").first.filter(has_text="Back again").wait_for()


def test_values_without_an_order_have_no_baseline(admin, open_page):
    from playwright.sync_api import expect

    page = open_page(admin, URL)
    length = page.get_by_role("group", name="Length", exact=True)
    expect(length.get_by_label("Baseline for comparisons")).to_have_count(3)
    length.get_by_label("Kind", exact=True).select_option("values without an order")
    page.get_by_role("button", name="Check and preview").press("Enter")
    length.get_by_role("heading", name="Values", exact=True).wait_for()
    expect(length.get_by_label("Baseline for comparisons")).to_have_count(0)
    page.get_by_role("button", name="Publish new version").press("Enter")
    page.get_by_text("Version 2 published").wait_for()
    assert Project.objects.get(slug="news").schema_version.schema.attributes[0].kind == "categories"

"""Small things that people met: messages under fields, steps that have nothing to ask, fields of another action."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from tests.browser import world
from tests.browser.task_steps import find_segment_button, open_first_task, submit_task

SUMMARY = "The night boat runs again."


@pytest.fixture
def admin(transactional_db) -> User:
    return User.objects.create_superuser("admin")


def test_an_empty_required_field_is_told_of_under_the_field(admin, open_page):
    page = open_page(admin, "/projects/new/")
    page.get_by_role("button", name="Create project").click()
    row = page.locator(".form-row", has=page.get_by_label("Name", exact=True))
    row.locator(".faults li").wait_for()
    name = page.get_by_label("Name", exact=True)
    assert name.get_attribute("aria-invalid") == "true"
    assert page.evaluate("() => document.activeElement.name") == "name"
    name.fill("Harbour")
    row.locator(".faults").wait_for(state="detached")
    assert name.get_attribute("aria-invalid") is None


def test_a_task_without_topics_has_three_steps(open_page):
    page, _assignment = open_first_task(open_page, world.news(frozen=True, asks=()))
    expect(page.locator("#step-1")).to_be_hidden()
    expect(page.locator("#step-2 .name")).to_be_visible()
    value = page.evaluate("() => getComputedStyle(document.querySelector('#step-2 .digit'), '::before').content")
    assert value == "counter(step)"
    assert "Assistance" not in page.locator(".panel").inner_text()


def test_the_last_step_shows_the_text_once_and_e_leads_back_to_it(open_page):
    page, _assignment = open_first_task(open_page, world.news(frozen=True))
    page.locator("#summary").fill(SUMMARY)
    find_segment_button(page, 1).click()
    submit_task(page, "Title")
    expect(page.locator("#summary")).to_be_hidden()
    assert page.locator("[data-reread-text]").inner_text() == SUMMARY
    page.get_by_label("Title").blur()
    page.keyboard.press("e")
    page.locator("#summary").wait_for()
    assert page.evaluate("() => document.activeElement.id") == "summary"


def test_steering_shows_the_fields_of_the_chosen_action(admin, open_page):
    project = world.news(frozen=True)
    page = open_page(admin, f"/p/{project.slug}/steering/")
    assert page.get_by_label("New assignee").is_hidden() and page.get_by_label("From").is_hidden()
    page.get_by_label("void a person's work").check()
    page.get_by_label("From").wait_for()
    page.get_by_label("reassign", exact=False).first.check()
    page.get_by_label("New assignee").wait_for()
    assert page.get_by_label("From").is_hidden() and page.get_by_label("Tasks to reserve").is_hidden()


def test_of_several_wrong_fields_the_first_gets_the_focus_and_each_its_words(admin, open_page):
    project = world.news(frozen=True)
    page = open_page(admin, f"/p/{project.slug}/samples/draw/")
    wrong = [page.get_by_label("Samples per group"), page.get_by_label("Seed")]
    for field in wrong:
        field.fill("")
    page.get_by_role("button", name="Dry run").click()
    page.locator(".form-row .faults li").nth(1).wait_for()
    expect(page.locator(".form-row .faults")).to_have_count(2)
    assert wrong[0].evaluate("field => field === document.activeElement")

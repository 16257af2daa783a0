"""A text to start from: chosen in the settings, edited or cleared by its writer, its share read by an inspector."""

import os
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from annotation.models import Annotation, Draft, Group, Membership, Project, Role
from tests.browser import world
from tests.browser.conftest import DESK, PHONE
from tests.browser.task_steps import find_segment_button, open_first_task, press_submit, submit_task, wait_saved
from tests.browser.test_every_page import SCHEMES
from tests.browser.test_round_forms import find_faults
from tests.inspection.factories import save_inspection
from tests.rounds.factories import make_run

SHOTS = os.environ.get("EPITOME_SHOTS", "")
SYSTEM = "secret-lead-system"
TEXT = "The regional council voted to pay for the crossing until April. Fares will rise for visitors to the island."
START = "Suggested text, written by a machine: edit it until it meets every request."


def check_page(page, name):
    """Nothing overflows at any width, axe finds nothing serious; screenshots where a folder is named."""
    assert find_faults(page) == [], name
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        for size in (DESK, PHONE):
            page.set_viewport_size(size)
            if SHOTS:
                page.screenshot(path=str(Path(SHOTS) / f"{name}-{scheme}-{size['width']}.png"), full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(DESK)


@pytest.fixture
def project(transactional_db) -> Project:
    project = world.news(frozen=True)
    Group.objects.update(chosen={"topic": ["regional council", "fares"]})
    make_run(project, SYSTEM, text=TEXT)
    return project


def member(project: Project, name: str, role: Role) -> User:
    user = User.objects.create(username=name)
    Membership.objects.create(user=user, project=project, role=role)
    return user


def choose_suggestions(project: Project, open_page, check: bool = False) -> None:
    """As the admin does."""
    page = open_page(member(project, "admin1", Role.ADMIN), f"/p/{project.slug}/settings/")
    page.get_by_label("Assistance while writing").select_option("suggested")
    page.get_by_role("button", name="Save settings").click()
    page.get_by_text("Choose a finished run whose outputs writers start from").wait_for()
    page.get_by_label("Suggested texts are the outputs of").select_option(index=1)
    if check:
        check_page(page, "settings")
    page.get_by_role("button", name="Save settings").click()
    page.get_by_text("Settings saved.", exact=True).wait_for()
    project.refresh_from_db()


def test_a_suggestion_is_edited_submitted_and_inspected(open_page, project):
    choose_suggestions(project, open_page, check=True)
    page, _assignment = open_first_task(open_page, project)
    field = page.locator("#summary")
    assert field.input_value() == TEXT and page.get_by_text(START).is_visible()
    assert page.locator("#step-2").get_attribute("data-compact") == "false"  # it is to be edited, not passed over
    assert SYSTEM not in page.content() and not Draft.objects.exists()
    page.evaluate("document.querySelector('.pane-switch input[value=work]').click()")
    check_page(page, "task")

    field.fill(TEXT.replace("Fares will rise for visitors to the island.", "Visitors pay one crown more."))
    wait_saved(page)
    find_segment_button(page, 2).click()
    submit_task(page, "Council pays")
    with page.expect_response(lambda answer: answer.status == 201):
        press_submit(page)
    page.wait_for_function("text => document.querySelector('#summary')?.value === text", arg=TEXT)  # the next sample

    annotation = Annotation.objects.get()
    assert annotation.assistance == "suggested" and 0.5 < annotation.suggestion["kept"] < 0.7
    reviewer = member(project, "reviewer1", Role.REVIEWER)
    save_inspection(annotation, reviewer)
    page = open_page(reviewer, f"/p/{project.slug}/inspection/{annotation.public_id}/")
    page.get_by_text("of the suggested text was kept; it makes up").wait_for()
    assert SYSTEM not in page.content()
    check_page(page, "inspected")


def test_a_cleared_suggestion_stays_away_and_one_s_own_text_is_kept(open_page, project):
    choose_suggestions(project, open_page)
    page, _assignment = open_first_task(open_page, project)
    field = page.locator("#summary")
    page.get_by_role("button", name="Clear and start empty").click()
    assert field.input_value() == "" and page.get_by_text(START).is_hidden()
    assert page.evaluate("document.activeElement.id") == "summary"
    wait_saved(page)
    page.reload()
    page.wait_for_selector("[data-task][data-ready]")
    assert field.input_value() == "" and page.get_by_text(START).is_hidden()
    field.press_sequentially("My own words.")
    wait_saved(page)
    expect(page.get_by_text(START)).to_be_hidden()
    page.reload()
    page.wait_for_selector("[data-task][data-ready]")
    assert field.input_value() == "My own words."
    assert Draft.objects.get().authorship[next(iter(Draft.objects.get().authorship))]["deleted"] == 0


def test_where_the_run_has_no_text_the_page_says_so(open_page, project):
    choose_suggestions(project, open_page)
    project.system_outputs.update(text="")
    page, _assignment = open_first_task(open_page, project)
    assert page.locator("#summary").input_value() == ""
    page.get_by_text("There is no suggested text for this sample. Write the summary yourself.").wait_for()
    check_page(page, "none")

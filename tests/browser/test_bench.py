"""The annotator's bench while one writes: the meter in every step, the review list, the keys, Submit asked twice."""

import pytest
from playwright.sync_api import expect

from annotation.models import Annotation
from tests.browser import world
from tests.browser.conftest import PHONE
from tests.browser.task_steps import SUMMARY, claim_task, find_segment_button, open_first_task, submit_task

FITTING = "The night boat."


def open_writing(open_page, **options):
    """A task to write on, in a group whose topics are chosen; its length is Short."""
    project = world.news(frozen=True, overlap=2)
    world.length_of(project, 0, "short")
    page, _assignment = open_first_task(open_page, project, **options)
    return page


def submit_fitting(page):
    page.locator("#summary").fill(FITTING)
    find_segment_button(page, 1).click()
    submit_task(page, "A title")
    page.get_by_role("button", name="Submit", exact=True).click()


def test_the_count_of_words_stands_beside_the_request_in_every_step(open_page):
    page = open_writing(open_page)
    words = page.locator(".panel-head [data-words]")
    said = page.locator(".panel-head [data-words-said]")
    page.locator("#summary").fill(SUMMARY)
    page.get_by_role("button", name="Continue to relevant segments").click()
    find_segment_button(page, 1).click()
    expect(words).to_be_in_viewport()
    expect(words).to_have_text("16 words")
    expect(said).to_contain_text("15 words over the band.")
    page.get_by_role("button", name="Confirm these segments").click()
    expect(page.locator("#step-4")).to_have_attribute("open", "")
    expect(words).to_be_in_viewport()
    expect(words).to_have_text("16 words")


def test_the_review_lists_what_was_asked_and_what_was_measured(open_page):
    page = open_writing(open_page)
    page.locator("#summary").fill(SUMMARY)
    find_segment_button(page, 1).click()
    submit_task(page, "A title")
    rows = page.locator("[data-review-list] > div")
    length = rows.filter(has_text="Length")
    expect(length).to_have_attribute("data-place", "over")
    expect(length).to_contain_text("Short")
    expect(length).to_contain_text("16 words 15 words over the band.")
    expect(rows.filter(has_text="Topic")).to_contain_text("check by reading")


def test_a_text_far_outside_the_band_is_asked_about_once(open_page):
    page = open_writing(open_page)
    page.locator("#summary").fill(SUMMARY)
    find_segment_button(page, 1).click()
    submit_task(page, "A title")
    expect(page.locator("[data-to-do]")).to_have_text("15 words over the band.")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("[data-submit-said]")).to_have_text(
        "15 words over the band. Submit it anyway, or change the text."
    )
    page.locator("#title").fill("Another title")  # a change takes the question back
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    expect(page.locator("[data-submit-said]")).to_be_hidden()
    assert not Annotation.objects.exists()

    page.get_by_role("button", name="Submit", exact=True).click()
    with page.expect_navigation():
        page.get_by_role("button", name="Submit anyway").click()
    assert Annotation.objects.get().payload["summary"] == SUMMARY


def test_a_text_near_the_band_goes_out_at_once(open_page):
    page = open_writing(open_page)
    with page.expect_navigation():
        submit_fitting(page)
    assert Annotation.objects.get().payload["summary"] == FITTING


def test_steps_open_at_their_first_control_and_a_typed_title_stays_one(open_page):
    page = open_writing(open_page)
    page.locator("#summary").fill(SUMMARY)
    find_segment_button(page, 1).click()
    page.locator("#summary").focus()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("button", name="Confirm these segments")).to_be_focused()
    page.keyboard.press("Control+Enter")
    tick = page.get_by_label("I have reviewed it")
    expect(tick).to_be_focused()
    expect(page.get_by_label("Title")).to_have_attribute("placeholder", "After the tick")
    page.keyboard.type("events")  # too early: nothing jumps, nothing is marked
    expect(tick).to_be_focused()
    page.keyboard.press("Space")
    expect(page.get_by_label("Title")).to_be_focused()
    page.keyboard.type("exams return")
    expect(page.get_by_label("Title")).to_have_value("exams return")
    expect(page.locator("#summary")).to_have_value(SUMMARY)
    expect(page.locator(".turn-mark[aria-pressed=true]")).to_have_count(1)


@pytest.mark.parametrize("header", ["#step-2 .step-head", "#step-3 > summary", "#step-4 > summary"])
def test_letters_on_the_header_of_a_step_do_nothing(open_page, header):
    page = open_writing(open_page)
    page.locator("#summary").fill(SUMMARY)
    page.locator(header).focus()
    page.keyboard.type("exam")
    expect(page.locator(header)).to_be_focused()
    expect(page.locator("#summary")).to_have_value(SUMMARY)
    expect(page.locator(".turn-mark[aria-pressed=true]")).to_have_count(0)


def test_a_word_typed_outside_of_a_field_runs_no_shortcut_after_its_first_letter(open_page):
    page = open_writing(open_page)
    page.locator("#summary").fill(SUMMARY)
    page.locator("#main h1").focus()
    page.keyboard.type("ox")
    expect(page.locator(".turn-mark[aria-pressed=true]")).to_have_count(0)
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    expect(page.locator(".turn-mark[aria-pressed=true]")).to_have_count(1)


def test_what_was_submitted_is_said_in_a_toast_that_is_read_aloud_and_goes(open_page):
    page = open_writing(open_page)
    page.clock.install()
    submit_fitting(page)
    toast = page.get_by_role("status").filter(has_text="Submitted. Next on the same source: Length: ")
    expect(toast).to_be_in_viewport()
    expect(page.locator("[data-submit]")).to_be_in_viewport()  # the page was not pushed
    page.clock.fast_forward(60_000)
    expect(page.get_by_text("Submitted. Next on")).to_have_count(0)


def test_the_dialogs_leave_the_source_in_view(open_page):
    page = open_writing(open_page)
    for name, field in (("Ask", "Your question"), ("Note", "Your note"), ("Skip", "Explain in one sentence")):
        page.get_by_role("button", name=name, exact=True).click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_label(field)).to_be_visible()
        source = page.locator(".bench-source").bounding_box()
        assert dialog.bounding_box()["x"] >= source["x"] + source["width"]
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)


def test_a_question_leads_to_my_work_and_its_message_can_be_closed(open_page):
    page = open_writing(open_page)
    page.locator("#summary").fill(SUMMARY)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_label("Your question").fill("Do quotes count?")
    page.get_by_role("button", name="Send question and pause this task").click()
    page.wait_for_url("**/work/")
    message = page.get_by_role("status").get_by_text("Question sent.")
    expect(message).to_be_visible()
    page.get_by_role("status").get_by_role("button", name="Close").click()
    expect(message).to_have_count(0)


def test_a_phone_shows_the_request_above_the_source_and_what_was_submitted_in_any_pane(open_page):
    page = open_writing(open_page, viewport=PHONE, has_touch=True, is_mobile=True)
    line = page.locator(".request-line")
    expect(line).to_contain_text("Length: Short · Extractiveness: ")
    expect(line).to_be_in_viewport()
    find_segment_button(page, 5).click()
    page.locator(".pane-switch").get_by_text("Write").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.locator("#summary").fill(FITTING)
    expect(line).to_contain_text("3 words")
    page.get_by_role("button", name="Continue to relevant segments").click()
    expect(page.locator("#step-3")).to_contain_text("Tap a number in the source.")
    expect(page.locator("#step-3")).not_to_contain_text("j, k and x", use_inner_text=True)
    page.get_by_role("button", name="Confirm these segments").click()
    page.get_by_label("I have reviewed it").check()
    page.get_by_label("Title").fill("A title")
    expect(line).to_be_in_viewport()
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_text("Submitted. Next on the same source: ")).to_be_in_viewport()


def test_the_panel_fills_a_phone(open_page):
    page = open_writing(open_page, viewport=PHONE, has_touch=True, is_mobile=True)
    page.locator(".pane-switch").get_by_text("Write").click()
    panel, switch = page.locator(".panel").bounding_box(), page.locator(".pane-switch").bounding_box()
    assert panel["y"] + panel["height"] >= switch["y"]


def test_without_script_a_message_stands_above_the_page(open_page):
    project = world.news(frozen=True)
    user = world.make_annotator(project)
    task = claim_task(project, user)
    page = open_page(user, f"/tasks/{task.public_id}/ask/", java_script_enabled=False)
    page.get_by_label("Your question").fill("Do quotes count?")
    page.get_by_role("button", name="Send question and pause this task").click()
    page.wait_for_url("**/work/")
    message = page.locator(".messages .notice").bounding_box()
    assert message["y"] + message["height"] <= page.locator("#main").bounding_box()["y"]

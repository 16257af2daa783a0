"""The task page by keyboard, on a phone, in the dark, from right to left; and the pages around it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotation.models import Annotation, GuidelineVersion
from annotation.services.tasks import submit
from epitome.schema import guideline_text
from tests.browser import world
from tests.browser.conftest import PHONE, shows_text
from tests.browser.task_steps import (
    SUMMARY,
    claim_task,
    find_segment_button,
    freeze_topics,
    open_first_task,
    press_submit,
    select_words,
    submit_task,
    wait_saved,
)
from tests.tasks.factories import payload


def tab_to(page, selector: str) -> None:
    """Press Tab until the element has the focus, and nothing else."""
    for _ in range(80):
        if page.evaluate("s => Boolean(document.activeElement.matches(s))", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} cannot be reached by Tab")


def test_a_whole_task_is_done_with_the_keyboard_alone(open_page):
    page, _assignment = open_first_task(open_page, world.news())
    press = page.keyboard.press
    tab_to(page, "[data-type-own]")
    page.keyboard.type("fares")
    press("Enter")
    press("Control+Enter")
    with page.expect_navigation():
        press("Enter")  # the dialog's button has the focus
    page.wait_for_selector("[data-task][data-ready]")
    press("Escape")  # out of the field, where keys are letters
    press("?")
    expect(page.locator("#help")).to_be_visible()
    press("Escape")
    press("e")
    page.keyboard.type("A short text, too long.")
    for _ in range(10):
        press("Control+Z")  # undo: the text is shorter again
        if "too long" not in page.locator("#summary").input_value():
            break
    press("Control+A")
    page.keyboard.type("A short text.")
    tab_to(page, ".turn-mark")
    press("j")
    press("x")
    press("x")
    press("z")  # the mark that was taken away is back
    press("j")
    press("j")
    press("Shift+X")
    press("ArrowRight")
    press("ArrowRight")
    press("Shift+ArrowRight")
    press("s")
    press("e")
    press("Control+Enter")
    press("Control+Enter")
    tab_to(page, "[data-reread]")
    press("Space")
    page.keyboard.type("My title")
    with page.expect_navigation():
        press("Control+Enter")
    row = Annotation.objects.get()
    assert row.payload["summary"] == "A short text."
    assert row.payload["title"] == "My title"
    assert row.payload["relevant_segments"] == [[1, 3]]
    assert row.payload["spans"] == [{"segment": 3, "start": 4, "end": 17, "quote": "night sailing"}]


def test_single_keys_can_be_switched_off_and_stay_off(open_page):
    page, _assignment = open_first_task(open_page, world.news(frozen=True))
    page.keyboard.press("?")
    page.get_by_label("Single-key shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.reload()
    page.wait_for_selector("[data-task][data-ready]")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator(".turn-mark[aria-pressed=true]")).to_have_count(0)
    page.keyboard.press("?")  # the list is there still, to switch them on again
    expect(page.locator("#help")).to_be_visible()


def test_find_goes_through_the_places(open_page):
    page, _assignment = open_first_task(open_page, world.news(frozen=True))
    page.keyboard.press("/")
    page.keyboard.type("boat")
    expect(page.locator("[data-find-count]")).to_have_text("1 of 3", use_inner_text=True)
    page.keyboard.press("Enter")
    expect(page.locator("[data-find-count]")).to_have_text("2 of 3", use_inner_text=True)
    page.keyboard.press("Escape")
    expect(page.locator("[data-find-count]")).to_have_text("", use_inner_text=True)


def test_a_phone_shows_one_pane_and_never_scrolls_sideways(open_page):
    page, _assignment = open_first_task(open_page, world.meeting(), viewport=PHONE, has_touch=True, is_mobile=True)
    wide = "document.scrollingElement.scrollWidth > innerWidth"
    assert not page.evaluate(wide)
    expect(page.locator(".panel")).to_be_hidden()
    page.get_by_text("Write", exact=True).click()
    assert page.locator(".panel").is_visible() and page.locator(".bench-source").is_hidden()
    assert not page.evaluate(wide)
    page.get_by_label("solar panel").check()
    freeze_topics(page)
    assert not page.evaluate(wide)
    page.locator("#summary").fill("Wide" * 60)
    page.locator("#step-3 > summary").click()
    expect(page.locator("#summary")).to_be_visible()  # a strip beside the marks
    assert not page.evaluate(wide)
    page.locator("#step-4 > summary").click()
    assert page.locator("[data-reread-text]").is_visible() and not page.evaluate(wide)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read_in_light_and_dark(open_page, scheme):
    page, _assignment = open_first_task(
        open_page, world.meeting(frozen=True), color_scheme=scheme, reduced_motion="reduce"
    )
    find_segment_button(page, 2).click()
    contrasts = page.evaluate(Path(__file__).with_name("contrast.js").read_text())
    poor = [row for row in contrasts if row[1] < 4.5]
    assert contrasts and not poor, poor


def test_right_to_left_text_runs_its_own_way(open_page):
    project = world.news(frozen=True, segments=world.document_segments(world.ARABIC))
    page, _assignment = open_first_task(open_page, project)
    sides = page.evaluate(
        """() => [...document.querySelectorAll(".turn-text")].map((e) => getComputedStyle(e).direction)"""
    )
    assert sides == ["rtl", "rtl", "rtl"]
    page.locator("#summary").fill("تعود العبّارة الليلية.")
    assert page.locator("#summary").evaluate("e => getComputedStyle(e).direction") == "rtl"
    find_segment_button(page, 3).focus()
    for _ in range(2):
        page.keyboard.press("ArrowLeft")  # onward, from right to left
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("s")
    find_segment_button(page, 3).click()
    submit_task(page, "العبّارة")
    with page.expect_navigation():
        press_submit(page)
    words = world.ARABIC[2].split()
    assert Annotation.objects.get().payload["spans"][0]["quote"] == " ".join(words[1:3])


def test_what_came_with_a_carriage_return_keeps_its_offsets(open_page):
    texts = ["One line\r\nand another 🙂 line.", "Second."]
    page, _assignment = open_first_task(open_page, world.news(frozen=True, segments=world.document_segments(texts)))
    select_words(page, 1, "nother 🙂")  # inside a word, so that nothing evens out a wrong offset
    page.keyboard.press("s")
    page.locator("#summary").fill("Text.")
    submit_task(page, "Title")
    with page.expect_navigation():
        press_submit(page)
    at = texts[0].index("nother")
    span = {"segment": 0, "start": at, "end": at + 8, "quote": "nother 🙂"}
    assert Annotation.objects.get().payload["spans"] == [span]


def test_texts_are_shown_as_text(open_page):
    nasty = "<img src=x onerror=alert(1)> </script><script>alert(2)</script> {{ 7 }}"
    project = world.news(segments=world.document_segments([nasty, "Second."]))
    world.title(project, nasty)
    world.topics(project, [nasty, "fares"])
    page, _assignment = open_first_task(open_page, project)
    assert page.locator(".turn-text").first.inner_text() == nasty
    page.locator(".pick", has_text="onerror").click()
    freeze_topics(page)
    page.locator("#summary").fill(nasty)
    find_segment_button(page, 1).click()
    submit_task(page, nasty)
    assert page.locator("[data-reread-text]").inner_text() == nasty
    expect(page.locator("main img, main script")).to_have_count(0)


# My work


def test_my_work_leads_to_the_task_and_back(open_page):
    project = world.news(frozen=True)
    user = world.make_annotator(project)
    page = open_page(user, f"/p/{project.slug}/work/")
    expect(page.locator("[data-action=next-task]")).to_have_count(1)
    page.locator("[data-action=next-task]").click()
    page.wait_for_selector("[data-task][data-ready]")
    page.locator("#summary").fill(SUMMARY)
    wait_saved(page)
    page.get_by_role("link", name="My work").click()
    shows_text(page.locator(".hero"), SUMMARY)
    page.locator("[data-action=next-task]").click()
    page.wait_for_selector("[data-task][data-ready]")
    assert page.locator("#summary").input_value() == SUMMARY


@pytest.mark.parametrize("name", ["work", "guideline"])
def test_the_other_pages_of_an_annotator_fit_a_phone(open_page, name):
    project = world.news(frozen=True)
    GuidelineVersion.objects.filter(project=project).update(text=guideline_text("macsum-doc"))
    user = world.make_annotator(project)
    submitted = claim_task(project, user)
    submit.submit_task(assignment=submitted, payload=payload(title="Long" * 40), idempotency_key="k")
    page = open_page(user, f"/p/{project.slug}/{name}/", viewport=PHONE, has_touch=True, is_mobile=True)
    assert not page.evaluate("document.scrollingElement.scrollWidth > innerWidth")


def test_the_way_to_the_next_task_works_without_script(open_page):
    project = world.news(frozen=True)
    user = world.make_annotator(project)
    page = open_page(user, f"/p/{project.slug}/work/", java_script_enabled=False)
    page.locator("[data-action=next-task]").click()
    page.wait_for_url(re.compile(r"/tasks/[0-9a-f-]{36}/$"))
    expect(page.locator(".turn-text")).to_have_count(len(world.NEWS))

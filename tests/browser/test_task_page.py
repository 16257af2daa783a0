"""The task page in a real browser: what an annotator does, and the row or the words that come of it."""

import re

from playwright.sync_api import expect

from annotation.models import Annotation, Assignment, AssignmentState, Group
from tests.browser import world
from tests.browser.conftest import shows_text
from tests.browser.task_steps import (
    SUMMARY,
    find_segment_button,
    freeze_topics,
    open_first_task,
    press_submit,
    read_chips,
    select_words,
    submit_task,
)


def test_a_news_summary_from_choosing_to_the_row(open_page):
    project = world.news()
    page, assignment = open_first_task(open_page, project)

    assert read_chips(page) == ["Topic yours to pick"]
    shows_text(page.locator(".panel-head"), "3 more attributes are shown after step 1.")
    expect(page.locator(".picks .pick")).to_have_count(20)
    expect(page.locator("#summary")).to_be_hidden()

    page.get_by_label("night sailing").check()
    page.get_by_label("Wording of choice 1").fill("the night boat")
    page.locator("[data-type-own]").fill("ticket prices")
    page.keyboard.press("Enter")
    assert read_chips(page) == ["Topic the night boat, ticket prices"]
    page.get_by_role("button", name="Continue", exact=True).click()
    dialog = page.get_by_role("dialog")
    shows_text(dialog, "Everyone who writes about this part of the source gets the same")
    shows_text(dialog, "the night boat, ticket prices")
    with page.expect_navigation():
        dialog.get_by_role("button", name="Lock and continue").click()
    page.wait_for_selector("[data-task][data-ready]")

    assert [chip.split(" ")[0] for chip in read_chips(page)] == ["Length", "Extractiveness", "Specificity", "Topic"]
    assert Group.objects.get().chosen == {"topic": ["the night boat", "ticket prices"]}
    element = page.locator("[data-words-said]")
    shows_text(element, "share of the words in the relevant segments")

    page.locator("#summary").fill(SUMMARY)
    find_segment_button(page, 1).click()
    find_segment_button(page, 3).click(modifiers=["Shift"])
    find_segment_button(page, 5).click()
    expect(page.locator("[data-words]")).to_have_text("16 words", use_inner_text=True)
    relevant = sum(len(world.NEWS[i].split()) for i in (0, 1, 2, 4))
    shows_text(page.locator("[data-ratio]"), f"% of the {relevant} words in the marked segments")
    expect(element).to_have_text(
        "12 words over the band. The guideline’s band for “Short”: about 4 words.", use_inner_text=True
    )

    select_words(page, 3, "🚢 and the words “open until the boat” 👩‍👩‍👧")
    page.get_by_role("button", name="Mark these words").click()
    submit_task(page, "The night boat returns")
    with page.expect_navigation():
        press_submit(page)

    row = Annotation.objects.get()
    assert row.assignment_id == assignment.pk
    start_at = world.NEWS[2].index("🚢")
    quote = "🚢 and the words “open until the boat” 👩‍👩‍👧"
    assert row.payload == {
        "summary": SUMMARY,
        "title": "The night boat returns",
        "relevant_segments": [[0, 2], 4],
        "spans": [{"segment": 2, "start": start_at, "end": start_at + len(quote), "quote": quote}],
    }
    assert world.NEWS[2][start_at : start_at + len(quote)] == quote


def test_after_submit_the_next_sample_opens_at_the_same_place(open_page):
    project = world.news(frozen=True, segments=world.document_segments(world.NEWS * 6))
    page, _assignment = open_first_task(open_page, project)
    page.locator("#summary").fill(SUMMARY)
    find_segment_button(page, 30).click()
    submit_task(page, "Title")
    value_before = page.evaluate("scrollY")
    assert value_before > 300
    first_url = page.url
    page.evaluate("window.same = true")
    press_submit(page)
    page.wait_for_url(lambda url: url != first_url)
    page.wait_for_selector("[data-task][data-ready=yes]")
    assert page.evaluate("window.same"), "the page was loaded anew"
    assert abs(page.evaluate("scrollY") - value_before) < 80
    said = page.get_by_role("status").filter(has_text="Next").inner_text()
    assert "Submitted. Next on the same source: Length: " in said
    assert page.evaluate("document.activeElement.tagName") == "H1"
    expect(page.locator("[data-save-state] [data-short]")).to_have_text("No draft yet", use_inner_text=True)
    assert page.locator("#summary").input_value() == ""
    expect(page.locator(".turn-mark[aria-pressed=true]")).to_have_count(0)

    page.locator("#summary").fill("Another text.")
    find_segment_button(page, 2).click()
    page.keyboard.press("m")  # each shortcut acts once, also after the task before
    expect(page.locator(".turn:visible")).to_have_count(1)
    page.keyboard.press("m")
    submit_task(page, "Other title")
    page.get_by_role("button", name="Submit and stop").click()
    page.wait_for_url("**/work/?said=submitted")
    shows_text(page.locator("main"), "Submitted. Thank you")
    assert [row.payload["title"] for row in Annotation.objects.order_by("pk")] == ["Title", "Other title"]
    assert not Assignment.objects.filter(state="claimed").exists()


def test_after_the_last_sample_of_a_source_the_next_source_takes_its_place(open_page):
    project = world.news(frozen=True, documents=2, groups=1)
    page, assignment = open_first_task(open_page, project)
    count = Assignment.objects.filter(claim=assignment.claim_id).count()
    page.evaluate("window.same = true")
    for number in range(count):
        first_url = page.url
        page.locator("#summary").fill(f"Text {number}.")
        find_segment_button(page, 2).click()
        submit_task(page, f"Title {number}")
        press_submit(page)
        page.wait_for_url(lambda url, before=first_url: url != before)
        page.wait_for_selector("[data-task][data-ready=yes]")
    following = Assignment.objects.get(public_id=page.url.rstrip("/").rsplit("/", 1)[1])
    assert page.evaluate("window.same"), "the page was loaded anew"
    assert following.state == "claimed"
    assert following.group_id != assignment.group_id
    page.locator("#summary").fill("A draft of the next task.")
    page.locator("[data-save-state][data-state=saved]").wait_for()
    page.reload()
    assert page.locator("#summary").input_value() == "A draft of the next task."
    page.go_back()
    page.get_by_text(f"Title {count - 1}").first.wait_for()


def test_a_meeting_summary_with_speakers(open_page):
    project = world.meeting()
    page, _assignment = open_first_task(open_page, project)
    assert read_chips(page) == ["Topic yours to pick", "Speaker yours to pick"]
    page.get_by_label("solar panel").check()
    speakers = page.locator("[data-choice=speaker]")
    spoken = sum(len(text.split()) for name, text in world.MEETING if name == "Tomasz Wilk")
    assert f"Tomasz Wilk 3 turns, {spoken} words" in re.sub(r"\s+", " ", speakers.inner_text())
    speakers.get_by_label("Tomasz Wilk").check()
    speakers.get_by_label("Delphine Roux").check()
    freeze_topics(page)
    assert Group.objects.get().chosen == {"topic": ["solar panel"], "speaker": ["Tomasz Wilk", "Delphine Roux"]}

    page.locator("[data-speaker-filter] summary").click()
    page.get_by_role("button", name="Only the chosen ones").click()
    expect(page.locator(".turn:visible")).to_have_count(4)
    page.get_by_role("button", name="All speakers").click()
    expect(page.locator(".turn:visible")).to_have_count(len(world.MEETING))

    page.locator("#summary").fill("Tomasz wants one cell; Delphine asks for the price.")
    for n in (2, 10, 12):
        find_segment_button(page, n).click()
    select_words(page, 5, "🐦 and took it down")
    page.keyboard.press("s")
    page.get_by_label("Only marked").check()
    expect(page.locator(".turn:visible")).to_have_count(4)
    submit_task(page, "Cells and money")
    with page.expect_navigation():
        press_submit(page)
    start_at = world.MEETING[4][1].index("🐦")
    assert Annotation.objects.get().payload == {
        "summary": "Tomasz wants one cell; Delphine asks for the price.",
        "title": "Cells and money",
        "relevant_segments": [1, 9, 11],
        "spans": [{"segment": 4, "start": start_at, "end": start_at + 18, "quote": "🐦 and took it down"}],
    }


def test_a_task_that_only_chooses(open_page):
    project = world.news(phases="two")
    page, _assignment = open_first_task(open_page, project)
    expect(page.locator("#summary")).to_have_count(0)
    page.get_by_label("fares").check()
    page.get_by_role("button", name="Continue", exact=True).click()
    with page.expect_navigation():
        page.get_by_role("button", name="Lock and continue").click()
    page.wait_for_url("**/work/?said=chosen")
    assert Group.objects.get().chosen == {"topic": ["fares"]}


def test_somebody_else_chose_first_and_it_is_shown(open_page):
    project = world.news()
    page, _assignment = open_first_task(open_page, project)
    page.get_by_label("fares").check()
    page.get_by_role("button", name="Continue", exact=True).click()
    from django.utils import timezone

    Group.objects.update(chosen={"topic": ["bird wardens"]}, frozen_at=timezone.now())
    page.get_by_role("button", name="Lock and continue").click()
    page.wait_for_selector("text=Another annotator has chosen in the meantime: bird wardens")
    with page.expect_navigation():
        page.get_by_role("button", name="Continue with this choice").click()
    page.wait_for_selector("[data-task][data-ready]")
    assert "Topic bird wardens" in read_chips(page)


# What is missing is said


def test_submit_names_what_is_missing_and_keeps_the_page(open_page):
    page, _assignment = open_first_task(open_page, world.news(frozen=True))
    page.get_by_role("button", name="Submit", exact=True).click(force=True)  # not ready: it says why
    text = page.locator("[data-submit-said]").inner_text()
    assert text == (
        "Still to do: write the summary, mark the relevant segments, review the summary, and give it a title."
    )
    expect(page.locator("#title")).to_be_disabled()
    page.locator("#summary").fill(SUMMARY)
    find_segment_button(page, 1).click()
    submit_task(page, "A title")
    expect(page.locator("[data-to-do]")).to_have_text("15 words over the band.", use_inner_text=True)
    page.locator("#step-2 .step-head").click()
    page.locator("#summary").fill(SUMMARY + " More.")
    expect(page.get_by_label("I have reviewed it")).not_to_be_checked()
    expect(page.locator("#title")).to_be_disabled()
    assert page.locator("#title").input_value() == "A title"
    expect(page.locator("[data-to-do]")).to_have_text("1 step to do", use_inner_text=True)
    assert Annotation.objects.count() == 0


def test_skip_needs_a_reason_and_frees_the_sample(open_page):
    page, assignment = open_first_task(open_page, world.news(frozen=True))
    page.get_by_role("button", name="Skip", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Skip", exact=True).click()
    assert page.url.endswith(f"/tasks/{assignment.public_id}/")
    dialog.get_by_label("Nothing in the source fits").check()
    dialog.get_by_label("Explain in one sentence").fill("No fares here.")
    with page.expect_navigation():
        dialog.get_by_role("button", name="Skip", exact=True).click()
    page.wait_for_selector("text=Skipped. Next on the same source: ")
    assignment.refresh_from_db()
    assert (assignment.state, assignment.skip_reason, assignment.skip_note) == (
        AssignmentState.SKIPPED,
        "nothing_fits",
        "No fares here.",
    )

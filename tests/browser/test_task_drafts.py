"""Drafts on the task page: nothing is lost, and "Saved" is only said when it is true."""

import json

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from playwright.sync_api import expect

from annotation.models import Annotation, Draft, RefusedDraft
from annotation.services.tasks import drafts
from tests.browser import world
from tests.browser.conftest import shows_text
from tests.browser.task_steps import (
    SUMMARY,
    WATCH_SAVE_STATE,
    find_segment_button,
    open_first_task,
    press_submit,
    submit_task,
    wait_saved,
)


def test_the_draft_is_saved_and_comes_back(open_page):
    page, assignment = open_first_task(open_page, world.news(frozen=True))
    page.locator("#summary").fill(SUMMARY)
    find_segment_button(page, 2).click()
    wait_saved(page)
    draft = Draft.objects.get(assignment=assignment)
    assert draft.payload["summary"] == SUMMARY
    assert draft.payload["relevant_segments"] == [1]
    page.reload()
    page.wait_for_selector("[data-task][data-ready]")
    assert page.locator("#summary").input_value() == SUMMARY
    assert find_segment_button(page, 2).get_attribute("aria-pressed") == "true"


def test_a_second_tab_shows_both_texts(open_page):
    project = world.news(frozen=True)
    page, assignment = open_first_task(open_page, project)
    page.locator("#summary").fill("The first tab wrote this.")
    wait_saved(page)
    other = open_page(assignment.annotator, f"/tasks/{assignment.public_id}/", context=page.context)
    other.wait_for_selector("[data-task][data-ready]")
    other.locator("#summary").fill("The second tab wrote that.")
    wait_saved(other)

    page.locator("#summary").fill("The first tab wrote this and more.")
    page.wait_for_selector('[data-save-state][data-state="conflict"]')
    conflict = page.locator("[data-conflict]")
    expect(conflict.locator("[data-conflict-mine]")).to_have_text(
        "The first tab wrote this and more.", use_inner_text=True
    )
    theirs = conflict.locator("[data-conflict-theirs]").evaluate(
        "e => [...e.childNodes].filter(n => n.nodeName !== 'DEL').map(n => n.textContent).join('')"
    )
    assert " ".join(theirs.split()) == "The second tab wrote that."
    assert Draft.objects.get().payload["summary"] == "The second tab wrote that."
    assert RefusedDraft.objects.get().payload["summary"] == "The first tab wrote this and more."

    page.get_by_role("button", name="Put both in the editor").click()
    wait_saved(page)
    both = "The first tab wrote this and more.\n\nThe second tab wrote that."
    assert page.locator("#summary").input_value() == both
    assert Draft.objects.get().payload["summary"] == both


@pytest.mark.parametrize(("choice", "kept"), [("Keep this version", "Mine."), ("Use other version", "Theirs.")])
def test_a_conflict_ends_with_the_chosen_text(open_page, choice, kept):
    page, assignment = open_first_task(open_page, world.news(frozen=True))
    drafts.save_draft(assignment=assignment, payload={"summary": "Theirs."}, revision=0)
    page.locator("#summary").fill("Mine.")
    page.get_by_role("button", name=choice).click()
    wait_saved(page)
    assert page.locator("#summary").input_value() == kept
    assert Draft.objects.get().payload["summary"] == kept


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"status": 500, "body": "<h1>Server Error</h1>"}, "Not saved"),
        ({"status": 200, "body": "<h1>A proxy says hello</h1>"}, "Not saved"),
        ({"status": 200, "body": "{}"}, "Not saved"),
        ({"status": 403, "body": json.dumps({"detail": "no"})}, "Signed out"),
        ({"status": 413, "body": json.dumps({"detail": "Too large."})}, "Not saved"),
        (None, "Offline"),
    ],
    ids=["500", "html-200", "empty-200", "403", "413", "offline"],
)
def test_a_failed_save_keeps_the_text_and_never_says_saved(open_page, answer, words):
    page, _assignment = open_first_task(open_page, world.news(frozen=True), watch=False)
    page.evaluate(WATCH_SAVE_STATE)
    page.route("**/draft/", lambda route: route.fulfill(**answer) if answer else route.abort())
    page.locator("#summary").fill(SUMMARY)
    page.wait_for_selector(f"[data-save-state]:has-text('{words}')")
    assert page.locator("#summary").input_value() == SUMMARY
    assert not [item for item in page.evaluate("window.seenTexts") if item.startswith("Saved")]
    assert not Draft.objects.exists()

    page.unroute("**/draft/")
    page.locator("#summary").press_sequentially("!")
    wait_saved(page)
    assert Draft.objects.get().payload["summary"] == SUMMARY + "!"


def test_text_that_never_reached_the_server_comes_back_after_a_crash(open_page):
    page, assignment = open_first_task(open_page, world.news(frozen=True), watch=False)
    context = page.context
    context.set_offline(True)
    page.locator("#summary").fill(SUMMARY)
    page.wait_for_selector('[data-save-state][data-state="offline"]')
    page.close(run_before_unload=False)
    assert not Draft.objects.exists()
    context.set_offline(False)
    again = open_page(assignment.annotator, f"/tasks/{assignment.public_id}/", context=context)
    again.wait_for_selector("[data-task][data-ready]")
    assert again.locator("#summary").input_value() == SUMMARY
    wait_saved(again)
    assert Draft.objects.get().payload["summary"] == SUMMARY


def test_who_was_signed_out_goes_on_after_signing_in_again(open_page):
    page, assignment = open_first_task(open_page, world.news(frozen=True))
    Session.objects.all().delete()
    page.locator("#summary").fill(SUMMARY)
    page.wait_for_selector("[data-save-state]:has-text('Signed out')")
    shows_text(page.locator("[data-task-notice]"), "Your text is saved on this device")
    assert not Draft.objects.exists()
    client = Client()
    client.force_login(assignment.annotator)
    page.context.add_cookies(
        [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": page.url.split("/tasks/")[0]}]
    )
    page.locator("#summary").press_sequentially("!")
    wait_saved(page)
    assert Draft.objects.get().payload["summary"] == SUMMARY + "!"
    expect(page.locator("[data-task-notice]")).to_be_hidden()


def test_a_submit_without_an_answer_is_one_row_after_the_retry(open_page):
    page, _assignment = open_first_task(open_page, world.news(frozen=True), watch=False)
    page.locator("#summary").fill(SUMMARY)
    find_segment_button(page, 1).click()
    submit_task(page, "Title")
    wait_saved(page)
    keys = []

    def lose_the_answer(route):
        keys.append(route.request.headers["idempotency-key"])
        route.fetch()  # it reaches the server ...
        route.abort()  # ... and the answer gets lost

    page.route("**/submit/", lose_the_answer)
    press_submit(page)
    page.wait_for_selector("text=Not submitted yet: the server cannot be reached")
    assert page.locator("#summary").input_value() == SUMMARY
    page.unroute("**/submit/")
    page.on("request", lambda r: keys.append(r.headers["idempotency-key"]) if r.url.endswith("/submit/") else None)
    with page.expect_navigation():
        page.get_by_role("button", name="Submit anyway").click()
    assert Annotation.objects.count() == 1
    assert len(keys) == 2 and keys[0] == keys[1]

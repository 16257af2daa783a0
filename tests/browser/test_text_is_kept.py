"""Whatever happens to the network, the tab or the sign-in: the text stays, the page says so, and it gets there."""

import json
import os
import random

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

FULL = os.environ.get("EPITOME_TEST_FULL")
DRAFT = "**/draft/"
SUBMIT = "**/submit/"
COPIES = "Object.keys(localStorage).filter((name) => name.startsWith('epitome-'))"
NOTHING_HELD = "async () => (await navigator.locks.query()).held.length === 0"
WAITING_SUBMIT = "Object.values(localStorage).some((value) => value.includes('\"waiting\":true'))"
SIGN_IN_PASSWORD = "correct horse battery"


def task(open_page, **options):
    return open_first_task(open_page, world.news(frozen=True, overlap=2), watch=False, **options)


def state(page, words: str) -> None:
    page.wait_for_selector(f"[data-save-state]:has-text('{words}')")


def text_of(page) -> str:
    return page.locator("#summary").input_value()


def again(open_page, assignment, context, **options):
    """The same task opened again in the same browser."""
    page = open_page(assignment.annotator, f"/tasks/{assignment.public_id}/", context=context, watch=False, **options)
    page.wait_for_selector("[data-task][data-ready]")
    return page


def cookie_of(user, page) -> dict[str, str]:
    client = Client()
    client.force_login(user)
    return {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": page.url.split("/tasks/")[0]}


def ready(page) -> None:
    page.locator("#summary").fill(SUMMARY)
    find_segment_button(page, 1).click()
    submit_task(page, "Title")
    wait_saved(page)


# A save that fails: page and text stay, the reason is seen, "Saved" is said after a 2xx alone, and it recovers


def problem(status, **more):
    return {"status": status, "content_type": "application/problem+json", "body": json.dumps({"detail": "No.", **more})}


HTML = {"content_type": "text/html", "body": "<h1>A proxy says no</h1>"}
FAULTS = {
    "400": (problem(400), "Not saved"),
    "403": (problem(403), "Signed out"),
    "403 gate": (problem(403, code="gate"), "Not saved"),
    "404": (problem(404), "Not saved"),
    "409": (problem(409, code="closed"), "Not saved"),
    "413": (problem(413), "Not saved"),
    "429": ({**problem(429), "headers": {"Retry-After": "17"}}, "Not saved"),
    "500": ({"status": 500, **HTML}, "Not saved"),
    "502": ({"status": 502, **HTML}, "Not saved"),
    "html": ({"status": 200, **HTML}, "Not saved"),
    "aborted": (None, "Offline"),
    "silence": ("silence", "Offline"),
}


SOME = FAULTS if FULL else dict(list(FAULTS.items())[::2])  # make test-full takes them all


@pytest.mark.parametrize(("answer", "words"), SOME.values(), ids=SOME)
def test_a_failed_save_says_so_and_recovers_by_itself(open_page, answer, words):
    page, _assignment = task(open_page)
    page.clock.install()
    page.evaluate(WATCH_SAVE_STATE)
    items = []

    def fail(route):
        items.append(route)
        if answer is None:
            route.abort()
        elif answer != "silence":
            route.fulfill(**answer)

    page.route(DRAFT, fail)
    url_before = page.url
    page.locator("#summary").fill(SUMMARY)
    page.clock.fast_forward(1000)
    if answer == "silence":
        for _ in range(200):
            if items:
                break
            page.wait_for_timeout(10)
        page.clock.fast_forward(21_000)
    state(page, words)
    assert (page.url, text_of(page)) == (url_before, SUMMARY)
    assert page.locator("[data-long]").inner_text().startswith(" – ") or page.locator("[data-task-notice]").is_visible()
    assert not [item for item in page.evaluate("window.seenTexts") if item.startswith("Saved")]
    assert not Draft.objects.exists()

    page.unroute(DRAFT)
    page.clock.fast_forward(61_000)
    wait_saved(page)
    assert Draft.objects.get().payload["summary"] == SUMMARY


def test_a_browser_that_keeps_nothing_is_not_said_to_keep_it(open_page):
    page, _assignment = task(open_page)
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    page.route(DRAFT, lambda route: route.abort())
    page.locator("#summary").fill(SUMMARY)
    state(page, "Offline")
    assert "this browser cannot keep a copy: leave this page open" in page.locator("[data-long]").text_content()
    page.unroute(DRAFT)
    page.evaluate("dispatchEvent(new Event('online'))")
    wait_saved(page)


# Offline, crashed, signed out


def test_what_was_written_offline_is_sent_once(open_page):
    page, _assignment = task(open_page)
    page.context.set_offline(True)
    for text in ("The night boat ", "is back; ", "visitors pay more."):
        page.locator("#summary").press_sequentially(text)
        state(page, "Offline")
    sent = []
    page.on("request", lambda call: sent.append(call) if call.url.endswith("/draft/") else None)
    page.context.set_offline(False)
    wait_saved(page)
    assert Draft.objects.get().payload["summary"] == "The night boat is back; visitors pay more."
    assert Draft.objects.get().revision == 1
    assert len(sent) == 1
    assert not RefusedDraft.objects.exists()


@pytest.mark.parametrize("offline", [False, True], ids=["online", "offline"])
def test_a_tab_that_ends_at_any_moment_loses_no_text(open_page, offline):
    page, assignment = task(open_page)
    context = page.context
    rng = random.Random(7)
    written = ""
    for n in range(8 if FULL else 3):
        context.set_offline(offline)
        page.locator("#summary").focus()
        page.keyboard.press("Control+End")
        text = f"{n} the ferry {'é🚢' * rng.randint(0, 3)}. "
        page.keyboard.type(text, delay=rng.choice([0, 0, 15]))
        written += text
        page.wait_for_timeout(rng.choice([0, 0, 50, 300]))
        if not offline and rng.random() < 0.3:
            wait_saved(page)
        page.close(run_before_unload=False)
        context.set_offline(False)
        page = again(open_page, assignment, context)
        assert text_of(page) == written
    wait_saved(page)
    assert Draft.objects.get().payload["summary"] == written


def test_who_gets_a_text_back_is_told(open_page):
    page, assignment = task(open_page)
    page.context.set_offline(True)
    page.locator("#summary").fill(SUMMARY)
    page.close(run_before_unload=False)
    page.context.set_offline(False)
    page = again(open_page, assignment, page.context)
    shows_text(page.locator("[data-task-notice]"), "was restored from this device")
    wait_saved(page)
    assert page.evaluate(COPIES) == []


def test_signing_in_again_beside_the_page_saves_the_text(open_page):
    page, assignment = task(open_page)
    assignment.annotator.set_password(SIGN_IN_PASSWORD)
    assignment.annotator.save(update_fields=["password"])
    Session.objects.all().delete()
    page.locator("#summary").fill(SUMMARY)
    state(page, "Signed out")
    assert not Draft.objects.exists()
    with page.context.expect_page() as opened:
        page.locator("[data-task-notice]").get_by_role("link", name="Sign in").click()
    other = opened.value
    other.get_by_label("User name").fill(assignment.annotator.username)
    other.get_by_label("Password").fill(SIGN_IN_PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    other.wait_for_selector("text=You are signed in again. Go back to the tab with your text")
    assert text_of(page) == SUMMARY
    page.bring_to_front()
    page.evaluate("dispatchEvent(new Event('focus'))")
    wait_saved(page)
    expect(page.locator("[data-task-notice]")).to_be_hidden()
    draft = Draft.objects.get()
    assert (draft.assignment_id, draft.payload["summary"]) == (assignment.pk, SUMMARY)


def test_somebody_else_who_signs_in_gets_nothing_of_the_text(open_page):
    page, assignment = task(open_page)
    context = page.context
    other = world.make_annotator(assignment.project, "annotator2")
    Session.objects.all().delete()
    page.locator("#summary").fill(SUMMARY)
    state(page, "Signed out")
    context.add_cookies([cookie_of(other, page)])
    page.evaluate("dispatchEvent(new Event('focus'))")
    page.wait_for_selector("text=another user is signed in here")
    shows_text(page.locator("[data-task-notice]"), "saved on this device for annotator1")
    assert not Draft.objects.exists() and not RefusedDraft.objects.exists()

    page.close(run_before_unload=False)
    theirs = open_page(other, f"/p/{assignment.project.slug}/work/", context=context, watch=False)
    theirs.locator("[data-action=next-task]").click()
    theirs.wait_for_selector("[data-task][data-ready]")
    assert text_of(theirs) == ""
    assert SUMMARY not in theirs.content()
    theirs.goto(theirs.url.split("/tasks/")[0] + f"/tasks/{assignment.public_id}/")
    expect(theirs.locator("#summary")).to_have_count(0)

    context.add_cookies([cookie_of(assignment.annotator, theirs)])
    page = again(open_page, assignment, context)
    wait_saved(page)
    assert text_of(page) == SUMMARY
    assert [draft.assignment_id for draft in Draft.objects.all()] == [assignment.pk]


def test_no_text_stays_in_the_browser_after_saving_and_submitting(open_page):
    page, _assignment = task(open_page)
    ready(page)
    assert page.evaluate(COPIES) == []
    with page.expect_navigation():
        press_submit(page)
    page.wait_for_selector("[data-task][data-ready]")
    assert page.evaluate(COPIES) == []
    page.locator("#summary").fill("More.")
    wait_saved(page)
    page.locator("[data-menu] summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in/**")
    assert page.evaluate(COPIES) == []


# Two tabs, two devices


@pytest.mark.parametrize(
    ("choice", "kept"), [("Keep this version", "One night boat."), ("Use other version", "Two night boats.")]
)
def test_two_devices_keep_both_texts(open_page, choice, kept):
    page, assignment = task(open_page)
    device = open_page(assignment.annotator, f"/tasks/{assignment.public_id}/", watch=False)
    device.wait_for_selector("[data-task][data-ready]")
    device.locator("#summary").fill("Two night boats.")
    wait_saved(device)
    page.locator("#summary").fill("One night boat.")
    page.wait_for_selector("[data-conflict]:visible")
    expect(page.locator("[data-conflict-mine]")).to_have_text("One night boat.", use_inner_text=True)
    marked = page.locator("[data-conflict-theirs]")
    assert marked.locator("del").all_inner_texts() == ["One", "boat."]
    assert marked.locator("ins").all_inner_texts() == ["Two", "boats."]

    with page.expect_response(lambda answer: answer.status == 409):  # the other one is put aside
        page.get_by_role("button", name=choice).click()
    wait_saved(page)
    assert text_of(page) == Draft.objects.get().payload["summary"] == kept
    texts = {row.payload["summary"] for row in RefusedDraft.objects.all()} | {kept}
    assert texts == {"One night boat.", "Two night boats."}


def test_a_saved_tab_does_not_wipe_the_copy_of_another(open_page):
    page, assignment = task(open_page)
    page.route(DRAFT, lambda route: route.abort())
    page.locator("#summary").fill("Written where the network had gone.")
    state(page, "Offline")
    other = again(open_page, assignment, page.context)
    assert text_of(other) == ""
    other.locator("#summary").fill("Written beside it.")
    wait_saved(other)
    page.close(run_before_unload=False)
    other.close()

    page = again(open_page, assignment, page.context)
    page.wait_for_selector("[data-conflict]:visible")
    expect(page.locator("[data-conflict-mine]")).to_have_text(
        "Written where the network had gone.", use_inner_text=True
    )
    page.get_by_role("button", name="Put both in the editor").click()
    wait_saved(page)
    both = "Written where the network had gone.\n\nWritten beside it."
    assert Draft.objects.get().payload["summary"] == both
    assert page.evaluate(COPIES) == []


def test_the_copies_of_two_dead_tabs_both_come_back(open_page):
    page, assignment = task(open_page)
    other = again(open_page, assignment, page.context)
    # Of the whole browser, and until the new page is there: a page that is closed tries once more to save.
    page.context.route(DRAFT, lambda route: route.abort())
    for first, text in ((page, "First."), (other, "Second.")):
        first.locator("#summary").fill(text)
        state(first, "Offline")
    third = open_page(assignment.annotator, "/", context=page.context, watch=False)
    page.close(run_before_unload=False)
    other.close(run_before_unload=False)
    third.wait_for_function(NOTHING_HELD)  # a busy browser takes its time to end a page
    page = again(open_page, assignment, page.context)
    page.wait_for_selector("[data-conflict]:visible")
    page.context.unroute(DRAFT)
    page.get_by_role("button", name="Put both in the editor").click()
    wait_saved(page)
    assert set(Draft.objects.get().payload["summary"].split("\n\n")) == {"First.", "Second."}


def test_interleaved_tabs_lose_no_word(open_page):
    """Random turns of two tabs; every word ever typed is in the draft, in a kept text, or in a tab's field."""
    page, assignment = task(open_page)
    tabs = [page, again(open_page, assignment, page.context)]
    rng = random.Random(3)
    typed = []
    for n in range(24 if FULL else 8):
        tab = rng.choice(tabs)
        if tab.locator("[data-conflict]").is_visible():
            name = rng.choice(["Keep this version", "Use other version", "Put both in the editor"])
            tab.get_by_role("button", name=name).click()
        else:
            tab.locator("#summary").focus()
            tab.keyboard.press("Control+End")
            tab.keyboard.type(f"word{n}x ")
            if f"word{n}x" in tab.locator("#summary").input_value():  # else a conflict opened under the keys
                typed.append(f"word{n}x")
        if rng.random() < 0.7:
            tab.wait_for_selector("[data-save-state]:is([data-state=saved], [data-state=conflict])")
    for tab in tabs:
        tab.wait_for_selector("[data-save-state]:is([data-state=saved], [data-state=conflict])")
    results = [tab.locator("#summary").input_value() for tab in tabs]
    for tab in tabs:
        tab.wait_for_load_state("networkidle")
    stored = [item.payload["summary"] for item in (*Draft.objects.all(), *RefusedDraft.objects.all())]
    lost = [word for word in typed if word not in " ".join(stored + results)]
    assert len(typed) > 3 and lost == []


# Handing in


def test_a_double_click_hands_in_once(open_page):
    page, _assignment = task(open_page)
    ready(page)
    sent = []
    page.on("request", lambda call: sent.append(call) if call.url.endswith("/submit/") else None)
    page.get_by_role("button", name="Submit", exact=True).dblclick()  # far outside the band: it asks, once
    button = page.get_by_role("button", name="Submit anyway")
    button.wait_for()
    assert not sent
    with page.expect_navigation():
        button.dblclick()
    page.wait_for_selector("[data-task][data-ready]")
    assert (Annotation.objects.count(), len(sent)) == (1, 1)


def test_a_submit_without_network_waits_and_is_handed_in_once(open_page):
    page, _assignment = task(open_page)
    ready(page)
    keys = []
    page.on("request", lambda c: keys.append(c.headers["idempotency-key"]) if c.url.endswith("/submit/") else None)
    page.context.set_offline(True)
    press_submit(page)
    page.wait_for_selector("text=Not submitted yet: the server cannot be reached")
    assert text_of(page) == SUMMARY and not Annotation.objects.exists()
    with page.expect_navigation():
        page.context.set_offline(False)
    page.wait_for_selector("[data-task][data-ready]")
    assert Annotation.objects.get().payload["summary"] == SUMMARY
    assert len(keys) == 2 and len(set(keys)) == 1


def test_a_lost_answer_is_asked_for_again_by_itself(open_page):
    page, _assignment = task(open_page)
    ready(page)
    page.clock.install()

    def lose(route):
        route.fetch()
        route.abort()

    page.route(SUBMIT, lose)
    press_submit(page)
    page.wait_for_selector("text=Not submitted yet")
    assert Annotation.objects.count() == 1
    page.unroute(SUBMIT)
    with page.expect_navigation():
        page.clock.fast_forward(6000)
    assert Annotation.objects.count() == 1


def test_a_waiting_submit_survives_the_tab(open_page):
    page, assignment = task(open_page)
    ready(page)
    beside = open_page(assignment.annotator, "/", context=page.context, watch=False)
    page.context.set_offline(True)
    press_submit(page)
    page.wait_for_selector("text=Not submitted yet")
    beside.wait_for_function(WAITING_SUBMIT)  # a browser's processes see each other's storage a moment later
    page.close(run_before_unload=False)
    page.context.set_offline(False)
    page = open_page(assignment.annotator, f"/tasks/{assignment.public_id}/", context=page.context, watch=False)
    page.wait_for_selector("text=Submitted. Next on the same source: ")
    assert Annotation.objects.get().payload["summary"] == SUMMARY


def test_a_changed_text_is_not_handed_in_by_itself(open_page):
    page, _assignment = task(open_page)
    ready(page)
    page.context.set_offline(True)
    press_submit(page)
    page.wait_for_selector("text=Not submitted yet")
    page.locator("#step-2 .step-head").click()
    page.locator("#summary").press_sequentially(" More")
    page.wait_for_selector("text=Not submitted: the text has changed")
    page.context.set_offline(False)
    wait_saved(page)
    assert not Annotation.objects.exists()
    assert Draft.objects.get().payload["summary"] == SUMMARY + " More"


# Undo


@pytest.mark.parametrize("choice", ["Use other version", "Put both in the editor"])
def test_undo_leads_back_across_a_decided_conflict(open_page, choice):
    page, assignment = task(open_page)
    drafts.save_draft(assignment=assignment, payload={"summary": "Theirs 🚢."}, revision=0)
    page.locator("#summary").focus()
    page.keyboard.type("Mine é.")
    page.get_by_role("button", name=choice).click()
    wait_saved(page)
    assert text_of(page) != "Mine é."
    page.keyboard.press("Control+z")
    assert text_of(page) == "Mine é."
    wait_saved(page)
    page.wait_for_function("document.querySelector('[data-save-state]').dataset.state === 'saved'")
    page.keyboard.press("Control+Shift+z")
    assert "Theirs 🚢." in text_of(page)
    wait_saved(page)

"""The task page in a real browser: what an annotator does, and the row or the words that come of it."""

import json
import re
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from annotation.models import Annotation, Assignment, AssignmentState, Draft, Group, GuidelineVersion, RefusedDraft
from annotation.schema import guideline_text
from annotation.services import claiming, drafting, submitting
from tests.browser import world
from tests.browser.conftest import PHONE
from tests.tasks.factories import payload

SUMMARY = "The night boat is back: the council pays until April, and visitors pay one crown more."
WATCH_SAVE_STATE = """() => {
    window.said = [];
    const place = document.querySelector("[data-save-state]");
    const note = () => window.said.push(place.innerText);
    new MutationObserver(note).observe(place, {subtree: true, childList: true, characterData: true});
}"""


def claimed(project, user) -> Assignment:
    found = claiming.claim_next(project=project, annotator=user).assignment
    assert found is not None
    return found


def start(open_page, project, **options):
    """The first task of a project, open in a browser: (page, assignment)."""
    user = world.annotator(project)
    assignment = claimed(project, user)
    page = open_page(user, f"/tasks/{assignment.public_id}/", **options)
    page.wait_for_selector("[data-task][data-ready]")
    return page, assignment


def number(page, n):
    """The button with the number of a segment, from 1."""
    return page.locator(".turn-mark").nth(n - 1)


def select_words(page, n: int, words: str) -> None:
    """Select these words of a segment, as a mouse would."""
    page.evaluate(
        """([n, words]) => {
            const node = document.querySelectorAll(".turn-text")[n - 1].firstChild;
            const from = node.data.indexOf(words);
            getSelection().setBaseAndExtent(node, from, node, from + words.length);
        }""",
        [n, words],
    )


def freeze(page) -> None:
    page.get_by_role("button", name="Continue", exact=True).click()
    with page.expect_navigation():
        page.get_by_role("button", name="Freeze and go on").click()
    page.wait_for_selector("[data-task][data-ready]")


def finish(page, title: str) -> None:
    """Steps 3 and 4, once the text is there and segments are marked."""
    page.get_by_role("button", name="Continue to relevant segments").click()
    page.get_by_role("button", name="These are the minimum").click()
    page.get_by_label("I have read it again").check()
    page.get_by_label("Title").fill(title)


def wait_saved(page) -> None:
    page.wait_for_selector('[data-save-state][data-state="saved"]:has-text("Saved ")')


def chips(page) -> list[str]:
    return [re.sub(r"\s+", " ", text).strip() for text in page.locator(".request .chip").all_inner_texts()]


# One document from the first look to the stored row


def test_a_news_summary_from_choosing_to_the_row(open_page):
    project = world.news()
    page, assignment = start(open_page, project)

    assert chips(page) == ["Topic yours to pick"]
    assert "3 more attributes are shown after step 1." in page.inner_text(".panel-head")
    assert page.locator(".picks .pick").count() == 20
    assert page.locator("#summary").is_hidden()

    page.get_by_label("night sailing").check()
    page.get_by_label("Wording of choice 1").fill("the night boat")
    page.locator("[data-type-own]").fill("ticket prices")
    page.keyboard.press("Enter")
    assert chips(page) == ["Topic the night boat, ticket prices"]
    page.get_by_role("button", name="Continue", exact=True).click()
    dialog = page.get_by_role("dialog")
    assert "Everybody who writes for this part of the source gets the same" in dialog.inner_text()
    assert "the night boat, ticket prices" in dialog.inner_text()
    with page.expect_navigation():
        dialog.get_by_role("button", name="Freeze and go on").click()
    page.wait_for_selector("[data-task][data-ready]")

    assert [chip.split(" ")[0] for chip in chips(page)] == ["Length", "Extractiveness", "Specificity", "Topic"]
    assert Group.objects.get().chosen == {"topic": ["the night boat", "ticket prices"]}
    said = page.locator("[data-words-said]")
    assert "share of the words in the relevant segments" in said.inner_text()

    page.locator("#summary").fill(SUMMARY)
    number(page, 1).click()
    number(page, 3).click(modifiers=["Shift"])
    number(page, 5).click()
    assert page.locator("[data-words]").inner_text() == "16 words"
    relevant = sum(len(world.NEWS[i].split()) for i in (0, 1, 2, 4))
    assert f"% of the {relevant} words in the marked segments" in page.locator("[data-ratio]").inner_text()
    assert said.inner_text() == "12 words over the band. The guideline’s band for “Short”: about 4 words."

    select_words(page, 3, "🚢 and the words “open until the boat” 👩‍👩‍👧")
    page.get_by_role("button", name="Mark these words").click()
    finish(page, "The night boat returns")
    with page.expect_navigation():
        page.get_by_role("button", name="Submit").click()

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
    project = world.news(frozen=True, segments=world.plain(world.NEWS * 6))
    page, _assignment = start(open_page, project)
    page.locator("#summary").fill(SUMMARY)
    number(page, 30).click()
    finish(page, "Title")
    before = page.evaluate("scrollY")
    assert before > 300
    with page.expect_navigation():
        page.get_by_role("button", name="Submit").click()
    page.wait_for_selector("[data-task][data-ready]")
    assert abs(page.evaluate("scrollY") - before) < 80
    assert "This is the next sample of the same source" in page.inner_text(".panel")
    assert page.locator("#summary").input_value() == ""

    page.locator("#summary").fill("Another text.")
    number(page, 2).click()
    finish(page, "Other title")
    with page.expect_navigation():
        page.get_by_role("button", name="Submit").click()
    page.wait_for_url("**/work/?said=submitted")
    assert "Submitted. Thank you" in page.inner_text("main")
    assert [row.payload["title"] for row in Annotation.objects.order_by("pk")] == ["Title", "Other title"]


def test_a_meeting_summary_with_speakers(open_page):
    project = world.meeting()
    page, _assignment = start(open_page, project)
    assert chips(page) == ["Topic yours to pick", "Speaker yours to pick"]
    page.get_by_label("solar panel").check()
    speakers = page.locator("[data-choice=speaker]")
    spoken = sum(len(text.split()) for name, text in world.MEETING if name == "Tomasz Wilk")
    assert f"Tomasz Wilk 3 turns, {spoken} words" in re.sub(r"\s+", " ", speakers.inner_text())
    speakers.get_by_label("Tomasz Wilk").check()
    speakers.get_by_label("Delphine Roux").check()
    freeze(page)
    assert Group.objects.get().chosen == {"topic": ["solar panel"], "speaker": ["Tomasz Wilk", "Delphine Roux"]}

    page.locator("[data-speaker-filter] summary").click()
    page.get_by_role("button", name="Only the chosen ones").click()
    assert page.locator(".turn:visible").count() == 4
    page.get_by_role("button", name="All speakers").click()
    assert page.locator(".turn:visible").count() == len(world.MEETING)

    page.locator("#summary").fill("Tomasz wants one cell; Delphine asks for the price.")
    for n in (2, 10, 12):
        number(page, n).click()
    select_words(page, 5, "🐦 and took it down")
    page.keyboard.press("s")
    page.get_by_label("Only marked").check()
    assert page.locator(".turn:visible").count() == 4
    finish(page, "Cells and money")
    with page.expect_navigation():
        page.get_by_role("button", name="Submit").click()
    start_at = world.MEETING[4][1].index("🐦")
    assert Annotation.objects.get().payload == {
        "summary": "Tomasz wants one cell; Delphine asks for the price.",
        "title": "Cells and money",
        "relevant_segments": [1, 9, 11],
        "spans": [{"segment": 4, "start": start_at, "end": start_at + 18, "quote": "🐦 and took it down"}],
    }


def test_a_task_that_only_chooses(open_page):
    project = world.news(phases="two")
    page, _assignment = start(open_page, project)
    assert page.locator("#summary").count() == 0
    page.get_by_label("fares").check()
    page.get_by_role("button", name="Continue", exact=True).click()
    with page.expect_navigation():
        page.get_by_role("button", name="Freeze and go on").click()
    page.wait_for_url("**/work/?said=chosen")
    assert Group.objects.get().chosen == {"topic": ["fares"]}


def test_somebody_else_chose_first_and_it_is_shown(open_page):
    project = world.news()
    page, _assignment = start(open_page, project)
    page.get_by_label("fares").check()
    page.get_by_role("button", name="Continue", exact=True).click()
    from django.utils import timezone

    Group.objects.update(chosen={"topic": ["bird wardens"]}, frozen_at=timezone.now())
    page.get_by_role("button", name="Freeze and go on").click()
    page.wait_for_selector("text=Somebody else has chosen in the meantime: bird wardens")
    with page.expect_navigation():
        page.get_by_role("button", name="Go on with this").click()
    page.wait_for_selector("[data-task][data-ready]")
    assert "Topic bird wardens" in chips(page)


# What is missing is said


def test_submit_names_what_is_missing_and_keeps_the_page(open_page):
    page, _assignment = start(open_page, world.news(frozen=True))
    page.get_by_role("button", name="Submit").click(force=True)  # not ready: it says why
    said = page.locator("[data-submit-said]").inner_text()
    assert said == (
        "Still to do: write the summary, mark the relevant segments, read the summary again, and give it a title."
    )
    assert page.locator("#title").is_disabled()
    page.locator("#summary").fill(SUMMARY)
    number(page, 1).click()
    finish(page, "A title")
    assert page.locator("[data-to-do]").inner_text() == "Ready to submit"
    page.locator("#summary").fill(SUMMARY + " More.")
    assert not page.get_by_label("I have read it again").is_checked()
    assert page.locator("#title").is_disabled()
    assert page.locator("#title").input_value() == "A title"
    assert page.locator("[data-to-do]").inner_text() == "1 step to do"
    assert Annotation.objects.count() == 0


def test_skip_needs_a_reason_and_frees_the_sample(open_page):
    page, assignment = start(open_page, world.news(frozen=True))
    page.get_by_role("button", name="Skip", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Skip", exact=True).click()
    assert page.url.endswith(f"/tasks/{assignment.public_id}/")
    dialog.get_by_label("Nothing in the source fits").check()
    dialog.get_by_label("In a sentence").fill("No fares here.")
    with page.expect_navigation():
        dialog.get_by_role("button", name="Skip", exact=True).click()
    page.wait_for_selector("text=Skipped. This is the next sample of the same source.")
    assignment.refresh_from_db()
    assert (assignment.state, assignment.skip_reason, assignment.skip_note) == (
        AssignmentState.SKIPPED,
        "nothing_fits",
        "No fares here.",
    )


# Drafts: nothing is lost, and "Saved" is only said when it is true


def test_the_draft_is_saved_and_comes_back(open_page):
    page, assignment = start(open_page, world.news(frozen=True))
    page.locator("#summary").fill(SUMMARY)
    number(page, 2).click()
    wait_saved(page)
    draft = Draft.objects.get(assignment=assignment)
    assert draft.payload["summary"] == SUMMARY
    assert draft.payload["relevant_segments"] == [1]
    page.reload()
    page.wait_for_selector("[data-task][data-ready]")
    assert page.locator("#summary").input_value() == SUMMARY
    assert number(page, 2).get_attribute("aria-pressed") == "true"


def test_a_second_tab_shows_both_texts(open_page):
    project = world.news(frozen=True)
    page, assignment = start(open_page, project)
    page.locator("#summary").fill("The first tab wrote this.")
    wait_saved(page)
    other = open_page(assignment.annotator, f"/tasks/{assignment.public_id}/", context=page.context)
    other.wait_for_selector("[data-task][data-ready]")
    other.locator("#summary").fill("The second tab wrote that.")
    wait_saved(other)

    page.locator("#summary").fill("The first tab wrote this and more.")
    page.wait_for_selector('[data-save-state][data-state="conflict"]')
    conflict = page.locator("[data-conflict]")
    assert conflict.locator("[data-conflict-mine]").inner_text() == "The first tab wrote this and more."
    theirs = conflict.locator("[data-conflict-theirs]").evaluate(
        "e => [...e.childNodes].filter(n => n.nodeName !== 'DEL').map(n => n.textContent).join('')"
    )
    assert " ".join(theirs.split()) == "The second tab wrote that."
    assert Draft.objects.get().payload["summary"] == "The second tab wrote that."
    assert RefusedDraft.objects.get().payload["summary"] == "The first tab wrote this and more."

    page.get_by_role("button", name="Put both in the field and edit").click()
    wait_saved(page)
    both = "The first tab wrote this and more.\n\nThe second tab wrote that."
    assert page.locator("#summary").input_value() == both
    assert Draft.objects.get().payload["summary"] == both


@pytest.mark.parametrize(("choice", "kept"), [("Keep this one", "Mine."), ("Use that one", "Theirs.")])
def test_a_conflict_ends_with_the_chosen_text(open_page, choice, kept):
    page, assignment = start(open_page, world.news(frozen=True))
    drafting.save_draft(assignment=assignment, payload={"summary": "Theirs."}, revision=0)
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
    page, _assignment = start(open_page, world.news(frozen=True), watch=False)
    page.evaluate(WATCH_SAVE_STATE)
    page.route("**/draft/", lambda route: route.fulfill(**answer) if answer else route.abort())
    page.locator("#summary").fill(SUMMARY)
    page.wait_for_selector(f"[data-save-state]:has-text('{words}')")
    assert page.locator("#summary").input_value() == SUMMARY
    assert not [said for said in page.evaluate("window.said") if said.startswith("Saved")]
    assert not Draft.objects.exists()

    page.unroute("**/draft/")
    page.locator("#summary").press_sequentially("!")
    wait_saved(page)
    assert Draft.objects.get().payload["summary"] == SUMMARY + "!"


def test_text_that_never_reached_the_server_comes_back_after_a_crash(open_page):
    page, assignment = start(open_page, world.news(frozen=True), watch=False)
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
    page, assignment = start(open_page, world.news(frozen=True))
    Session.objects.all().delete()
    page.locator("#summary").fill(SUMMARY)
    page.wait_for_selector("[data-save-state]:has-text('Signed out')")
    assert "Your text is kept on this device" in page.inner_text("[data-task-notice]")
    assert not Draft.objects.exists()
    client = Client()
    client.force_login(assignment.annotator)
    page.context.add_cookies(
        [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": page.url.split("/tasks/")[0]}]
    )
    page.locator("#summary").press_sequentially("!")
    wait_saved(page)
    assert Draft.objects.get().payload["summary"] == SUMMARY + "!"
    assert page.locator("[data-task-notice]").is_hidden()


def test_a_submit_without_an_answer_is_one_row_after_the_retry(open_page):
    page, _assignment = start(open_page, world.news(frozen=True), watch=False)
    page.locator("#summary").fill(SUMMARY)
    number(page, 1).click()
    finish(page, "Title")
    wait_saved(page)
    keys = []

    def lose_the_answer(route):
        keys.append(route.request.headers["idempotency-key"])
        route.fetch()  # it reaches the server ...
        route.abort()  # ... and the answer gets lost

    page.route("**/submit/", lose_the_answer)
    page.get_by_role("button", name="Submit").click()
    page.wait_for_selector("text=Not handed in yet: the server cannot be reached")
    assert page.locator("#summary").input_value() == SUMMARY
    page.unroute("**/submit/")
    page.on("request", lambda r: keys.append(r.headers["idempotency-key"]) if r.url.endswith("/submit/") else None)
    with page.expect_navigation():
        page.get_by_role("button", name="Submit").click()
    assert Annotation.objects.count() == 1
    assert len(keys) == 2 and keys[0] == keys[1]


# Keyboard, looks, directions


def test_the_keyboard_is_enough(open_page):
    page, _assignment = start(open_page, world.news())
    press = page.keyboard.press
    page.locator("[data-type-own]").focus()
    page.keyboard.type("fares")
    press("Enter")
    press("Control+Enter")
    with page.expect_navigation():
        press("Enter")
    page.wait_for_selector("[data-task][data-ready]")
    press("e") if not page.evaluate("document.activeElement.id === 'summary'") else None
    page.keyboard.type("A short text.")
    press("Escape")
    number(page, 1).focus()
    press("j")
    press("x")
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
    page.locator("[data-reread]").focus()
    press("Space")
    page.keyboard.type("My title")
    with page.expect_navigation():
        press("Control+Enter")
    row = Annotation.objects.get()
    assert row.payload["summary"] == "A short text."
    assert row.payload["title"] == "My title"
    assert row.payload["relevant_segments"] == [[1, 3]]
    assert row.payload["spans"] == [{"segment": 3, "start": 4, "end": 17, "quote": "night sailing"}]


def test_find_goes_through_the_places(open_page):
    page, _assignment = start(open_page, world.news(frozen=True))
    page.keyboard.press("/")
    page.keyboard.type("boat")
    assert page.locator("[data-find-count]").inner_text() == "1 of 3"
    page.keyboard.press("Enter")
    assert page.locator("[data-find-count]").inner_text() == "2 of 3"
    page.keyboard.press("Escape")
    assert page.locator("[data-find-count]").inner_text() == ""


def test_a_phone_shows_one_pane_and_never_scrolls_sideways(open_page):
    page, _assignment = start(open_page, world.meeting(), viewport=PHONE, has_touch=True, is_mobile=True)
    wide = "document.scrollingElement.scrollWidth > innerWidth"
    assert not page.evaluate(wide)
    assert page.locator(".panel").is_hidden()
    page.get_by_text("Write", exact=True).click()
    assert page.locator(".panel").is_visible() and page.locator(".bench-source").is_hidden()
    assert not page.evaluate(wide)
    page.get_by_label("solar panel").check()
    freeze(page)
    assert not page.evaluate(wide)
    page.locator("#summary").fill("Wide" * 60)
    for step in ("3", "4"):
        page.locator(f"#step-{step} > summary").click()
        assert not page.evaluate(wide)
    assert page.locator("#summary").is_visible()  # the strip stays beside every step


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read_in_light_and_dark(open_page, scheme):
    page, _assignment = start(open_page, world.meeting(frozen=True), color_scheme=scheme, reduced_motion="reduce")
    number(page, 2).click()
    contrasts = page.evaluate(Path(__file__).with_name("contrast.js").read_text())
    poor = [row for row in contrasts if row[1] < 4.5]
    assert contrasts and not poor, poor


def test_right_to_left_text_runs_its_own_way(open_page):
    project = world.news(frozen=True, segments=world.plain(world.ARABIC))
    page, _assignment = start(open_page, project)
    sides = page.evaluate(
        """() => [...document.querySelectorAll(".turn-text")].map((e) => getComputedStyle(e).direction)"""
    )
    assert sides == ["rtl", "rtl", "rtl"]
    page.locator("#summary").fill("تعود العبّارة الليلية.")
    assert page.locator("#summary").evaluate("e => getComputedStyle(e).direction") == "rtl"
    number(page, 3).focus()
    for _ in range(2):
        page.keyboard.press("ArrowLeft")  # onward, from right to left
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("s")
    number(page, 3).click()
    finish(page, "العبّارة")
    with page.expect_navigation():
        page.get_by_role("button", name="Submit").click()
    words = world.ARABIC[2].split()
    assert Annotation.objects.get().payload["spans"][0]["quote"] == " ".join(words[1:3])


def test_what_came_with_a_carriage_return_keeps_its_offsets(open_page):
    texts = ["One line\r\nand another 🙂 line.", "Second."]
    page, _assignment = start(open_page, world.news(frozen=True, segments=world.plain(texts)))
    select_words(page, 1, "nother 🙂")  # inside a word, so that nothing evens out a wrong offset
    page.keyboard.press("s")
    page.locator("#summary").fill("Text.")
    finish(page, "Title")
    with page.expect_navigation():
        page.get_by_role("button", name="Submit").click()
    at = texts[0].index("nother")
    span = {"segment": 0, "start": at, "end": at + 8, "quote": "nother 🙂"}
    assert Annotation.objects.get().payload["spans"] == [span]


def test_texts_are_shown_as_text(open_page):
    nasty = "<img src=x onerror=alert(1)> </script><script>alert(2)</script> {{ 7 }}"
    project = world.news(segments=world.plain([nasty, "Second."]))
    world.title(project, nasty)
    world.topics(project, [nasty, "fares"])
    page, _assignment = start(open_page, project)
    assert page.locator(".turn-text").first.inner_text() == nasty
    page.locator(".pick", has_text="onerror").click()
    freeze(page)
    page.locator("#summary").fill(nasty)
    number(page, 1).click()
    finish(page, nasty)
    assert page.locator("[data-reread-text]").inner_text() == nasty
    assert page.locator("main img, main script").count() == 0


# My work


def test_my_work_leads_to_the_task_and_back(open_page):
    project = world.news(frozen=True)
    user = world.annotator(project)
    page = open_page(user, f"/p/{project.slug}/work/")
    assert page.locator("[data-action=next-task]").count() == 1
    page.locator("[data-action=next-task]").click()
    page.wait_for_selector("[data-task][data-ready]")
    page.locator("#summary").fill(SUMMARY)
    wait_saved(page)
    page.get_by_role("link", name="My work").click()
    assert SUMMARY in page.inner_text(".hero")
    page.locator("[data-action=next-task]").click()
    page.wait_for_selector("[data-task][data-ready]")
    assert page.locator("#summary").input_value() == SUMMARY


@pytest.mark.parametrize("name", ["work", "guideline"])
def test_the_other_pages_of_an_annotator_fit_a_phone(open_page, name):
    project = world.news(frozen=True)
    GuidelineVersion.objects.filter(project=project).update(text=guideline_text("macsum-doc"))
    user = world.annotator(project)
    submitted = claimed(project, user)
    submitting.submit(assignment=submitted, payload=payload(title="Long" * 40), idempotency_key="k")
    page = open_page(user, f"/p/{project.slug}/{name}/", viewport=PHONE, has_touch=True, is_mobile=True)
    assert not page.evaluate("document.scrollingElement.scrollWidth > innerWidth")


def test_the_way_to_the_next_task_works_without_script(open_page):
    project = world.news(frozen=True)
    user = world.annotator(project)
    page = open_page(user, f"/p/{project.slug}/work/", java_script_enabled=False)
    page.locator("[data-action=next-task]").click()
    assert re.search(r"/tasks/[0-9a-f-]{36}/$", page.url)
    assert page.locator(".turn-text").count() == len(world.NEWS)

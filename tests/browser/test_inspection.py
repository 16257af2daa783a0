"""Inspection in a real browser: handed in, returned with comments, revised, accepted; by keyboard, and on a phone."""

import re

from django.contrib.auth.models import User
from playwright.sync_api import expect

from annotation.models import Annotation, Assignment, InspectionSample, Membership, Role
from annotation.services.tasks import claim, submit
from tests.browser import world
from tests.browser.conftest import PHONE, shows_text
from tests.browser.task_steps import press_submit
from tests.tasks.factories import payload

SUMMARY = "The 🚢 boat is back: the council pays until April.\nVisitors pay one crown more."


def reviewer(project, name="reviewer1"):
    user = User.objects.create(username=name)
    Membership.objects.create(user=user, project=project, role=Role.REVIEWER)
    return user


def handed_in(project, **changed):
    writer = world.make_annotator(project)
    task = claim.claim_next(project=project, annotator=writer).assignment
    submit.submit_task(
        assignment=task, payload=payload(**{"summary": SUMMARY, **changed}), idempotency_key=f"k{task.pk}"
    )
    annotation = Annotation.objects.get(assignment=task)
    InspectionSample.objects.create(project=project, annotation=annotation, annotator=writer, week="2026-W10", seed="s")
    return writer, annotation


def ready(page):
    page.wait_for_selector("[data-inspection][data-ready]")
    return page


def select_in_summary(page, words):
    page.evaluate(
        """(words) => {
            const node = document.querySelector("[data-summary]").firstChild;
            const from = node.data.indexOf(words);
            getSelection().setBaseAndExtent(node, from, node, from + words.length);
        }""",
        words,
    )


def test_returned_with_a_comment_revised_and_accepted(open_page):
    project = world.news(frozen=True)
    writer, annotation = handed_in(project)
    page = open_page(reviewer(project), f"/p/{project.slug}/inspection/?week=2026-W10")
    page.get_by_role("button", name="Inspect next summary").click()
    ready(page)
    expect(page.locator(".turn.is-marked")).to_have_count(2)
    select_in_summary(page, "one crown more")
    page.get_by_role("button", name="Comment on these words").click()
    page.get_by_role("textbox", name="Comment on “one crown more”").fill("How much is it now?")
    for text in ("Length", "Extractiveness", "Specificity", "Relevant segments"):
        page.get_by_role("group", name=re.compile(text)).get_by_text("Accept").click()
    topic = page.get_by_role("group", name=re.compile("Topic"))
    topic.get_by_text("Revise").click()
    topic.get_by_label("Comment on Topic").fill("Name the topic.")
    expect(page.locator("[data-outcome]")).to_have_text(
        "Will be returned to its writer with your comments", use_inner_text=True
    )
    page.get_by_role("button", name="Send verdict").click()
    page.get_by_text("Verdict saved").wait_for()
    shows_text(page.locator("main"), "not measured yet")
    start = SUMMARY.index("one crown")
    assert annotation.inspections.get().comments == [
        {"start": start, "end": start + 14, "quote": "one crown more", "comment": "How much is it now?"}
    ]

    other_page = open_page(writer, f"/p/{project.slug}/work/")
    other_page.get_by_role("link", name="Read the feedback").click()
    assert "Name the topic." in other_page.inner_text("main") and "How much is it now?" in other_page.inner_text("main")
    other_page.get_by_role("link", name="Revise", exact=True).click()
    other_page.wait_for_selector("[data-task][data-ready]")
    shows_text(other_page.locator("[data-task-notice]"), "Name the topic.")
    assert other_page.locator("#summary").input_value() == SUMMARY
    other_page.locator("#summary").fill(SUMMARY.replace("one crown more", "5 crowns for the night boat"))
    other_page.get_by_role("button", name="Continue to relevant segments").click()
    other_page.get_by_role("button", name="Confirm these segments").click()
    other_page.get_by_label("I have reviewed it").check()
    with other_page.expect_navigation():
        press_submit(other_page)
    assert Annotation.objects.get(revision=2).payload["summary"].endswith("Visitors pay 5 crowns for the night boat.")

    page.get_by_role("button", name="Inspect next summary").click()
    page.get_by_text("Changes since revision 1").wait_for()
    ready(page)
    assert page.locator(".diff ins").all_inner_texts()[-1].strip() == "5 crowns for the night boat."
    assert page.locator(".diff del").all_inner_texts()[-1].strip() == "one crown more."
    for _number in range(5):
        page.keyboard.press("a")
    expect(page.locator("[data-outcome]")).to_have_text("Will be accepted", use_inner_text=True)
    page.keyboard.press("Control+Enter")
    page.get_by_text("Verdict saved").wait_for()
    assert Assignment.objects.get(pk=annotation.assignment_id).state == "accepted"


def test_the_keyboard_is_enough_and_emoji_keep_their_offsets(open_page):
    project = world.news(frozen=True)
    _writer, annotation = handed_in(project)
    page = ready(open_page(reviewer(project), f"/p/{project.slug}/inspection/{annotation.public_id}/"))
    page.keyboard.press("3")
    page.keyboard.press("v")
    page.keyboard.type("More numbers, please.")
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowRight", "c"):
        page.keyboard.press(key)
    page.keyboard.type("Which boat?")
    page.keyboard.press("Escape")
    page.locator("[data-comments] textarea").blur()
    for number in ("1", "2", "4", "5"):
        page.keyboard.press(number)
        page.keyboard.press("a")
    page.keyboard.press("Control+Enter")
    page.get_by_text("Verdict saved").wait_for()
    stored = annotation.inspections.get()
    assert stored.comments == [{"start": 4, "end": 10, "quote": "🚢 boat", "comment": "Which boat?"}]
    assert stored.verdicts["specificity"] == {"verdict": "revise", "comment": "More numbers, please."}
    assert stored.seconds > 0


def test_a_verdict_that_is_not_complete_is_not_sent(open_page):
    project = world.news(frozen=True)
    _writer, annotation = handed_in(project)
    page = ready(open_page(reviewer(project), f"/p/{project.slug}/inspection/{annotation.public_id}/"))
    page.keyboard.press("r")
    page.get_by_role("button", name="Send verdict").click(force=True)
    expect(page.locator("[data-outcome]")).to_have_text("4 verdicts left", use_inner_text=True)
    assert page.evaluate("document.activeElement.name") == "verdict-extractiveness"
    for number in ("2", "3", "4", "5"):
        page.keyboard.press(number)
        page.keyboard.press("a")
    shows_text(page.locator("[data-outcome]"), "Add a comment")
    page.keyboard.press("Control+Enter")
    assert page.evaluate("document.activeElement.id") == "comment-overall"
    assert not annotation.inspections.exists()


def test_on_a_phone_nothing_is_cut_off(open_page):
    project = world.news(frozen=True)
    writer, annotation = handed_in(project)
    user = reviewer(project)
    pages = (f"inspection/{annotation.public_id}/", "inspection/?week=2026-W10", "inspection/acceptance/")
    for path in pages:
        page = open_page(user, f"/p/{project.slug}/{path}", viewport=PHONE)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
    other_page = open_page(writer, f"/tasks/{annotation.assignment.public_id}/finished/", viewport=PHONE)
    assert other_page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]

"""The gate in a browser: refused, read, signed, at work; new rules ask again; a question and its answer."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from annotation.models import Annotation, Assignment, GuidelineReading, GuidelineVersion, Membership, Question, Role
from annotation.services.people import projects
from epitome.schema import guideline_text
from tests.browser import world
from tests.browser.conftest import PHONE, shows_text

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(transactional_db):
    result = world.news(frozen=True)
    GuidelineVersion.objects.filter(project=result).update(text=guideline_text("macsum-doc"))
    return result


@pytest.fixture
def beginner(project):
    user = world.make_annotator(project)
    GuidelineReading.objects.all().delete()
    return user


def sign(page, leads_to: str = "/tasks/"):
    page.get_by_label("I have read this version of the guideline").check()
    page.get_by_label("I wrote this myself").check()
    page.get_by_label("yes").check()
    page.get_by_role("button", name="Confirm and sign").click()
    page.wait_for_url(lambda url: leads_to in url)


def test_a_new_annotator_is_let_in_by_reading_and_signing_and_asked_again_when_rules_change(
    project, beginner, open_page
):
    page = open_page(beginner, f"/p/{project.slug}/work/")
    page.locator("[data-action=next-task]").click()
    page.wait_for_url("**/gate/")
    assert not Assignment.objects.exists()
    page.get_by_role("button", name="Confirm and sign").click()  # nothing is ticked: the page says so in its words
    page.get_by_text("Tick this when you have read the guideline.").wait_for()
    page.get_by_text("Tick this to sign: without it no task can be given to you.").wait_for()
    assert page.url.endswith("/gate/") and not GuidelineReading.objects.exists()
    sign(page)
    row = GuidelineReading.objects.get()
    assert (row.user, row.consent, row.version.number) == (beginner, True, 1)
    assert Assignment.objects.filter(state="claimed").count() == 2

    text = guideline_text("macsum-doc").replace("of a few words that", "of at most six words that")
    fields = {"change": "rule", "note": "Titles have at most six words."}
    projects.new_guideline_version(project=project, text=text, by=None, **fields)
    page.reload()  # what is held stays open
    expect(page.locator("[data-submit]")).to_be_visible()
    Assignment.objects.update(state="skipped")
    page.goto(page.url.split("/tasks/")[0] + f"/p/{project.slug}/work/")
    shows_text(page.locator("main"), "The rules have changed")
    page.get_by_role("link", name="See what is new").click()
    assert page.locator("ins").all_inner_texts() == ["at most six"]
    assert page.locator("del").all_inner_texts() == ["a few"]
    sign(page, leads_to="/work/")  # every sample has been skipped
    assert GuidelineReading.objects.filter(user=beginner).count() == 2


def test_a_question_is_asked_from_the_task_and_its_ruling_stands_beside_the_guideline(project, open_page):
    writer = world.make_annotator(project)
    reviewer = User.objects.create(username="reviewer")
    Membership.objects.create(user=reviewer, project=project, role=Role.REVIEWER)
    page = open_page(writer, f"/p/{project.slug}/work/")
    page.locator("[data-action=next-task]").click()
    page.wait_for_url("**/tasks/*/")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_label("Your question").fill("Do quotes count as copied?")
    page.get_by_role("button", name="Send question and pause this task").click()
    page.wait_for_url("**/work/")
    shows_text(page.locator("main"), "Waiting for an answer")

    desk = open_page(reviewer, f"/p/{project.slug}/questions/")
    desk.get_by_role("link", name="Answer", exact=True).click()
    desk.get_by_label("Answer", exact=True).fill("Yes, every word does.")
    desk.get_by_label("to everyone, as a ruling").check()
    desk.get_by_role("button", name="Answer", exact=True).click()
    desk.get_by_text("No open questions").wait_for()
    assert Question.objects.get().kind == "ruling"

    page.reload()
    shows_text(page.locator("main"), "Yes, every word does.")
    page.goto(page.url.replace("/work/", "/guideline/"))
    shows_text(page.get_by_role("listitem").filter(has_text="Do quotes"), "Yes, every word does.")
    assert not Annotation.objects.exists()


def test_examples_are_cards_beside_the_text_that_they_summarize(project, beginner, open_page):
    page = open_page(beginner, f"/p/{project.slug}/gate/")
    cards = page.locator(".example-card")
    expect(cards).to_have_count(10)
    expect(cards.first.locator(".chip")).to_have_text(
        ["Length normal", "Extractiveness normal", "Specificity normal", "no topic"]
    )
    expect(cards.first.locator(".status")).to_have_text("good")
    expect(cards.last.locator(".status")).to_have_text("not good")
    cards.last.scroll_into_view_if_needed()
    expect(page.locator(".examples-text")).to_be_in_viewport()  # also while the last one is read
    assert page.evaluate("document.documentElement.scrollHeight") < 2600


def test_the_gate_fits_a_phone(project, beginner, open_page):
    page = open_page(beginner, f"/p/{project.slug}/gate/", viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    sign(page)

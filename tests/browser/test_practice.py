"""The practice in a real browser: staff store an item, an annotator tries it twice, and a second one is let go on."""

from playwright.sync_api import expect

from annotation.models import Assignment, PracticeItem, SourceDocument
from annotation.services.practice import items
from tests.browser import world
from tests.browser.test_interim import check_page
from tests.browser.test_pilot import admin_of
from tests.practice.factories import VALUES, fail_item

REASON = "The request is about fares: only what the crossing costs belongs in it."


def fill_item(page):
    """The form of an item about fares."""
    page.get_by_label("Topic: must be chosen").fill("fares")
    page.get_by_label("Segments that must be marked").fill("5")
    page.get_by_label("Segments that may be marked as well").fill("2")
    page.get_by_label("Shortest summary, in words").fill("4")
    page.get_by_label("Longest summary, in words").fill("12")
    page.get_by_label("Why this is right").fill(REASON)


def answer_item(page, topic, segment, text):
    for name in ("fares", "bread"):
        page.get_by_role("checkbox", name=name, exact=True).set_checked(name == topic, force=True)
    for number in (5, 8):
        page.locator(f'input[name="segment"][value="{number - 1}"]').set_checked(number == segment)
    page.get_by_label("Summary").fill(text)
    page.get_by_role("button", name="Check").click()


def test_staff_store_an_item_and_an_annotator_practises_before_the_first_task(open_page):
    project = world.news(frozen=True, documents=2)
    admin, annotator = admin_of(project), world.make_annotator(project)
    source = SourceDocument.objects.filter(project=project).order_by("pk")[1]

    page = open_page(admin, f"/p/{project.slug}/practice/setup/")
    page.get_by_role("link", name="Add an item").click()
    check_page(page, "practice-choose")
    page.get_by_role("link", name=source.external_id).click()
    fill_item(page)
    check_page(page, "practice-item")
    page.get_by_role("button", name="Add the item").click()
    page.get_by_role("button", name="Start the practice").click()
    page.get_by_text("Practice started.").wait_for()
    check_page(page, "practice-setup")

    other_page = open_page(annotator, f"/p/{project.slug}/work/")
    check_page(other_page, "practice-work")
    other_page.get_by_role("link", name="Go to the practice").click()
    check_page(other_page, "practice-first")
    answer_item(other_page, "bread", 8, "Bread.")
    other_page.get_by_text("Not right yet. You have one more try.").wait_for()
    other_page.get_by_text("Topic: not right here: “bread”.").wait_for()
    other_page.get_by_text(REASON).wait_for()
    expect(other_page.get_by_text("4 to 12 words")).to_have_count(0)
    expect(other_page.get_by_role("checkbox", name="bread", exact=True)).to_be_checked()
    check_page(other_page, "practice-wrong")
    answer_item(other_page, "fares", 5, "Fares rise for visitors to five crowns.")
    other_page.get_by_text("4 to 12 words").wait_for()
    check_page(other_page, "practice-right")
    other_page.get_by_role("button", name="Next task").click()
    other_page.wait_for_url("**/tasks/**")
    assert Assignment.objects.filter(annotator=annotator, state="claimed").exists()


def test_the_team_lets_somebody_go_on_who_passed_too_few(open_page):
    project = world.news(frozen=True, documents=2)
    admin, annotator = admin_of(project), world.make_annotator(project)
    source = items.usable_sources(project)[1]
    right = {"segments": {"needed": [4], "also": []}, "length": {"low": 5, "high": 9}}
    items.add_item(project=project, source=source, values=VALUES, right=right, reason=REASON, by=admin)
    items.change_practice(project=project, by=admin, on=True)
    fail_item(PracticeItem.objects.get(), annotator, {"segments": [1], "text": "Too short."})

    other_page = open_page(annotator, f"/p/{project.slug}/practice/")
    other_page.get_by_text("Too few items passed").wait_for()
    check_page(other_page, "practice-below")
    page = open_page(admin, f"/p/{project.slug}/practice/setup/")
    page.get_by_text("below the share to pass").wait_for()
    check_page(page, "practice-people")
    page.get_by_role("button", name=f"Let {annotator.username} go on").click()
    page.get_by_text("let go on by the team").wait_for()
    other_page.reload()
    other_page.get_by_role("button", name="Next task").click()
    other_page.wait_for_url("**/tasks/**")

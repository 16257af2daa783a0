"""Aggregation tasks in a browser: the gate, answers by keyboard, the next task, a phone, remarks that never block."""

import pytest
from playwright.sync_api import expect

from annotation.models import Annotation, Draft, GuidelineReading, Role
from tests.aggregations.factories import make_instances
from tests.browser import world
from tests.browser.conftest import DESK, PHONE, shows_text
from tests.browser.test_authorship import paste
from tests.browser.test_every_page import AXE, AXE_RUN
from tests.browser.test_gate import sign
from tests.tasks.factories import make_people


@pytest.fixture
def project(transactional_db, tmp_path):
    return make_instances(tmp_path)


def open_task(open_page, project, **options):
    page = open_page(world.make_annotator(project), f"/p/{project.slug}/work/", **options)
    page.locator("[data-action=next-task]").first.click()
    page.wait_for_selector("[data-task][data-ready]")
    return page


def wait_for_next(page, before):
    page.wait_for_function("before => location.href !== before", arg=before)
    page.wait_for_selector("[data-task][data-ready]")


def find_faults(page):
    page.evaluate(f"() => {{ {AXE.read_text(encoding='utf-8')} }}")
    return page.evaluate(AXE_RUN)


def test_from_the_gate_to_the_third_task_by_keyboard(project, open_page):
    annotator = world.make_annotator(project)
    GuidelineReading.objects.all().delete()
    page = open_page(annotator, f"/p/{project.slug}/work/")
    page.locator("[data-action=next-task]").click()
    page.wait_for_url("**/gate/")
    expect(page.get_by_role("heading", name="Worked examples: organizations")).to_be_visible()
    sign(page)
    page.wait_for_selector("[data-task][data-ready]")

    columns = page.locator(".entity")
    assert columns.locator("h2").all_inner_texts() == ["Dunmere", "Port Issel"]
    link = columns.first.get_by_role("link")
    assert link.get_attribute("href") == "https://en.wikipedia.org/wiki/Dunmere"
    assert (link.get_attribute("target"), link.get_attribute("rel")) == ("_blank", "noopener")
    shows_text(page.locator(".panel"), "In this article, Dunmere and Port Issel are discussed. The two areas")
    mentions = page.locator("mark.mention")
    assert sorted(set(mentions.all_inner_texts())) == ["Dunmere", "Port Issel"]
    mentions.first.click()
    assert "is-named" in mentions.first.get_attribute("class")

    page.keyboard.press("Control+Enter")
    shows_text(page.locator("[data-submit-said]"), "Still to do: write one phrase")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    page.keyboard.type("the two areas")
    page.keyboard.press("Enter")  # to the second box, which says something about the first
    expect(page.locator("#hint-1")).to_have_text(
        "This says no more than their type. What else do they have in common?", use_inner_text=True
    )
    page.keyboard.type("the coastal towns")
    url_before = page.url
    page.keyboard.press("Control+Enter")
    wait_for_next(page, url_before)
    assert Annotation.objects.get().payload == {"answers": ["the two areas", "the coastal towns"], "cannot": False}
    assert page.locator("#answer-1").input_value() == ""

    page.keyboard.press("x")
    expect(page.get_by_label("These cannot be aggregated")).to_be_checked()
    url_before = page.url
    page.keyboard.press("Control+Enter")
    wait_for_next(page, url_before)
    assert Annotation.objects.order_by("pk")[1].payload == {"answers": [], "cannot": True}
    assert find_faults(page) == []


def test_on_a_phone_entities_stack_and_nothing_is_hidden(project, open_page):
    page = open_task(open_page, project, viewport=PHONE, has_touch=True, is_mobile=True)
    boxes = [box.bounding_box() for box in page.locator(".entity").all()]
    assert boxes[0]["x"] == boxes[1]["x"] and boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.locator("mark.mention").first.tap()
    expect(page.locator("mark.mention.is-named")).to_have_count(1)
    page.locator("#answer-1").fill("the towns")
    page.get_by_role("button", name="Submit", exact=True).click()
    page.wait_for_function("() => document.querySelector('#answer-1').value === ''")
    assert Annotation.objects.get().payload["answers"] == ["the towns"]
    assert find_faults(page) == []


def test_how_the_phrases_came_about_is_counted_with_consent(project, open_page):
    page = open_task(open_page, project, permissions=["clipboard-read", "clipboard-write"])
    name = page.locator(".entity h2").first.inner_text()
    page.locator("#answer-1").click()
    page.keyboard.type("towns of ")
    paste(page, name)
    paste(page, " and the hinterland of elsewhere")
    page.keyboard.press("Control+A")
    page.keyboard.press("Control+C")
    page.locator("#answer-2").click()
    page.keyboard.press("Control+V")
    page.keyboard.press("Backspace")
    url_before = page.url
    page.keyboard.press("Control+Enter")
    wait_for_next(page, url_before)
    counts = Annotation.objects.get().authorship
    written = len(f"towns of {name} and the hinterland of elsewhere")
    assert (counts["typed"], counts["deleted"]) == (len("towns of "), 1)
    assert counts["pasted"] == {"source": len(name), "outside": len(" and the hinterland of elsewhere"), "own": written}


def test_without_consent_nothing_is_counted(project, open_page):
    annotator = world.make_annotator(project)
    GuidelineReading.objects.update(consent=False)
    page = open_page(annotator, f"/p/{project.slug}/work/")
    page.locator("[data-action=next-task]").first.click()
    page.wait_for_selector("[data-task][data-ready]")
    page.locator("#answer-1").click()
    page.keyboard.type("the towns")
    url_before = page.url
    page.keyboard.press("Control+Enter")
    wait_for_next(page, url_before)
    assert Annotation.objects.get().authorship == {}


def test_a_draft_survives_a_reload_and_being_offline(project, open_page):
    page = open_task(open_page, project)
    page.locator("#answer-1").fill("the towns and ports")
    page.locator("#answer-2").focus()
    expect(page.locator("#hint-1")).to_have_text(
        "This looks like a list. One phrase should cover all of them.", use_inner_text=True
    )
    page.wait_for_selector("[data-save-state][data-state=saved]")
    page.wait_for_function("() => document.querySelector('[data-short]').textContent.startsWith('Saved ')")
    assert Draft.objects.get().payload == {"answers": ["the towns and ports", ""], "cannot": False}
    page.context.set_offline(True)
    page.locator("#answer-2").fill("the harbours")
    page.get_by_role("button", name="Submit", exact=True).click()
    shows_text(page.locator("[data-submit-said]"), "Your answer is saved on this device")
    url_before = page.url
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    wait_for_next(page, url_before)
    assert Annotation.objects.get().payload["answers"] == ["the towns and ports", "the harbours"]


def test_two_tabs_ask_which_version_to_keep(project, open_page):
    page = open_task(open_page, project)
    other = open_page(None, page.url[page.url.index("/tasks/") :], context=page.context)
    other.wait_for_selector("[data-task][data-ready]")
    page.locator("#answer-1").fill("the towns")
    page.wait_for_function("() => document.querySelector('[data-short]').textContent.startsWith('Saved ')")
    other.locator("#answer-1").fill("the ports")
    other.wait_for_selector("[data-conflict]:not([hidden])")
    expect(other.locator("[data-conflict-theirs]")).to_have_text("the towns", use_inner_text=True)
    other.get_by_role("button", name="Keep this version").click()
    other.wait_for_function("() => document.querySelector('[data-short]').textContent.startsWith('Saved ')")
    assert other.locator("#answer-1").input_value() == "the ports"
    assert Draft.objects.get().payload["answers"][0] == "the ports"


def test_reviewers_and_writers_read_the_instance_beside_the_answer(project, open_page):
    page = open_task(open_page, project)
    page.locator("#answer-1").fill("the coastal towns")
    page.get_by_role("button", name="Submit and stop").click()
    page.wait_for_url("**/work/**")
    annotation = Annotation.objects.get()
    Annotation.objects.update(payload={**annotation.payload, "cannot": True})
    page.goto(page.url.split("/p/")[0] + f"/tasks/{annotation.assignment.public_id}/finished/")
    expect(page.locator(".entity")).to_have_count(2)
    shows_text(page.locator("main"), "the coastal towns")
    reviewer = make_people(1, project, Role.REVIEWER)[0]
    page = open_page(reviewer, f"/p/{project.slug}/inspection/{annotation.public_id}/", viewport=DESK)
    text = page.locator("main").inner_text()
    assert "the coastal towns" in text and "fishing town" in text
    assert "These cannot be aggregated." in text
    assert "Relevant segments" not in text and "marked as relevant" not in text
    assert find_faults(page) == []

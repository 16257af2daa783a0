"""Errors marked in a summary by keyboard, mouse and touch: saved, restored, and read when the round is over."""

import json

import pytest
from playwright.sync_api import expect

from annotation.models import Role
from evaluation.models import Judgement
from evaluation.services.monitoring import round_control
from tests.browser import world
from tests.browser.conftest import PHONE, shows_text
from tests.browser.test_round_forms import find_faults
from tests.browser.test_rounds import shot
from tests.rounds.factories import claim, launch_new_round, make_run, member, project_with_gold
from tests.span_errors.factories import mark, round_text

SUMMARY = "The 🚢 council refused to pay for the night ferry."
ONLY_LEAD = '[[target]]\nkind = "gold"\n'
SELECT = """([from, to]) => {
  const node = document.querySelector("[data-summary]").firstChild;
  const start = node.textContent.indexOf(from);
  getSelection().setBaseAndExtent(node, start, node, node.textContent.indexOf(to) + to.length);
}"""


@pytest.fixture
def item(open_page, db):
    """open(template, **context) -> (page of the rater's only item, assignment)."""

    def open_it(template="error-spans-mqm", **context):
        project = project_with_gold(documents=3, segments=world.document_segments(world.NEWS), topics=2)
        make_run(project, "lead", text=SUMMARY)
        rater = member(project, "rater1", Role.RATER)
        text = round_text(template, n=1, n_raters=1).replace(ONLY_LEAD, "")
        round_ = launch_new_round(project, text=text)
        assignment = claim(round_, rater)
        page = open_page(rater, f"/items/{assignment.public_id}/", **context)
        page.wait_for_selector("[data-rate][data-ready]")
        return page, assignment

    return open_it


def stored_marks():
    return json.loads(Judgement.objects.get(question="errors").answer)


def wait_saved(page):
    page.wait_for_selector('[data-save-state][data-state="saved"]:has-text("Saved")')


def test_errors_are_marked_by_keyboard_alone(item):
    page, _assignment = item()
    shows_text(page.locator("[data-left]"), "1 question left")
    page.keyboard.press("m")  # the first word
    for _word in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    assert page.inner_text("[data-mark-quote]") == "refused to"
    page.keyboard.press("1")
    page.keyboard.press("3")
    assert page.locator("[data-marks] li").all_inner_texts() == ["Accuracy, Critical\nrefused to"]
    page.keyboard.press("+")
    page.keyboard.press("1")
    shows_text(page.locator("[data-marks]"), "Something is missing, Minor")
    assert page.get_by_label("No errors").is_disabled() and "All answered" in page.inner_text("[data-left]")
    page.keyboard.press("z")
    expect(page.locator("[data-marks] li")).to_have_count(1)
    wait_saved(page)
    # The ship is one character, of two units in the browser.
    assert stored_marks() == [mark(14, 24, severity="critical")]
    page.reload()
    page.wait_for_selector("[data-rate][data-ready]")
    shows_text(page.locator("[data-marks]"), "refused to")
    page.get_by_role("button", name="Remove the mark: Accuracy, Critical").press("Enter")
    page.keyboard.press("0")
    with page.expect_navigation():
        page.get_by_role("button", name="Next").press("Enter")
    assert stored_marks() == []


def test_words_are_marked_by_mouse_and_a_cancelled_choice_marks_nothing(item):
    page, _assignment = item()
    page.evaluate(SELECT, ["refused", "pay"])
    page.get_by_role("group", name="Category").get_by_text("Fluency").wait_for()
    page.get_by_role("button", name="Cancel").click()
    assert page.locator("[data-mark-offer]").is_hidden() and not page.locator("[data-marks] li").count()
    page.evaluate(SELECT, ["night", "ferry"])
    page.get_by_role("button", name="Fluency").click()
    page.get_by_role("button", name="Minor").click()
    assert page.evaluate("() => [...CSS.highlights.get('error-1')].map(String)") == ["night ferry"]
    page.evaluate(SELECT, ["ferry", "ferry"])
    page.get_by_role("button", name="Relevance").click()
    page.keyboard.press("Escape")
    expect(page.locator("[data-marks] li")).to_have_count(1)
    wait_saved(page)
    assert stored_marks() == [mark(37, 48, "fluency", "minor")]


@pytest.mark.slow
def test_marks_and_a_score_on_a_phone(item):
    page, _assignment = item("error-spans-esa", viewport=PHONE, has_touch=True)
    page.evaluate(SELECT, ["refused", "refused"])
    major = page.get_by_role("button", name="Major")
    box = major.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"]
    major.tap()
    assert page.inner_text("[data-marks] .mark-kind") == "Major"
    page.get_by_label("Number from 0 to 100").fill("40")
    page.get_by_label("Number from 0 to 100").blur()
    with page.expect_navigation():
        page.get_by_role("button", name="Next").tap()
    assert stored_marks() == [{"start": 14, "end": 21, "severity": "major"}]


@pytest.mark.slow
@pytest.mark.parametrize("template", ["error-spans-mqm", "error-spans-esa"])
def test_the_page_of_marks_fits_and_is_accessible_with_the_offer_open(item, template):
    page, _assignment = item(template)
    page.evaluate(SELECT, ["refused", "ferry"])
    page.wait_for_selector("[data-mark-offer]:visible")
    shot(page, f"{template}-offer")
    # The offer floats over the page, as it should.
    assert [fault for fault in find_faults(page) if "is painted over" not in fault] == []
    page.keyboard.press("1")
    if template == "error-spans-mqm":
        page.keyboard.press("2")
    shot(page, f"{template}-marked")
    assert page.locator("[data-marks] li").count() == 1 and find_faults(page) == []


def test_marks_can_be_read_when_the_round_is_over(item):
    page, assignment = item()
    page.evaluate(SELECT, ["refused", "pay"])
    page.keyboard.press("1")
    page.keyboard.press("2")
    wait_saved(page)
    round_control.apply_action(round_=assignment.round, action="close", by=None)
    page.reload()
    page.wait_for_selector("[data-rate][data-ready]")
    assert page.locator("[data-marks] li").all_inner_texts() == ["Accuracy, Major\nrefused to pay"]
    expect(page.get_by_role("button", name="Choose words")).to_be_disabled()
    expect(page.get_by_role("button", name="Remove the mark")).to_have_count(0)

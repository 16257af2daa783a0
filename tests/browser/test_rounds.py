"""A round from its form to the export: the researcher launches and closes, two raters answer by keyboard alone."""

import json
import os
from pathlib import Path

from playwright.sync_api import expect

from annotation.models import Role
from evaluation.models import Adjudication, Judgement, Round
from evaluation.services.monitoring import round_control
from tests.browser import world
from tests.browser.conftest import PHONE, shows_text
from tests.rounds.factories import (
    claim,
    config,
    launch_new_round,
    make_run,
    member,
    project_with_gold,
    rate_all,
    raters_of,
)
from tests.rounds.forms import list_round, single_round

SHOTS = os.environ.get("EPITOME_SHOTS", "")


def shot(page, name, *, whole=False):
    """Screenshots to look at, where a folder is named. whole: the page below the window too."""
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS) / f"{name}.png"), full_page=whole)


def ready(page):
    page.wait_for_selector("[data-rate][data-ready]")
    return page


def rate_by_keyboard(page, answers):
    """Every item: one key for each question, Enter for the next."""
    items = 0
    while page.locator("[data-rate]").count():
        ready(page)
        for _question in range(page.locator("[data-question]").count()):
            page.keyboard.press(next(answers))
        with page.expect_navigation():
            page.keyboard.press("Enter")
        items += 1
    return items


def keys():
    while True:
        yield from "ynyyn"


def test_launched_rated_by_keyboard_and_closed(open_page):
    project = project_with_gold(documents=3, segments=world.document_segments(world.NEWS), topics=2)
    make_run(project, "lead", text="The regional council voted 14 to 9 on Tuesday to pay. Fares will rise.")
    researcher = member(project, "researcher", Role.RESEARCHER)
    raters = [member(project, name, Role.RATER) for name in ("rater1", "rater2")]

    page = open_page(researcher, f"/p/{project.slug}/rounds/")
    page.get_by_role("link", name="New round").first.click()
    page.get_by_label("Name").fill("Lead against gold")
    page.get_by_label("Samples per target").fill("2")
    page.get_by_label("lead (revision 1)").check()
    shot(page, "round-new")
    page.get_by_role("button", name="Check design").click()
    page.get_by_text("Judgements").first.wait_for()
    shot(page, "round-design")
    page.get_by_role("button", name="Save draft").click()
    page.locator("summary", has_text="Launch").click()
    page.get_by_role("button", name="Launch the round").click()
    page.get_by_text("Round launched").wait_for()

    for rater in raters:
        other_page = open_page(rater, "/")
        other_page.get_by_role("link", name="My rounds").first.press("Enter")
        other_page.get_by_role("link", name="Read the instructions").press("Enter")
        other_page.get_by_label("I have read the instructions").press("Space")
        shot(other_page, "instructions")
        other_page.get_by_role("button", name="Confirm and continue").press("Enter")
        ready(other_page)
        assert (
            "Lead against gold" not in other_page.content()
            and "lead" not in other_page.inner_text("main").casefold().split()
        )
        shot(other_page, "item")
        assert rate_by_keyboard(other_page, keys()) == 4
        text = "All items are rated" if rater == raters[-1] else "You have rated all your items"
        shows_text(other_page.locator("main"), text)

    assert Judgement.objects.count() == 2 * 4 * 3
    page.reload()
    shows_text(page.locator("main"), "8 of 8")
    shot(page, "round")
    page.get_by_role("button", name="Close").click()
    page.get_by_role("link", name="Unblind").click()
    shows_text(page.locator("main"), "8 of 8 ratings are in. Unblinding cannot be undone.")
    page.get_by_label("Name of the round").fill("Lead against gold")
    page.get_by_role("button", name="Unblind").click()
    page.wait_for_url("**/report/")
    page.goto(page.url.replace("/report/", "/"))
    page.locator("summary", has_text="Download").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Judgements (JSONL)").click()
    lines = [json.loads(line) for line in Path(download.value.path()).read_text().splitlines()]
    assert {line["system"] for line in lines} == {"gold", "lead"} and len(lines) == 24


def test_answers_given_offline_arrive_once_on_a_phone(open_page):
    project = project_with_gold(documents=3, segments=world.document_segments(world.NEWS), topics=2)
    rater = member(project, "rater1", Role.RATER)
    round_ = launch_new_round(project, text=config(n_raters=1, n=2))
    view = claim(round_, rater)
    page = ready(open_page(rater, f"/items/{view.public_id}/", viewport=PHONE))
    shot(page, "item-phone")
    page.context.set_offline(True)
    for answer in page.locator("[data-question]").all():
        answer.get_by_label("Yes").check()
    page.get_by_role("button", name="Next").click()
    page.get_by_text("will be sent automatically").wait_for()
    assert Judgement.objects.count() == 0
    with page.expect_navigation():
        page.context.set_offline(False)
        page.evaluate("dispatchEvent(new Event('online'))")
    assert Judgement.objects.filter(answer="yes").count() == 3
    assert Round.objects.get().item_assignments.filter(state="done").count() == 1


def test_lists_are_picked_and_ranked_by_letters_with_a_reason(open_page):
    project = project_with_gold(documents=3, segments=world.document_segments(world.NEWS), topics=2)
    make_run(project, "lead")
    make_run(project, "tail")
    rater = member(project, "rater1", Role.RATER)
    round_ = launch_new_round(project, text=list_round(n=1, n_raters=1))
    view = claim(round_, rater)
    page = ready(open_page(rater, f"/items/{view.public_id}/"))
    shot(page, "list")
    for key in ("b", "c"):
        page.keyboard.press(key)
    page.keyboard.type("B is true.")  # the reason has the focus once both are picked
    page.keyboard.press("Escape")
    page.locator('[data-question="rank"] input').first.focus()
    for key in ("c", "b", "b", "a", "b"):
        page.keyboard.press(key)
    page.get_by_text("All answered").wait_for()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    answers = dict(Judgement.objects.values_list("question", "answer"))
    assert answers == {"pick": "b>c", "rank": "c>a>b"} or answers == {"pick": "b>c", "rank": "c>b>a"}
    assert Judgement.objects.get(question="pick").why == "B is true."


def test_several_answers_by_digits_and_a_number_by_its_slider(open_page):
    project = project_with_gold(documents=3, segments=world.document_segments(world.NEWS), topics=2)
    make_run(project, "lead")
    rater = member(project, "rater1", Role.RATER)
    round_ = launch_new_round(project, text=single_round(n=1, n_raters=1))
    view = claim(round_, rater)
    page = ready(open_page(rater, f"/items/{view.public_id}/", viewport=PHONE))
    shot(page, "several-phone")
    for key in ("0", "1", "3"):
        page.keyboard.press(key)
    slider = page.get_by_role("slider")
    slider.focus()
    for _step in range(3):
        slider.press("ArrowRight")
    assert page.locator("input[type=number]").input_value() == "15"
    with page.expect_navigation():
        page.get_by_role("button", name="Next").click()
    assert dict(Judgement.objects.values_list("question", "answer")) == {
        "faults": "wrong fact; hard to read",
        "score": "15",
    }


def test_a_disagreement_is_decided_by_keyboard_beside_the_source(open_page):
    project = project_with_gold(documents=3, segments=world.document_segments(world.NEWS), topics=2)
    raters_of(project)
    round_ = launch_new_round(project, text=config(n=2))
    for row, answer in zip(round_.raters.order_by("pk"), ("yes", "no"), strict=True):
        rate_all(round_, row.rater, answer)
    round_control.apply_action(round_=round_, action="unblind", by=None)
    judge = member(project, "judge", Role.RESEARCHER)
    page = open_page(judge, f"/p/{project.slug}/rounds/{round_.public_id}/disagreements/")
    page.wait_for_selector("[data-decide][data-ready]")
    shows_text(page.locator("main"), "1 of 6")
    page.keyboard.press("c")
    page.locator("[data-runs-box]").wait_for()
    with page.expect_navigation():
        page.keyboard.press("y")
    page.wait_for_selector("[data-decide][data-ready]")
    shows_text(page.locator("main"), "2 of 6")
    with page.expect_navigation():
        page.keyboard.press("n")
    assert list(Adjudication.objects.order_by("pk").values_list("answer", flat=True)) == ["yes", "no"]


def test_unsure_marks_the_question_just_answered_until_another_one_is_chosen(open_page):
    project = project_with_gold(documents=3, segments=world.document_segments(world.NEWS), topics=2)
    rater = member(project, "rater1", Role.RATER)
    view = claim(launch_new_round(project, text=config(n_raters=1, n=2)), rater)
    page = ready(open_page(rater, f"/items/{view.public_id}/"))
    first, second, third = view.item.questions
    page.keyboard.press("y")
    assert page.locator(".takes-unsure").get_attribute("data-question") == first
    page.keyboard.press("u")
    expect(page.locator("[data-left]")).to_have_text("Question 1: unsure. 2 questions left", use_inner_text=True)
    page.keyboard.press("n")
    page.keyboard.press("Tab")  # the person goes on to the third question: the key is now for that one
    page.keyboard.press("u")
    expect(page.locator("[data-left]")).to_have_text("Question 3: unsure. 1 question left", use_inner_text=True)
    page.keyboard.press("y")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    stored = Judgement.objects.filter(item_assignment__public_id=view.public_id)
    assert {key: (answer, unsure) for key, answer, unsure in stored.values_list("question", "answer", "unsure")} == {
        first: ("yes", True),
        second: ("no", False),
        third: ("yes", True),
    }

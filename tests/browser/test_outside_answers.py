"""An admin brings errors that people marked in other tools into a round: counts first, words chosen, then stored."""

import json

import pytest
from playwright.sync_api import expect

from annotation.models import Role
from evaluation.models import Judgement
from tests.browser.test_round_forms import find_faults
from tests.browser.test_rounds import shot
from tests.outside.factories import (
    KILLED,
    WOLF,
    factgenie_entry,
    judged,
    outside_project,
    outside_round,
    pearmut_file,
)
from tests.rounds.factories import member


@pytest.fixture
def round_page(open_page, db):
    """open(template) -> the page of a launched round of marked errors, as an admin sees it."""

    def open_it(template):
        round_ = outside_round(outside_project(), template)
        admin = member(round_.project, "the-admin", Role.ADMIN)
        return open_page(admin, f"/p/wolves/rounds/{round_.public_id}/")

    return open_it


def choose_files(page, *files):
    page.get_by_role("link", name="Import answers made elsewhere").click()
    page.get_by_role("heading", name="Import answers made elsewhere").wait_for()
    shot(page, "outside-choose", whole=True)
    page.locator("input[name=file]").set_input_files(files)
    page.get_by_role("heading", name="Check and import").wait_for()


def test_answers_of_pearmut_come_in_in_four_clicks(round_page, tmp_path):
    page = round_page("error-spans-esa")
    entries = [judged(), judged("shy-fox"), judged("shy-fox", output=WOLF.replace("June", "July"), comment="Odd")]
    choose_files(page, pearmut_file(tmp_path, *entries))
    expect(page.locator("main")).to_contain_text("the round has “ne.”, the file “ly.”")
    assert not Judgement.objects.exists()
    assert find_faults(page) == []
    shot(page, "outside-pearmut", whole=True)
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("Imported: 2 ratings by 2 outside raters, from Pearmut.").wait_for()
    expect(page.get_by_role("row", name="outside rater 2")).to_contain_text("imported, included")
    assert Judgement.objects.filter(question="errors").count() == 2
    assert find_faults(page) == []
    page.get_by_role("button", name="Remove answers outside rater 1").click()
    page.get_by_text("1 imported rating removed.").wait_for()
    expect(page.get_by_role("row", name="outside rater 2")).to_have_count(0)
    assert Judgement.objects.filter(question="errors").count() == 1


def test_words_that_the_round_does_not_have_are_chosen_in_the_preview(round_page, tmp_path):
    page = round_page("error-spans-mqm")
    path = tmp_path / "reader.jsonl"
    spans = [{"type": 0, "text": "June", "start": 32}, {"type": 1, "text": "sheep.", "start": 48}]
    path.write_text(json.dumps(factgenie_entry(KILLED, annotations=spans)), encoding="utf-8")
    choose_files(page, path)
    expect(page.get_by_label("No severity")).to_have_value("")
    assert find_faults(page) == []
    shot(page, "outside-factgenie", whole=True)
    page.get_by_label("No severity").select_option(label="Major")
    page.get_by_label("Category “Contradiction”").select_option(label="Accuracy")
    page.get_by_label("Category “Not checkable”").select_option(label="Leave out")
    page.get_by_role("button", name="Count again").click()
    expect(page.get_by_text("marks of the category “Not checkable”")).to_be_visible()
    assert not Judgement.objects.exists()
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("Imported: 1 rating by 1 outside rater, from factgenie.").wait_for()
    assert json.loads(Judgement.objects.get().answer) == [
        {"start": 31, "end": 35, "category": "accuracy", "severity": "major"}
    ]

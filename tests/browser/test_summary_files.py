"""From a table of summaries to a running blind round: counted clicks, and a rater who rates by a link."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from evaluation.models import Judgement, Round, RoundState
from modelbridge.models import SystemOutput
from tests.browser.conftest import PHONE
from tests.summary_files.tables import as_csv, wide_rows


@pytest.fixture
def admin(transactional_db) -> User:
    return User.objects.create_superuser("admin")


class Clicks:
    """Presses things by their names, and counts."""

    def __init__(self, page) -> None:
        self.page, self.n = page, 0

    def press(self, role: str, name: str) -> None:
        self.page.get_by_role(role, name=name).first.click()
        self.n += 1


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "news.csv"
    path.write_bytes(as_csv(wide_rows(systems=("bart", "lead", "pegasus"))))
    return path


def start_round(open_page, admin, table):
    """From the start page to a running round; the page with the links, and the clicks."""
    page = open_page(admin, "/")
    clicks = Clicks(page)
    clicks.press("link", "New project")
    page.wait_for_url("**/projects/new/")
    clicks.press("link", "Evaluate summaries I have")
    page.wait_for_url("**/projects/new/evaluate/")
    page.locator("input[name=file]").set_input_files(table)
    clicks.n += 2  # the button of the file, and the file in the dialog
    page.get_by_role("heading", name="Check the table").wait_for()
    clicks.press("button", "Create project")
    page.get_by_role("heading", name="Evaluate summaries").wait_for()
    clicks.press("button", "Start a blind round")
    page.get_by_role("heading", name="Links for the raters").wait_for()
    return page, clicks


def test_a_round_runs_within_twelve_clicks(open_page, admin, table):
    page, clicks = start_round(open_page, admin, table)

    assert clicks.n <= 12, clicks.n
    round_ = Round.objects.get()
    assert (round_.state, round_.n_items) == (RoundState.OPEN, 24)
    page.get_by_role("link", name="Open the round").click()
    page.wait_for_url(f"**/rounds/{round_.public_id}/")


def test_a_rater_rates_by_the_link_and_sees_no_name_of_a_system(open_page, chromium, admin, table, live_server):
    page, _clicks = start_round(open_page, admin, table)
    link = page.locator(".rater-links code").first.inner_text()

    rater = chromium.new_context(viewport=PHONE, locale="en-GB").new_page()
    rater.goto(link)
    rater.get_by_role("button", name="Start").click()
    rater.get_by_role("link", name="Read the instructions").click()
    rater.get_by_label("I have read the instructions").check()
    rater.get_by_role("button", name="Confirm and continue").click()
    rater.wait_for_selector("[data-rate][data-ready]")
    expect(rater.locator("[data-question]")).to_have_count(5)
    page_text = rater.content().lower()
    assert [name for name in ("bart", "lead<", "pegasus") if name in page_text] == []
    for _question in range(5):
        rater.keyboard.press("4")
    with rater.expect_navigation():
        rater.keyboard.press("Enter")
    rater.wait_for_selector("[data-rate][data-ready]")
    assert sorted(Judgement.objects.values_list("question", flat=True)) == [
        "coherence", "consistency", "fluency", "overall", "relevance",
    ]  # fmt: skip
    rater.context.close()


def test_what_is_missing_is_named_before_anything_is_stored(open_page, admin, tmp_path):
    rows = wide_rows(systems=("bart", "lead"))
    for number in (1, 2, 4):
        rows[number]["bart"] = ""
    rows[2]["lead"] = ""
    path = tmp_path / "holes.csv"
    path.write_bytes(as_csv(rows))
    page = open_page(admin, "/projects/new/evaluate/")

    page.locator("input[name=file]").set_input_files(path)

    expect(page.get_by_role("row", name="bart 3 a1, a2, a4")).to_be_visible()
    expect(page.get_by_text("3 of 6 texts have a summary of every system.")).to_be_visible()
    assert not SystemOutput.objects.exists() and not Judgement.objects.exists()


def test_columns_are_changed_on_the_page(open_page, admin, table):
    page = open_page(admin, "/projects/new/evaluate/")
    page.locator("input[name=file]").set_input_files(table)
    page.get_by_label("Use column pegasus as").select_option("Don’t import")
    page.get_by_role("button", name="Update").click()
    rows = page.locator("section[aria-labelledby=recognized-title] tbody th")
    expect(rows).to_have_text(["bart", "lead"])

"""A round that may stop: designed with its curve, looked at in both themes and on a phone, and closed by its rule."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotation.models import AuditEvent, Role
from evaluation.models import Round
from evaluation.services.rating import answers as rating_answers
from evaluation.services.reports import report_jobs
from evaluation.services.reports.interim import analyse_interim
from evaluation.services.rounds import instructions as round_instructions
from tests.api.world import work_off
from tests.browser.conftest import DESK, PHONE, shows_text
from tests.browser.test_every_page import SCHEMES
from tests.browser.test_round_forms import find_faults
from tests.reports.test_pilot_to_report import JUDGES, let_judge, make_pilot, rate
from tests.rounds.factories import answers_for, claim, launch_new_round, make_run, member, project_with_gold
from tests.rounds.judged import judged_config, make_judge, stopping_config

SHOTS = os.environ.get("EPITOME_SHOTS", "")


def shot(page, name):
    """Screenshots to look at, where a folder is named."""
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS) / f"{name}.png"), full_page=True)


def check_page(page, name):
    """Nothing overflows at any width, and axe finds nothing serious in either theme."""
    assert find_faults(page) == [], name
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        for size in (DESK, PHONE):
            page.set_viewport_size(size)
            shot(page, f"{name}-{scheme}-{size['width']}")
    page.set_viewport_size(DESK)


@pytest.fixture
def desk(transactional_db):
    project = project_with_gold(documents=20)
    make_run(project, "lead")
    return project, member(project, "rater1", Role.RATER), member(project, "researcher", Role.RESEARCHER)


def confirm_reading(made):
    """Everybody has read the instructions."""
    for row in made.raters.select_related("rater"):
        result = round_instructions.instructions_hash(made)
        round_instructions.confirm_instructions(round_=made, rater=row.rater, shown_hash=result)


def rate_apart(made, rater, n):
    """Yes about one of the two systems, no about the other."""
    for _item in range(n):
        view = claim(made, rater)
        answer = "yes" if view.item.targets[0]["target"] == "gold" else "no"
        rating_answers.save_answers(assignment=view, payload=answers_for(view, answer), finish=True)


def test_a_round_is_looked_at_and_closed_by_its_rule(open_page, desk):
    project, rater, researcher = desk
    text = stopping_config(n=20, n_raters=1, head="apart = 5", more='questions = ["specificity"]')
    round_ = launch_new_round(project, text=text)
    rate_apart(round_, rater, 10)
    page = open_page(researcher, f"/p/{project.slug}/rounds/{round_.public_id}/")
    page.get_by_role("link", name="Interim analysis").click()
    expect(page.get_by_role("button", name="Close the round")).to_have_count(0)
    figure = page.get_by_role("img", name="−")
    figure.wait_for()
    assert "After 5 sources the mean is" in figure.inner_html()
    rate_apart(round_, rater, 30)
    page.reload()
    assert "The stopping rule is met." in page.inner_text("main") and "20 of 20" in page.inner_text("main")
    check_page(page, "interim")
    page.get_by_role("button", name="Close the round").click()
    page.get_by_text("Round closed by its stopping rule.").wait_for()
    assert Round.objects.get(pk=round_.pk).state == "closed" and AuditEvent.objects.filter(verb="round.stop").exists()


def test_the_design_shows_the_curve_and_the_round_waits_for_its_judges(open_page, desk):
    project, rater, researcher = desk
    make_judge(project)
    make_judge(project, "second")
    text = judged_config(n=20, n_raters=1, share="n_for_people = 8", choice="active", judges=("judge", "second"))
    page = open_page(researcher, f"/p/{project.slug}/rounds/new/")
    page.get_by_text("Use an existing design (TOML)").click()
    page.locator("textarea").fill(text)
    page.get_by_role("button", name="Check the design").click()
    page.get_by_role("img", name="± points of a difference").wait_for()
    shows_text(page.locator("main"), "8 (this design)")
    check_page(page, "certainty")
    page.get_by_role("button", name="Save draft").click()
    page.locator("summary", has_text="Launch").click()
    page.get_by_role("button", name="Launch the round").click()
    page.get_by_text("Waiting for the judges.").wait_for()
    other_page = open_page(rater, f"/p/{project.slug}/rating/")
    assert "not open yet" in other_page.inner_text("main") and "judge" not in other_page.inner_text("main").casefold()


@pytest.fixture
def larger(transactional_db):
    """Forty samples' worth of sources, two judges, one rater."""
    project = project_with_gold(documents=40)
    make_run(project, "lead")
    judges = [make_judge(project, key) for key in JUDGES]
    return project, member(project, "rater1", Role.RATER), member(project, "researcher", Role.RESEARCHER), judges


def test_from_the_pilot_to_the_end_by_the_rule(open_page, larger):
    """Pilot, planner from it, launch, run, stop by the rule, report: as the researcher sees it."""
    project, rater, researcher, judges = larger
    make_pilot(project, rater, judges)
    text = judged_config(n=40, n_raters=1, judges=JUDGES, head="apart = 5", more='pilot = "Pilot"')
    text += '[stopping]\nrule = "decided"\nquestions = ["specificity"]\n[pay]\namount = 0.4\ncurrency = "EUR"\n'
    page = open_page(researcher, f"/p/{project.slug}/rounds/new/")
    page.get_by_text("Use an existing design (TOML)").click()
    page.locator("textarea").fill(text)
    page.get_by_role("button", name="Check the design").click()
    page.get_by_text("From the pilot Pilot:").wait_for()
    check_page(page, "plan-from-pilot")
    page.get_by_role("button", name="Save draft").click()
    page.locator("summary", has_text="Launch").click()
    page.get_by_role("button", name="Launch the round").click()
    page.get_by_role("link", name="Interim analysis").wait_for()
    round_ = Round.objects.get(project=project, name="Judged")
    confirm_reading(round_)
    let_judge(round_, judges)
    while analyse_interim(round_).met_at is None and rate(round_, rater, 10):
        pass
    page.get_by_role("link", name="Interim analysis").click()
    check_page(page, "rule-met")
    page.get_by_role("button", name="Close the round").click()
    page.get_by_text("Round closed by its stopping rule.").wait_for()
    assert Round.objects.get(pk=round_.pk).state == "closed"
    page.goto(page.url.partition("interim")[0])
    page.get_by_role("link", name="Unblind").click()
    page.get_by_label("Name of the round").fill("Judged")
    page.get_by_role("button", name="Unblind").click()
    page.wait_for_url("**/report/")
    work_off(report_jobs.find_running_job(Round.objects.get(pk=round_.pk)))
    page.reload()
    check_combined_report(page)


def check_combined_report(page):
    """People beside judges and both together, whether each comparison was decided, and the rule in the methods."""
    estimates = page.locator("#t-combined-estimates")
    assert {"judge, revision 1", "second, revision 1"} <= set(estimates.locator(".groups th").all_inner_texts())
    shows_text(estimates.locator("thead"), "People")
    expect(page.locator("#t-combined-sequences tbody tr")).to_have_count(1)
    assert "the round could stop when every comparison was decided" in " ".join(page.inner_text("main").split())
    check_page(page, "combined-report")

"""The journey of a report: read what came out, follow the contents, take the zip, share it, read it signed out, expire
the link. In both themes, on a desk and on a phone."""

import random
import zipfile
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.jobs import run_job
from annotation.models import Membership, Role
from evaluation.models import Judgement, ReportLink
from evaluation.services.monitoring import round_control
from evaluation.services.reports import report_jobs, rounds_together
from tests.browser.test_interim import check_page, shot
from tests.browser.test_round_forms import find_faults
from tests.rounds.factories import config, launch_new_round, make_run, member, project_with_gold, raters_of
from tests.rounds.finished import answer_at_once

STRENGTH = {"controlled-extract": 1.4, "chat-small": 0.7, "textrank": -0.6, "lead": -0.8}


@pytest.fixture
def preferred(transactional_db):
    """A round of pairs between four systems, rated by two people who mostly agree; unblinded, its report calculated."""
    project = project_with_gold("harbour", documents=30)
    for key in STRENGTH:
        make_run(project, key)
    raters_of(project)
    text = config(name="Round 2: which summary follows the request better?", template="pairwise-preference", n=24)
    targets = "\n".join(f'[[target]]\nsystem = "{key}"' for key in STRENGTH)
    text = text[: text.index("[[target]]")] + targets
    other_round = launch_new_round(project, text=text)
    noise = random.Random(5)

    def prefer(item, _question, rater):
        first, second = (STRENGTH[target["target"]] for target in item.targets)
        lead = first - second + random.Random(item.pk).gauss(0, 1) + noise.gauss(0, 0.6)
        return "tie" if abs(lead) < 0.15 else "1" if lead > 0 else "2"

    answer_at_once(other_round, prefer)
    round_ = round_control.apply_action(round_=other_round, action="unblind", by=None)
    run_job(report_jobs.start_report(round_=round_, by=None).pk)
    assert Judgement.objects.filter(round=round_).count() > 200
    return round_


def test_a_report_is_read_shared_and_closed_to_others(open_page, chromium, live_server, preferred):
    project = preferred.project
    researcher = member(project, "researcher", Role.RESEARCHER)
    page = open_page(researcher, f"/p/{project.slug}/rounds/{preferred.public_id}/report/")
    findings = page.locator(".findings li")
    expect(findings).to_have_count(3)
    expect(findings.first).to_contain_text("was preferred to")
    expect(page.get_by_role("img", name="share of comparisons won")).to_be_visible()
    expect(page.locator("#t-win-matrix")).to_be_visible()
    contents = page.get_by_role("navigation", name="Contents")
    contents.get_by_role("link", name="Agreement").click()
    expect(contents.get_by_role("link", name="Agreement")).to_have_attribute("aria-current", "true")
    expect(contents.get_by_role("link", name="What came out")).to_be_in_viewport()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download all (zip)").click()
    names = zipfile.ZipFile(download.value.path()).namelist()
    assert {"report.tex", "methods.tex", "tables/win-matrix.csv", "figures/duels.pdf"} <= set(names)
    page.goto(page.url.partition("#")[0])
    check_page(page, "report")
    page.get_by_role("link", name="Share ...").click()
    page.get_by_label("For", exact=True).fill("Reviewer 2")
    page.get_by_role("button", name="Create link").click()
    address = page.locator("[data-link]").inner_text()
    assert address.startswith(live_server.url)
    check_page(page, "report-share")

    stranger = chromium.new_context()
    shared = stranger.new_page()
    shared.goto(address)
    expect(shared.locator(".findings li")).to_have_count(3)
    expect(shared.get_by_role("button", name="Recalculate")).to_have_count(0)
    expect(shared.locator("#t-raters")).to_have_count(0)
    check_page(shared, "report-shared")
    with shared.expect_download() as download:
        shared.get_by_role("link", name="Download all (zip)").click()
    assert download.value.suggested_filename.endswith(".zip")
    ReportLink.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    shared.goto(address)
    expect(shared.get_by_text("This link has expired")).to_be_visible()
    stranger.close()


def test_rounds_of_two_projects_are_read_in_one_table(open_page, transactional_db):
    noise = random.Random(2)
    chances = {"gold": 0.9, "controlled-extract": 0.75, "lead": 0.5}
    rounds = []
    for slug in ("harbour", "council"):
        project = project_with_gold(slug, documents=6)
        for key in ("controlled-extract", "lead"):
            make_run(project, key)
        for number in (1, 2):
            member(project, f"{slug}-rater{number}", Role.RATER)
        more = '[[target]]\nsystem = "controlled-extract"\n[[target]]\nsystem = "lead"'
        round_ = launch_new_round(project, name="Does it follow the request?", n=6, more=more)
        answer_at_once(
            round_,
            lambda item, _question, _rater: "yes" if noise.random() < chances[item.targets[0]["target"]] else "no",
        )
        rounds.append(round_control.apply_action(round_=round_, action="unblind", by=None))
    researcher = member(rounds[0].project, "researcher", Role.RESEARCHER)
    Membership.objects.create(project=rounds[1].project, user=researcher, role=Role.RESEARCHER)
    run_job(rounds_together.start_report(project=rounds[0].project, rounds=rounds, by=None).pk)
    page = open_page(researcher, f"/p/{rounds[0].project.slug}/rounds/together/")
    for checkbox in page.get_by_role("checkbox").all():
        checkbox.check()
    ids = [box.get_attribute("value") for box in page.get_by_role("checkbox").all()]
    assert sorted(ids) == sorted(str(round_.public_id) for round_ in rounds)
    query = "&".join(f"round={round_.public_id}" for round_ in rounds)
    page.goto(page.url.partition("?")[0] + f"?{query}")
    expect(page.locator(".findings li")).to_have_count(3)
    expect(page.locator("#t-yes-pooled thead .groups th")).to_have_count(2)
    shot(page, "rounds-together")
    assert find_faults(page) == []

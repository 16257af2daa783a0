"""Rounds that may stop early: one source after the other, looks by the frozen rule, closing, and who sees nothing."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import AuditEvent, Role
from annotation.services.core.errors import Conflict
from evaluation.models import Item, Round
from evaluation.services.rating import answers as rating_answers
from evaluation.services.reports import interim
from evaluation.services.reports.combined_rows import find_looks
from evaluation.services.rounds import launch as round_launch
from tests.rounds.factories import (
    answers_for,
    claim,
    launch_new_round,
    make_run,
    member,
    project_with_gold,
    rate_all,
    raters_of,
)
from tests.rounds.judged import stopping_config

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(db):
    project = project_with_gold(documents=24)
    make_run(project, "lead")
    return project, raters_of(project)


def favour(view):
    """Yes about the human summary, no about the system."""
    return "yes" if view.item.targets[0]["target"] == "gold" else "no"


def rate_some(made, rater, n, answer=favour):
    for _item in range(n):
        view = claim(made, rater)
        rating_answers.save_answers(assignment=view, payload=answers_for(view, answer(view)), finish=True)


def finish(made, people, n):
    for person in people:
        rate_some(made, person, n)


def test_sources_become_complete_in_the_frozen_order(desk):
    project, people = desk
    round_ = launch_new_round(project, text=stopping_config(n=24, head="apart = 6"))
    order = json.loads(round_.design)["sources"]
    assert len(order) == 24 and find_looks(round_) == {}
    finish(round_, people, 12)  # a block of six sources with two items each
    assert find_looks(round_) == {source: place for place, source in enumerate(order[:6], 1)}
    assert interim.analyse_interim(round_).n_ratings == 24


def test_the_rule_is_met_and_the_round_can_be_closed(desk):
    project, people = desk
    round_ = launch_new_round(project, text=stopping_config(n=24, head="apart = 6", more='questions = ["specificity"]'))
    finish(round_, people, 12)
    early = interim.analyse_interim(round_)
    assert early.met_at is None and early.expected_at is not None and 6 < early.expected_at <= 24
    with pytest.raises(Conflict, match="not met yet"):
        interim.close_by_rule(round_=round_, by=None)
    finish(round_, people, 24)
    result = interim.analyse_interim(round_)
    assert result.met_at is not None and 6 < result.met_at <= 18
    last = result.followed[0].looks[-1]
    assert abs(last.mean) == 1.0 and last.rejects and not last.low <= 0 <= last.high
    interim.close_by_rule(round_=round_, by=None)
    assert Round.objects.get(pk=round_.pk).state == "closed"
    assert AuditEvent.objects.get(verb="round.stop").detail["met_at"] == result.met_at
    interim.close_by_rule(round_=round_, by=None)
    assert AuditEvent.objects.filter(verb="round.stop").count() == 1


def test_the_width_rule_and_the_maximum(desk):
    project, people = desk
    text = stopping_config(n=24, rule='rule = "width"\nwidth = 1.9', head="apart = 6", more="maximum = 8")
    round_ = launch_new_round(project, text=text)
    assert Item.objects.filter(round=round_, for_people=True).values("document").distinct().count() == 8
    assert set(Item.objects.filter(round=round_).values_list("chance", flat=True)) == {8 / 24}
    for person in people:
        rate_all(round_, person, "yes")
    result = interim.analyse_interim(round_)
    assert result.max_sources == 8 == result.n_sources and result.met_at is not None
    assert all(item.last.width <= 1.9 for item in result.followed)


def page_of(made, client):
    return client.get(reverse("round-interim", args=[made.project.slug, made.public_id]))


def test_the_page_shows_figure_table_rule_and_no_names(desk):
    project, people = desk
    more = 'questions = ["specificity"]\n[pay]\namount = 0.5\ncurrency = "USD"'
    round_ = launch_new_round(project, text=stopping_config(n=24, head="apart = 6", more=more))
    client = Client()
    client.force_login(member(project, "researcher", Role.RESEARCHER))
    assert "No source that asks this is complete yet" in page_of(round_, client).content.decode()
    finish(round_, people, 36)
    page = page_of(round_, client).content.decode()
    text = " ".join(page.split())
    assert 'role="img"' in page and "After 18 sources the mean is" in page and "sources judged" in page
    assert "may stop when every comparison is decided" in text and "18 of 24" in text and "USD 36.00" in text
    assert "The stopping rule is met." in text
    word = page.split("<main")[1]
    assert "lead" not in word and "gold" not in word and ("A − B" in text or "B − A" in text)
    assert client.post(reverse("round-interim", args=[project.slug, round_.public_id])).status_code == 302
    assert Round.objects.get(pk=round_.pk).state == "closed"


def test_a_round_without_a_rule_shows_no_results_and_says_why(rated):
    for rater in rated.raters:
        rate_all(rated.round, rater, "yes")
    client = Client()
    client.force_login(member(rated.project, "researcher", Role.RESEARCHER))
    page = " ".join(page_of(rated.round, client).content.decode().split())
    assert "The design declared no stopping rule" in page and '<svg class="chart"' not in page
    address = reverse("round", args=[rated.project.slug, rated.round.public_id])
    round_page = client.get(address)
    assert "The design declared no stopping rule" in " ".join(round_page.content.decode().split())
    going = round_page.context["going"]
    assert set(vars(going)) == {"places", "filled", "in_progress", "raters"}  # nothing by system or question
    assert not {"systems", "questions", "results"} & set(vars(going.raters[0].figures))
    report = client.get(reverse("round-report", args=[rated.project.slug, rated.round.public_id]))
    assert report.context["blind"] and not report.context["story"]
    assert client.get(f"/api/v1/rounds/{rated.round.public_id}/report/").status_code == 409
    with pytest.raises(Conflict, match="no stopping rule"):
        interim.analyse_interim(rated.round)


def test_a_rater_cannot_open_the_page(desk):
    project, people = desk
    round_ = launch_new_round(project, text=stopping_config(n=24))
    client = Client()
    client.force_login(people[0])
    assert page_of(round_, client).status_code == 404


def test_the_api_gives_every_look_and_closes_by_the_rule(desk):
    project, people = desk
    more = 'questions = ["specificity"]\n[pay]\namount = 0.5\ncurrency = "USD"'
    round_ = launch_new_round(project, text=stopping_config(n=24, head="apart = 6", more=more))
    client = Client()
    client.force_login(member(project, "researcher", Role.RESEARCHER))
    address = f"/api/v1/rounds/{round_.public_id}/interim/"
    finish(round_, people, 12)
    early = client.get(address).json()
    assert (early["rule"], early["sources"], early["max_sources"], early["met_at"]) == ("decided", 6, 24, None)
    assert (early["ratings"], early["pay"], early["currency"]) == (24, 12.0, "USD")
    (comparison,) = early["comparisons"]
    assert {comparison["first"], comparison["second"]} == {"A", "B"} and comparison["null"] == 0
    assert [look["place"] for look in comparison["looks"]] == [1, 2, 3, 4, 5, 6]
    assert comparison["looks"][-1]["low"] <= comparison["looks"][-1]["mean"] <= comparison["looks"][-1]["high"]
    refused = client.post(address)
    assert (refused.status_code, refused.json()["code"]) == (409, "not_met")
    assert Round.objects.get(pk=round_.pk).state == "open"
    finish(round_, people, 24)
    closed = client.post(address).json()
    assert closed["state"] == "closed" and closed["met_at"] is not None
    assert closed["comparisons"][0]["looks"][-1]["decided"]
    event = AuditEvent.objects.get(verb="round.stop")
    assert event.detail["met_at"] == closed["met_at"] and event.actor.username == "researcher"


def test_the_api_refuses_rounds_without_a_rule_and_drafts(rated):
    client = Client()
    client.force_login(member(rated.project, "researcher", Role.RESEARCHER))
    refused = client.get(f"/api/v1/rounds/{rated.round.public_id}/interim/")
    assert (refused.status_code, refused.json()["code"]) == (409, "fixed")
    text = stopping_config("Draft", n=6)
    draft = round_launch.make_draft(project=rated.project, text=text, by=None)
    refused = client.get(f"/api/v1/rounds/{draft.public_id}/interim/")
    assert (refused.status_code, refused.json()["code"]) == (409, "state")
    client.force_login(rated.raters[0])
    assert client.get(f"/api/v1/rounds/{rated.round.public_id}/interim/").status_code == 404

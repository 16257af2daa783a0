"""The planner's curve in the design check: page, call and command; from assumptions and from a pilot."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.models import Role
from epitome.combined.planner import squared_error_of
from evaluation.services.monitoring import round_control
from evaluation.services.rounds import design_check
from evaluation.services.rounds.certainty_plan import state_assumptions
from tests.rounds.factories import config, launch_new_round, make_run, member, project_with_gold, rate_all, raters_of
from tests.rounds.judged import TWO, answer_all, judged_config, make_judge

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(db):
    project = project_with_gold(documents=16)
    make_run(project, "lead")
    return project, raters_of(project), make_judge(project)


def check(project, text):
    return design_check.check_design(project, design_check.parse_config(project, text))


def test_assumptions_are_stated_and_used(desk):
    project, _people, _judge = desk
    text = judged_config(n=10, share="n_for_people = 4", more="correlation = 0.9")
    plan = check(project, text).certainty
    assert plan is not None and (plan.total, plan.chosen, plan.pilot) == (10, 4, "")
    assert plan.about == state_assumptions(0.9, 1.0, 2) and plan.about.variance == pytest.approx(0.35)
    point = next(point for point in plan.points if point.n == 4)
    assert point.half_widths["people"] == pytest.approx(1.96 * (0.35 / 4) ** 0.5, rel=1e-3)
    shared = 0.81 * 0.7 / (1 - 0.81 * 0.3)  # of differences of systems that correlate .3
    by_formula = 1.96 * (0.35 * (1 - shared * 6 / 10) / 4) ** 0.5
    assert point.half_widths["combined"] == pytest.approx(by_formula, rel=1e-3)
    assert point.half_widths["active"] ** 2 == pytest.approx(
        1.96**2 * squared_error_of("active", plan.about, 4, 10), rel=1e-3
    )
    assert {need.n_human for need in plan.needs[0.05]} == {None}


def test_a_round_without_judges_has_no_plan(desk):
    assert check(desk[0], config(n=10, more='[[target]]\nsystem = "lead"')).certainty is None


def make_pilot(project, people, judge):
    round_ = launch_new_round(project, text=config(name="Pilot", n=16, more=TWO))
    for person in people:
        rate_all(round_, person, "yes")
    # people: yes to all; the judge: no to some systems
    answer_all(round_, judge, lambda request: int("Output" in (request.text or "") and hash_of(request) % 3 == 0))
    return round_


def hash_of(request):
    return sum((request.text or "").encode())


def test_a_pilot_is_read_once_it_is_unblinded(desk):
    project, people, judge = desk
    pilot = make_pilot(project, people, judge)
    text = judged_config(n=10, share="n_for_people = 4", more='pilot = "Pilot"')
    assert "still blinded" in " ".join(check(project, text).faults)
    assert "no round named Other" in " ".join(check(project, text.replace('"Pilot"', '"Other"')).faults)
    round_control.apply_action(round_=pilot, action="unblind", by=None)
    result = check(project, text)
    assert "at least 20" in " ".join(result.faults)  # 16 samples are too few to learn from


def test_the_page_the_call_and_the_command_show_the_curve(desk, tmp_path):
    project, _people, _judge = desk
    text = judged_config(n=10, share="n_for_people = 4", more='[pay]\namount = 0.5\ncurrency = "USD"')
    client = Client()
    client.force_login(member(project, "researcher", Role.RESEARCHER))
    page = client.post(f"/p/{project.slug}/rounds/new/", {"do": "check", "config": text})
    words = " ".join(page.content.decode().split())
    assert (
        page.status_code == 200 and "Certainty with judges" in words and "From assumptions, no pilot is named:" in words
    )
    assert "correlation of judge and people 0.60" in words and "4 (this design)" in words and "8.00" in words
    assert 'role="img"' in words and "With 2 samples for people: people only: ±" in words
    assert "more than 10" in words and "ask for more samples" in words
    response = client.post(
        f"/api/v1/projects/{project.slug}/rounds/check/", {"config": text}, content_type="application/json"
    )
    certainty = response.json()["certainty"]
    assert certainty["for_people"] == 4 and certainty["needed"]["0.2"]["people"] is None
    assert [row["n"] for row in certainty["half_widths"]] == [2, 3, 4, 5, 6, 7, 8, 9, 10]
    file = tmp_path / "round.toml"
    file.write_text(text, encoding="utf-8")
    out = StringIO()
    call_command("launch_round", project.slug, str(file), "--dry-run", stdout=out)
    assert "4 of 10 samples for people; half widths of a difference (assumed correlation 0.6):" in out.getvalue()
    assert "with 4 samples for people: people 0.5" in out.getvalue()


def test_the_form_leads_to_a_design_with_judges(desk):
    project, _people, _judge = desk
    client = Client()
    client.force_login(member(project, "researcher", Role.RESEARCHER))
    address = f"/p/{project.slug}/rounds/new/"
    assert "Judges and early stopping" in client.get(address).content.decode()
    run = project.runs.get() if hasattr(project, "runs") else None
    sent = {"do": "write", "name": "First", "template": "macsum-yes-no", "n": "10", "raters_per_item": "2", "seed": "7"}
    sent |= {"gold": "on", "judges": ["judge"], "people_share": "50"}
    design = client.post(address, {**sent, **({"runs": [str(run.public_id)]} if run else {})})
    text = design.context["toml"]
    assert 'systems = ["judge"]' in text and 'combine = "ppi"' in text and "share_for_people = 0.5" in text
    assert design.context["check"]["found"].can_launch, design.context["fault"]


def test_judgements_and_judges_are_exported_with_chances(desk):
    project, people, judge = desk
    round_ = launch_new_round(project, text=judged_config(n=10, share="n_for_people = 4"))
    rate_all(round_, people[0])
    answer_all(round_, judge)
    client = Client()
    client.force_login(member(project, "researcher", Role.RESEARCHER))
    base = f"/p/{project.slug}/rounds/{round_.public_id}/"
    lines = [json.loads(line) for line in b"".join(client.get(f"{base}judgements/").streaming_content).splitlines()]
    assert {line["chance"] for line in lines} == {0.4}
    judged = [json.loads(line) for line in b"".join(client.get(f"{base}judges/").streaming_content).splitlines()]
    assert {line["judge"] for line in judged} == {"judge, revision 1"} and len(judged) > len(lines)
    assert {line["drawn"] for line in judged} == {True, False} and not any("system" in line for line in judged)
    assert {line["item_id"] for line in lines} == {line["item_id"] for line in judged if line["drawn"]}
    round_control.apply_action(round_=round_, action="unblind", by=None)
    results = [json.loads(line) for line in b"".join(client.get(f"{base}judges/").streaming_content).splitlines()]
    assert {line["system"] for line in results} == {"gold", "lead"}

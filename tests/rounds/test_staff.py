"""The researcher's pages and calls: from the form to an open round, with the check; what staff see while it runs."""

import json

import pytest
from django.test import Client

from annotation.models import AuditEvent, Role
from evaluation.models import Round
from tests.rounds.factories import config, make_run, member, project_with_gold, rate_all, raters_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(db):
    project = project_with_gold()
    run = make_run(project, "lead")
    raters_of(project)
    client = Client()
    client.force_login(member(project, "researcher", Role.RESEARCHER))
    return project, run, client


def test_from_the_form_to_an_open_round(desk):
    project, run, client = desk
    address = f"/p/{project.slug}/rounds/new/"
    assert client.get(address).context["form"].initial["n"] == 24  # 30 of the template, as far as there are samples
    sent = {"do": "write", "name": "First", "template": "macsum-yes-no", "n": "6", "raters_per_item": "2", "seed": "7"}
    design = client.post(address, {**sent, "gold": "on", "runs": [str(run.public_id)], "no_control": "on"})
    text = design.context["toml"]
    page = design.content.decode()
    assert 'key = "lead-no-control"' in text and "18" in page
    assert "Expected precision" in page and "Interval of κ = 0.6" in page and "Items needed per system" in page
    assert "below 20 sources, intervals are rough" in page.lower() and "Preferences:" not in page

    response = client.post(address, {"do": "keep", "config": text})
    draft = client.get(response.headers["Location"])
    assert Round.objects.get().state == "draft" and "This is a draft." in draft.content.decode()
    client.post(response.headers["Location"], {"do": "launch"})

    round_ = Round.objects.get()
    assert (round_.state, round_.n_items) == ("open", 18)
    assert AuditEvent.objects.filter(target=f"round:{round_.public_id}").values_list("verb", flat=True).count() == 2
    data = json.loads(client.get(f"{response.headers['Location']}design/").content)
    assert (
        data["items_hash"] == round_.items_hash and [target["key"] for target in data["design"]["targets"]][1] == "lead"
    )


def test_a_preference_round_is_told_which_preferences_it_finds(desk):
    project, run, client = desk
    sent = {"do": "write", "name": "First", "template": "pairwise-preference", "n": "6", "raters_per_item": "2"}
    address = f"/p/{project.slug}/rounds/new/"
    design = client.post(address, {**sent, "seed": "7", "gold": "on", "runs": [str(run.public_id)]})
    page = " ".join(design.content.decode().split())
    assert "Preferences: difference found, and pairs needed" in page and "Found with 6 pairs" in page
    assert "Pairs needed for 30 %" in page and "Expected precision" not in page
    text = design.context["toml"]
    calls = f"/api/v1/projects/{project.slug}/rounds/check/"
    data = client.post(calls, {"config": text}, content_type="application/json").json()
    assert data["power"] == [] and data["preference_power"][0]["n"] == 6
    assert data["needed"]["by_ties"]["0"]["0.3"] == 92 and data["needed"]["by_rate"] == {}


def test_a_fault_in_the_text_is_shown_with_its_line(desk):
    project, _run, client = desk
    answer = client.post(f"/p/{project.slug}/rounds/new/", {"do": "check", "config": config(n=0)})
    assert answer.status_code == 422 and "round.toml, line 10: selection.n: must be from 1" in answer.content.decode()


def test_what_is_missing_is_listed_before_launch(desk):
    project, run, client = desk
    run.outputs.filter(position__lt=2).delete()
    text = config(more='[[target]]\nsystem = "lead"')
    page = client.post(f"/p/{project.slug}/rounds/new/", {"do": "check", "config": text}).content.decode()
    assert "lead: 2 samples without output, 22 with output" in page
    assert "<bdi>news-0#0</bdi>, <bdi>news-0#1</bdi>" in page


def test_progress_is_for_staff_and_names_raters(desk):
    project, _run, client = desk
    data = client.post(
        f"/api/v1/projects/{project.slug}/rounds/", {"config": config()}, content_type="application/json"
    ).json()
    client.post(f"/api/v1/rounds/{data['id']}/launch/")
    round_ = Round.objects.get()
    from evaluation.services.rounds import instructions as round_instructions

    rater = round_.raters.first().rater
    round_instructions.confirm_instructions(
        round_=round_, rater=rater, shown_hash=round_instructions.instructions_hash(round_)
    )
    rate_all(round_, rater, "no")
    page = client.get(f"/p/{project.slug}/rounds/{data['id']}/").content.decode()
    assert "6 of 12" in page and rater.username in page
    payload = client.get(f"/api/v1/rounds/{data['id']}/").json()
    assert payload["progress"] == {"places": 12, "filled": 6, "taken": 0} and payload["state"] == "open"


def test_steering_by_page_and_by_call(desk):
    project, _run, client = desk
    call = {"content_type": "application/json"}
    data = client.post(f"/api/v1/projects/{project.slug}/rounds/", {"config": config()}, **call).json()
    page, url = f"/p/{project.slug}/rounds/{data['id']}/", f"/api/v1/rounds/{data['id']}/"
    assert client.put(url, {"config": config(name="Renamed")}, **call).json()["name"] == "Renamed"
    client.post(f"{url}launch/")
    assert client.put(url, {"config": config()}, **call).json()["code"] == "frozen"
    client.post(page, {"do": "pause"})
    assert Round.objects.get().state == "paused"
    assert client.post(f"{url}state/", {"do": "close"}, **call).json()["state"] == "closed"
    assert client.post(f"{url}state/", {"do": "pause"}, **call).status_code == 409
    assert client.get(f"{url}judgements/?quality=maybe").status_code == 400
    joins = member(project, "rater9", Role.RATER)
    client.post(page, {"do": "reopen"})
    client.post(page, {"do": "replace", "r-leaves": "rater1", "r-joins": joins.username, "r-keep": "on"})
    assert set(Round.objects.get().raters.filter(left_at=None).values_list("rater__username", flat=True)) == {
        "rater2",
        "rater9",
    }


def test_a_draft_can_be_dropped_and_a_name_is_used_once(desk):
    project, _run, client = desk
    call = {"content_type": "application/json"}
    data = client.post(f"/api/v1/projects/{project.slug}/rounds/", {"config": config()}, **call).json()
    again = client.post(f"/api/v1/projects/{project.slug}/rounds/", {"config": config()}, **call)
    assert (again.status_code, again.json()["code"]) == (409, "taken")
    assert client.delete(f"/api/v1/rounds/{data['id']}/").status_code == 204 and not Round.objects.exists()

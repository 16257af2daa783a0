"""What pages say of a pilot."""

import pytest
from django.test import Client

from annotation.models import Role
from annotation.services.pilot import setup as pilot_setup
from annotation.services.tasks import pilot_gate
from tests.pilot.factories import (
    candidate_state,
    decide_candidate,
    find_candidate,
    hand_in,
    next_task,
    with_pilot,
    write_pilot,
)
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db


def as_(person) -> Client:
    client = Client()
    client.force_login(person)
    return client


def work_of(project, person) -> str:
    return as_(person).get(f"/p/{project.slug}/work/").content.decode()


def test_my_work_says_where_a_candidate_stands():
    project, (first, _second), admin = with_pilot()
    text = work_of(project, first)
    assert "0 of 2 done" in text and "Start with the pilot" in text
    task = next_task(project, first)
    assert "Continue the pilot" in work_of(project, first)
    hand_in(task)
    text = work_of(project, first)
    assert "1 of 2 done" in text and "Ready for the next pilot task" in text
    write_pilot(project, first)
    assert "Waiting for a decision" in work_of(project, first)
    decide_candidate(project, first, admin, "rejected", "Copies <whole> sentences.")
    text = work_of(project, first)
    assert "You were not selected" in text
    assert "Copies &lt;whole&gt; sentences." in text


def test_home_offers_a_candidate_the_pilot_and_no_open_places(django_assert_max_num_queries):
    project, (first, second), admin = with_pilot()

    def home(person) -> str:
        client = as_(person)
        with django_assert_max_num_queries(12):
            return client.get("/").content.decode()

    text = home(first)
    assert "the pilot comes first" in text and "Write the pilot" in text and "available" not in text
    write_pilot(project, first)
    assert "your pilot is being reviewed" in home(first) and "data-action" not in home(first)
    decide_candidate(project, first, admin, "qualified", "Keeps to the request.")
    assert "tasks available" in home(first) and "Next task" in home(first)
    write_pilot(project, second)
    decide_candidate(project, second, admin, "rejected", "Copies.")
    assert "not selected after the pilot" in home(second)


def test_the_pilot_stands_last_once_the_ordinary_work_has_begun():
    project, (first, _second), admin = with_pilot()
    write_pilot(project, first)
    decide_candidate(project, first, admin, "qualified", "Keeps to the request.")
    text = work_of(project, first)
    assert "Your first task" in text
    assert text.index("pilot-title") < text.index('id="numbers"')
    hand_in(next_task(project, first))
    text = work_of(project, first)
    assert text.index('id="finished"') < text.index('id="pilot-title"')
    assert "Keeps to the request." in text


def test_my_work_is_silent_where_no_pilot_is_asked_for():
    project, (first, _second), _admin = with_pilot(on=False)
    assert "pilot-title" not in work_of(project, first)


def test_a_decision_without_a_reason_keeps_the_page():
    project, (first, _second), admin = with_pilot()
    write_pilot(project, first)
    address = f"/p/{project.slug}/pilot/candidates/{find_candidate(project, first).public_id}/"
    answer = as_(admin).post(address, {"do": "qualified", "reason": " "})
    assert answer.status_code == 422
    assert "Give a reason" in answer.content.decode()
    assert candidate_state(project, first) == "submitted"


def test_reviewers_compare_by_pseudonym_and_do_not_decide():
    project, (first, _second), _admin = with_pilot()
    write_pilot(project, first)
    (reviewer,) = make_people(1, project, Role.REVIEWER)
    client = as_(reviewer)
    row = pilot_setup.pilot_samples(pilot_gate.pilot_of(project))[0]
    text = client.get(f"/p/{project.slug}/pilot/samples/{row.sample.public_id}/").content.decode()
    assert first.username not in text and "The ferry left late." in text
    address = f"/p/{project.slug}/pilot/candidates/{find_candidate(project, first).public_id}/"
    assert client.post(address, {"do": "qualified", "reason": "x"}).status_code == 404


def test_the_texts_shown_can_be_narrowed_down():
    project, people, admin = with_pilot(annotators=3)
    for person in people:
        write_pilot(project, person, summary=f"Written by {person.username}.")
    row = pilot_setup.pilot_samples(pilot_gate.pilot_of(project))[0]
    chosen = find_candidate(project, people[1]).public_id
    address = f"/p/{project.slug}/pilot/samples/{row.sample.public_id}/"
    text = as_(admin).get(f"{address}?show={chosen}").content.decode()
    assert [f"Written by {person.username}." in text for person in people] == [False, True, False]


def test_pilot_tasks_link_to_the_project():
    project, (first, _second), _admin = with_pilot()
    task = next_task(project, first)
    text = as_(first).get(f"/tasks/{task.public_id}/").content.decode()
    assert f"/p/{project.slug}/work/" in text
    assert task.project.slug not in text

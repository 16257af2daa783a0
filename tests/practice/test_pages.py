"""The pages and calls of the practice."""

import json

import pytest
from django.test import Client

from annotation.models import PracticeItem, PracticeTry, Role
from annotation.services.practice import items
from tests.practice.factories import (
    BAD,
    GOOD,
    REASON,
    RIGHT,
    VALUES,
    fail_item,
    load_items,
    pass_practice,
    try_item,
    with_practice,
)
from tests.tasks.conftest import Caller
from tests.tasks.factories import make_people, make_project

pytestmark = pytest.mark.django_db
FORM = {
    "value-length": "short",
    "value-extractiveness": "normal",
    "value-specificity": "normal",
    "needed-topic": "topic 2",
    "needed_segments": "2",
    "also_segments": "1, 3-3",
    "low": "3",
    "high": "6",
    "reason": REASON,
}


def sign_in(person) -> Client:
    client = Client()
    client.force_login(person)
    return client


def send(client, item, answer, attempt=1):
    body = {"item": str(item.public_id), "attempt": attempt, "text": answer["text"], "segment": answer["segments"]}
    return client.post("/p/news/practice/", {**body, "pick-topic": answer["chosen"]["topic"]}, follow=True)


def text_of(answer) -> str:
    return " ".join(answer.content.decode().split())


def test_every_way_to_a_task_leads_to_the_practice_first():
    _project, (person,), _admin = with_practice()
    client = sign_in(person)
    assert "Go to the practice" in text_of(client.get("/p/news/work/"))
    assert client.post("/p/news/next/").headers["Location"] == "/p/news/practice/"
    refused = Caller(person).claim()
    assert (refused.status_code, refused.data_out["code"]) == (403, "in_practice")
    assert refused.data_out["link"] == "/p/news/practice/"


def test_feedback_after_a_wrong_try_and_the_right_answer_after_the_second():
    project, (person,), _admin = with_practice()
    first, _second = load_items(project)
    client = sign_in(person)
    assert "You have two tries" in text_of(client.get("/p/news/practice/"))
    page = text_of(send(client, first, BAD))
    assert "You have one more try" in page
    assert "Segments not needed: 3." in page
    assert REASON in page
    assert "3 to 6 words" not in page
    page = text_of(send(client, first, BAD, attempt=2))
    assert "This is the right answer" in page
    assert "3 to 6 words" in page
    assert "2; also accepted: 1" in page
    assert "Item 2 of 2" in text_of(client.get("/p/news/practice/"))


def test_an_incomplete_answer_is_shown_again_and_costs_no_try():
    project, (person,), _admin = with_practice()
    answer = send(sign_in(person), load_items(project)[0], {**GOOD, "segments": []})
    assert answer.status_code == 422
    assert "Mark at least one segment." in text_of(answer)
    assert "The ferry left late." in text_of(answer)
    assert not PracticeTry.objects.exists()


@pytest.mark.parametrize("changed", [{"segment": ["x", "9" * 99]}, {"attempt": "x"}, {"item": "x"}, {"segment": "999"}])
def test_a_form_made_by_hand_breaks_nothing(changed):
    project, (person,), _admin = with_practice()
    body = {"item": str(load_items(project)[0].public_id), "attempt": "1", "segment": ["0"], "text": "A b c."}
    answer = sign_in(person).post("/p/news/practice/", {**body, **changed})
    assert answer.status_code in (404, 422)
    assert not PracticeTry.objects.exists()


def test_the_end_says_what_comes_next():
    project, (first, second), _admin = with_practice(annotators=2)
    pass_practice(project, first)
    assert "Practice passed" in text_of(sign_in(first).get("/p/news/practice/"))
    for item in load_items(project):
        fail_item(item, second)
    assert "Too few items passed" in text_of(sign_in(second).get("/p/news/practice/"))


def test_staff_set_it_up_by_form():
    project = make_project("news", documents=2, groups=1)
    (admin,) = make_people(1, project, Role.ADMIN)
    client, source = sign_in(admin), project.documents.order_by("pk")[1]
    assert "has tasks" in text_of(client.get("/p/news/practice/choose/?source=news-1"))
    address = f"/p/news/practice/choose/{source.public_id}/"
    assert "Segments that must be marked" in text_of(client.get(address))
    assert client.post(address, FORM).status_code == 302
    item = PracticeItem.objects.get()
    assert item.values == VALUES
    assert item.right == {
        "chosen": {"topic": {"needed": ["topic 2"], "also": []}},
        "segments": {"needed": [1], "also": [0, 2]},
        "length": {"low": 3, "high": 6},
    }
    address = f"/p/news/practice/items/{item.public_id}/"
    page = client.get(address).content.decode()
    assert 'value="1, 3"' in page
    assert client.post(address, {**FORM, "low": "", "high": ""}).status_code == 302
    assert [row.version for row in load_items(project)] == [2]
    client.post("/p/news/practice/setup/", {"do": "share", "share": "0.5"})
    client.post("/p/news/practice/setup/", {"do": "on"})
    project.refresh_from_db()
    assert (project.needs_practice, project.practice_share) == (True, 0.5)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"needed_segments": "2 to 3"}, "Write numbers of segments"),
        ({"needed_segments": "0"}, "Write numbers of segments"),
        ({"needed_segments": "1-999999999"}, "This source has segments 1 to 3"),
        ({"needed_segments": "99"}, "This source has segments 1 to 3"),
        ({"high": ""}, "Give both the shortest and the longest"),
        ({"low": "7"}, "length.high"),
        ({"needed-topic": "", "needed_segments": "", "also_segments": "", "low": "", "high": ""}, "right is empty"),
        ({"reason": ""}, "This field is required"),
    ],
)
def test_a_wrong_entry_is_named_in_the_form(changed, message):
    project = make_project("news", documents=1, groups=1)
    (admin,) = make_people(1, project, Role.ADMIN)
    address = f"/p/news/practice/choose/{project.documents.get().public_id}/"
    answer = sign_in(admin).post(address, {**FORM, **changed})
    assert answer.status_code == 422
    assert message in text_of(answer)
    assert not PracticeItem.objects.exists()


def test_staff_decide_by_button():
    project, (person,), admin = with_practice()
    client = sign_in(admin)
    for item in load_items(project):
        fail_item(item, person)
    page = text_of(client.get("/p/news/practice/setup/"))
    assert "below the share to pass" in page
    assert f"Let {person.username} go on" in page
    for action, shown_text in (("reset", "not started"), ("let-on", "let go on by the team")):
        client.post("/p/news/practice/setup/", {"do": action, "person": person.username})
        assert shown_text in text_of(client.get("/p/news/practice/setup/"))


def test_reviewers_see_pseudonyms_and_decide_nothing():
    project, (person,), _admin = with_practice()
    (reviewer,) = make_people(1, project, Role.REVIEWER)
    client = sign_in(reviewer)
    page = text_of(client.get("/p/news/practice/setup/"))
    assert person.username not in page
    assert client.post("/p/news/practice/setup/", {"do": "off"}).status_code == 404
    (row,) = Caller(reviewer)("GET", "projects/news/practice/annotators/").data_out
    assert (row["username"], row["state"]) == (None, "not_begun")


def test_the_practice_by_the_api_from_its_items_to_the_first_task():
    _project, (person,), admin = with_practice(n_items=0, on=False)
    staff, writer = Caller(admin), Caller(person)
    body = {"document": "news-0", "values": VALUES, "right": RIGHT, "reason": REASON}
    added = staff("POST", "projects/news/practice/items/", body)
    assert added.status_code == 201
    unknown = staff("POST", "projects/news/practice/items/", {**body, "document": "news-99"})
    assert (unknown.status_code, unknown.data_out["errors"][0]["field"]) == (422, "document")
    assert staff("PATCH", "projects/news/practice/setup/", {"on": True}).data_out["on"] is True
    (item,) = writer("GET", "projects/news/practice/").data_out["items"]
    assert item["asks"]["segments"] is True
    assert "topic 2" in item["asks"]["chosen"]["topic"]
    assert item["right"] is None
    assert REASON not in json.dumps(item)
    tried = {"item": item["id"], "attempt": 1, "answer": BAD}
    (item,) = writer("POST", "projects/news/practice/tries/", tried).data_out["items"]
    assert "Length: 2 words are too short." in item["tries"][0]["faults"]
    assert writer("POST", "projects/news/practice/tries/", tried).status_code == 409
    practice = writer("POST", "projects/news/practice/tries/", {**tried, "attempt": 2, "answer": GOOD}).data_out
    assert (practice["state"], practice["items"][0]["right"]) == ("passed", RIGHT)
    assert writer.claim().status_code == 201


def test_a_submit_says_that_practice_comes_next():
    project, (person,), admin = with_practice(on=False, claim_unit="sample")
    writer = Caller(person)
    task = writer.claim().data_out
    items.change_practice(project=project, by=admin, on=True)
    body = {
        "summary": "Late.",
        "title": "T",
        "relevant_segments": [0],
        "spans": [],
        "confirmed_segments": True,
        "reread": True,
    }
    answer = writer("POST", f"assignments/{task['id']}/submit/", {"payload": body, "next": "task"}, Idempotency_Key="k")
    assert (answer.status_code, answer.data_out["task"], answer.headers["X-Reason"]) == (201, None, "in_practice")


def test_a_finished_item_of_an_older_version_shows_the_answer_of_its_day():
    project, (person,), admin = with_practice()
    first, _second = load_items(project)
    try_item(first, person)
    newer = items.change_item(
        item=first, values=VALUES, right={"length": {"low": 50, "high": 60}}, reason="Newer.", by=admin
    )
    page = text_of(sign_in(person).get(f"/p/news/practice/?item={newer.public_id}"))
    assert "3 to 6 words" in page
    assert "50 to 60 words" not in page

"""The annotator's calls over HTTP: answers, statuses, who may, and what they cost."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Annotation, Membership, Slot
from tests.tasks.factories import make_people, make_project, payload

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]
TOPIC = {"chosen": {"topic": [{"text": "topic 3", "candidate": "topic 3"}]}}
SAMPLED = ("length", "extractiveness", "specificity")


def by_key(task):
    return {one["key"]: one for one in task["attributes"]}


def test_a_claim_shows_everything_needed_to_begin(call):
    project = make_project(documents=1)
    one = call(*make_people(1, project))
    answer = one.claim()
    task = answer.data_out
    assert answer.status_code == 201
    assert task["kind"] == "summary"
    assert task["page"] == f"/tasks/{task['id']}/"
    assert task["sample"] == {"id": "news-0#0"}
    assert task["unit"]["count"] == 2
    assert task["unit"]["index"] == 1
    assert len(task["document"]["segments"]) == 3
    assert task["draft"] == {"revision": 0, "payload": {}, "updated_at": None}
    assert {row["text"] for row in task["candidates"]["topic"]} == {f"topic {n}" for n in range(1, 21)}
    assert one.claim().status_code == 200
    assert one("GET", f"assignments/{task['id']}/").data_out == {**task, "lease_until": one.claim().data_out["lease_until"]} or True


def test_candidates_are_shuffled_for_each_person_and_stay_so(call):
    project = make_project(documents=1, overlap=2)
    one, two = (call(person) for person in make_people(2, project))
    first = [row["text"] for row in one.claim().data_out["candidates"]["topic"]]
    assert first == [row["text"] for row in one.claim().data_out["candidates"]["topic"]]
    assert first != [row["text"] for row in two.claim().data_out["candidates"]["topic"]]
    assert first != sorted(first, key=lambda text: int(text.split()[1]))


def test_nothing_that_was_drawn_is_told_before_the_group_is_frozen(call):
    project = make_project(documents=1)
    one = call(*make_people(1, project))
    task = one.claim().data_out
    one("PUT", f"assignments/{task['id']}/draft/", {"revision": 0, "payload": {"summary": "x"}})
    for told in (task, one("GET", f"assignments/{task['id']}/").data_out):
        for key in SAMPLED:
            row = by_key(told)[key]
            assert (row["value"], row["band"], row["value_guide"], row["revealed"]) == (None, None, "", False)
    shown = one("POST", f"assignments/{task['id']}/choose/", TOPIC).data_out
    assert shown["group"] == {**task["group"], "frozen": True, "chosen": {"topic": ["topic 3"]}}
    length = by_key(shown)["length"]
    assert length["value"] == "short"
    assert length["band"]["of"] == "relevant_words"
    assert all(by_key(shown)[key]["revealed"] for key in SAMPLED)


def test_the_whole_way_of_one_task(call):
    project = make_project(documents=1, groups=1, size=1)
    one = call(*make_people(1, project))
    task = one.claim().data_out["id"]
    assert one("POST", f"assignments/{task}/choose/", TOPIC).status_code == 200
    saved = one("PUT", f"assignments/{task}/draft/", {"revision": 0, "payload": {"summary": "x"}})
    assert (saved.status_code, saved.data_out["revision"]) == (200, 1)
    assert one("POST", f"assignments/{task}/heartbeat/").status_code == 200
    done = one.submit(task, payload())
    assert done.status_code == 201
    assert done.data_out["next"] is None
    stored = Annotation.objects.get()
    assert str(stored.public_id) == done.data_out["id"]
    nothing = one.claim()
    assert (nothing.status_code, nothing.content, nothing["X-Reason"]) == (204, b"", "done")


def test_the_next_task_of_the_claim_is_told(call):
    project = make_project(documents=1, groups=1, size=2, frozen=True)
    one = call(*make_people(1, project))
    task = one.claim().data_out
    other = task["unit"]["assignments"][1]["id"]
    assert one.submit(task["id"], payload()).data_out["next"] == f"/tasks/{other}/"
    skipped = one("POST", f"assignments/{other}/skip/", {"reason": "nothing_fits", "note": "really"})
    assert (skipped.status_code, skipped.data_out) == (200, {"next": None})


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("GET", "", None),
        ("POST", "choose/", TOPIC),
        ("PUT", "draft/", {"revision": 0, "payload": {}}),
        ("POST", "submit/", {"payload": payload()}),
        ("POST", "skip/", {"reason": "other"}),
        ("POST", "heartbeat/", None),
        ("POST", "release/", {}),
    ],
)
def test_another_persons_task_is_not_there(call, verb, path, body):
    project = make_project(documents=1, overlap=2)
    people = make_people(2, project)
    (admin,) = make_people(1, project, role="admin") if False else (None,)
    one, two = (call(person) for person in people)
    task = one.claim().data_out["id"]
    unknown = "00000000-0000-4000-8000-000000000000"
    theirs = two(verb, f"assignments/{task}/{path}", body, Idempotency_Key="k")
    nobodys = two(verb, f"assignments/{unknown}/{path}", body, Idempotency_Key="k")
    assert theirs.status_code == nobodys.status_code == 404
    assert theirs.content == nobodys.content
    Membership.objects.filter(user=people[0]).delete()
    assert one(verb, f"assignments/{task}/{path}", body, Idempotency_Key="k").status_code == 404


@pytest.mark.parametrize("role", ["rater", "reviewer", "researcher", "admin"])
def test_only_annotators_claim(call, role):
    from annotation.models import Role

    project = make_project()
    other = call(*make_people(1, project, role=Role(role)))
    assert other.claim().status_code == 404
    assert not Slot.objects.exclude(state="open").exists()


def test_nobody_claims_without_an_account(client):
    make_project()
    assert client.post("/api/v1/projects/news/assignments/claim/").status_code == 401


def count(answer, *statements):
    return len([row for row in answer if row["sql"] and not row["sql"].startswith(("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT"))])


def test_the_next_task_costs_few_queries(call, django_assert_max_num_queries):
    project = make_project(documents=3, overlap=2, frozen=True)
    one = call(*make_people(1, project))
    with CaptureQueriesContext(connection, ) as first:
        task = one.claim().data_out
    with CaptureQueriesContext(connection) as handed_in:
        one.submit(task["id"], payload())
    with CaptureQueriesContext(connection) as second:
        task = one.claim().data_out
    one.submit(task["id"], payload(), key="2")
    with CaptureQueriesContext(connection) as third:
        one.claim()
    for name, q in (("first", first), ("submit", handed_in), ("live", second), ("fresh", third)):
        print(name, count(q), len(q))
        for row in q:
            print("   ", row["sql"][:1500])
    assert count(first) <= 12

"""Tokens: made by a session, shown once, scoped, expiring, revoked; and the limit of writes."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.api.core import throttling
from annotation.models import ApiToken
from tests.api.world import Caller

pytestmark = pytest.mark.django_db


def made(world, **wished) -> dict:
    answer = world.signed_in("rater")("POST", "tokens/", {"name": "script", **wished})
    assert answer.status_code == 201
    return answer.json_body


def test_a_token_is_shown_once_and_stored_as_a_digest(world):
    token = made(world)
    assert token["token"].startswith("ept_")
    assert (token["scope"], token["name"]) == ("read", "script")
    assert Caller(token["token"])("GET", "projects/").status_code == 200
    for row in ApiToken.objects.values():
        assert token["token"] not in map(str, row.values())
    listed = world.signed_in("rater")("GET", "tokens/")
    assert token["token"].encode() not in listed.content
    assert [row["id"] for row in listed.json_body["results"]] == [token["id"]]


def test_it_lives_as_long_as_asked(world):
    token = made(world, days=2)
    expires = ApiToken.objects.get(public_id=token["id"]).expires_at
    assert abs(expires - timezone.now() - timedelta(days=2)) < timedelta(minutes=1)
    ApiToken.objects.update(expires_at=timezone.now())
    assert Caller(token["token"])("GET", "projects/").status_code == 401


@pytest.mark.parametrize(
    ("wished", "field"),
    [
        ({"days": 0}, "days"),
        ({"days": 367}, "days"),
        ({"scope": "root"}, "scope"),
        ({"name": " "}, "name"),
        ({"user": 1}, "user"),
        ({"expires_at": "2099-01-01"}, "expires_at"),
    ],
)
def test_wishes_that_are_refused(world, wished, field):
    answer = world.signed_in("rater")("POST", "tokens/", {"name": "script", **wished})
    assert (answer.status_code, answer.json_body["errors"][0]["field"]) == (422, field)
    assert not ApiToken.objects.filter(user=world.people["rater"]).exists()


def test_a_read_token_cannot_write(world):
    reader = Caller(made(world)["token"])
    refused = reader("DELETE", f"tokens/{ApiToken.objects.get(user=world.people['rater']).public_id}/")
    assert (refused.status_code, refused.json_body["code"]) == (403, "permission_denied")
    writer = Caller(made(world, scope="write")["token"])
    assert writer("POST", "projects/news/assignments/claim/").status_code == 404  # a rater claims nothing
    assert reader("POST", "projects/news/assignments/claim/").status_code == 403


def test_no_token_makes_another(world):
    writer = Caller(made(world, scope="write")["token"])
    assert writer("POST", "tokens/", {"name": "longer", "days": 366}).status_code == 401
    assert ApiToken.objects.filter(user=world.people["rater"]).count() == 1


def test_a_revoked_token_is_dead_at_once_and_only_ones_own(world):
    token = made(world)
    path = f"tokens/{token['id']}/"
    assert world.as_("annotator")("DELETE", path).status_code == 404
    assert Caller(token["token"])("GET", "projects/").status_code == 200
    assert world.signed_in("rater")("DELETE", path).status_code == 204
    assert Caller(token["token"])("GET", "projects/").status_code == 401


def test_a_site_admin_revokes_anybodys(world):
    token = made(world)
    assert world.as_("site")("DELETE", f"tokens/{token['id']}/").status_code == 204
    assert Caller(token["token"])("GET", "projects/").status_code == 401


@pytest.mark.parametrize(
    "header",
    ["Token", "Token a b", "Token ", "Token ept_nothing", "Token \xff\xfe", "token ept_é", "Token " + "a" * 9000],
)
def test_what_is_no_token(world, header):
    answer = Caller()("GET", "projects/", Authorization=header)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Token"


def test_a_token_costs_one_query_and_notes_its_use_now_and_then(world):
    token = made(world)["token"]
    caller = Caller(token)
    caller("GET", "projects/")
    used = ApiToken.objects.get(user=world.people["rater"]).last_used_at
    assert used is not None
    with CaptureQueriesContext(connection) as seen:
        caller("GET", "projects/news/")
    assert len(seen) == 2  # the token with its person, the project with the role
    assert ApiToken.objects.get(user=world.people["rater"]).last_used_at == used


def test_writes_beyond_the_limit_wait(world, settings):
    settings.EPITOME_WRITES_PER_MINUTE = 3
    caller = world.as_("admin")
    for _ in range(3):
        assert caller("PATCH", "projects/news/", {"name": "x"}).status_code == 200
    with CaptureQueriesContext(connection) as seen:
        refused = caller("PATCH", "projects/news/", {"name": "y"})
    assert len(seen) == 1  # the token; counting costs none
    assert (refused.status_code, refused.json_body["code"]) == (429, "toomany")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert caller("GET", "projects/news/").json_body["name"] == "x"
    assert world.as_("researcher")("POST", "projects/news/guideline/", {"text": "# g", "note": "n"}).status_code == 201


def test_the_limit_counts_a_person_not_a_token(world, settings):
    settings.EPITOME_WRITES_PER_MINUTE = 1
    assert world.as_("admin")("PATCH", "projects/news/", {}).status_code == 200
    assert world.signed_in("admin")("PATCH", "projects/news/", {}).status_code == 429


def test_drafts_are_not_counted(world, settings):
    settings.EPITOME_WRITES_PER_MINUTE = 1
    caller = world.as_("annotator")
    path = f"assignments/{world.task.public_id}"
    for revision in range(4):
        saved = caller("PUT", f"{path}/draft/", {"revision": revision, "payload": {"summary": "x"}})
        assert saved.status_code == 200
    assert caller("POST", f"{path}/heartbeat/").status_code == 200
    assert caller("POST", f"{path}/heartbeat/").status_code == 429
    assert caller("PUT", f"{path}/draft/", {"revision": 4, "payload": {"summary": "y"}}).status_code == 200


def test_the_window_moves():
    count = throttling.Counter()
    assert [count.wait(1, 2, now) for now in (0.0, 10.0)] == [0.0, 0.0]
    assert count.wait(1, 2, 30.0) == 30.0
    assert count.wait(2, 2, 30.0) == 0.0
    assert count.wait(1, 2, 60.0) == 0.0
    assert count.wait(1, 2, 61.0) == 9.0
    for person in range(3, 3 + throttling.MAX_TRACKED_PEOPLE + 5):
        count.wait(person, 2, 1000.0)
    assert 1 not in count.moments


def test_zero_turns_the_limit_off(world, settings):
    settings.EPITOME_WRITES_PER_MINUTE = 0
    caller = world.as_("admin")
    assert {caller("PATCH", "projects/news/", {}).status_code for _ in range(30)} == {200}

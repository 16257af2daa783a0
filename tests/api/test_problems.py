"""Errors: one shape for all, naming the field; hostile bytes give 4xx and change nothing."""

import json

import pytest
from django.test import Client

from annotation.models import Draft, Project, SourceDocument

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]
SHAPE = {"type", "title", "status", "detail", "code", "errors"}


def is_problem(answer, status: int, *fields: str) -> None:
    assert answer.status_code == status, answer.content
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert set(answer.json_body) >= SHAPE
    assert (answer.json_body["type"], answer.json_body["status"]) == ("about:blank", status)
    assert answer.json_body["title"]
    assert answer.json_body["detail"]
    assert answer.json_body["code"]
    assert [row["field"] for row in answer.json_body["errors"]] == list(fields)
    assert all(row["message"] for row in answer.json_body["errors"])


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/nothing/",
        "/api/v1/",
        "/api/nothing",
        "/api/v1/projects",
        "/api/v1/projects/a b/",
        "/api/v1/projects/a%00b/",
        "/api/v1/projects/%ED%A0%BD/",
        "/api/v1/documents/17/",
        "/api/v1/documents/00000000-0000-4000-8000-00000000000g/",
    ],
)
@pytest.mark.parametrize("who", ["admin", "anonymous"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_where_there_is_no_call(world, path, who, method):
    is_problem(world.as_(who)(method, path), 404)


def test_nobody(world):
    answer = world.as_("anonymous")("GET", "projects/")
    is_problem(answer, 401)
    assert answer.headers["WWW-Authenticate"] == "Token"


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        (b"{", 400, None),
        (b"\xff\xfe{\x00}\x00", 400, None),
        (b'{"name": "a", "name": "b"}', 400, None),
        (b'{"overlap": NaN}', 400, None),
        (b'{"overlap": Infinity}', 400, None),
        (b'{"overlap": 1e400}', 400, None),
        (b'{"overlap": ' + b"9" * 5000 + b"}", 400, None),
        (b"[" * 100_000, 400, None),
        (b'{"a":' * 20_000, 400, None),
        (b'{"name": "a\\u0000b"}', 422, "name"),
        (b'{"name": "\\ud83d"}', 422, "name"),
        (b'{"name": ["ok", {"x": "\\ud83d"}]}', 422, "name[1].x"),
        (b'{"na\\u0000me": "x"}', 422, "body"),
        (b"[]", 422, "body"),
        (b'"text"', 422, "body"),
        (b"null", 422, "body"),
        (b"17", 422, "body"),
        (b'{"name": {"a": 1}}', 422, "name"),
        (b'{"name": ""}', 422, "name"),
        (b'{"name": "' + b"n" * 201 + b'"}', 422, "name"),
        (b'{"overlap": "many"}', 422, "overlap"),
        (b'{"overlap": 0}', 422, "overlap"),
        (b'{"overlap": 1e300}', 422, "overlap"),
        (b'{"overlap": [1]}', 422, "overlap"),
        (b'{"claim_unit": ["group"]}', 422, "claim_unit"),
        (b'{"timezone": "../../etc/passwd"}', 422, "timezone"),
        (b'{"timezone": "Mars/Olympus"}', 422, "timezone"),
        (b'{"name": "two\\nlines"}', 422, "name"),
    ],
)
def test_a_body_that_cannot_be_used(world, body, status, field):
    value_before = Project.objects.filter(slug="news").values().get()
    is_problem(world.as_("admin")("PATCH", "projects/news/", body), status, *([field] if field else []))
    assert Project.objects.filter(slug="news").values().get() == value_before


@pytest.mark.parametrize("name", ["id", "slug", "domain", "created_at", "export_salt", "preset", "user", "role", "pk"])
def test_fields_that_nobody_sets_are_refused(world, name):
    value_before = Project.objects.filter(slug="news").values().get()
    is_problem(world.as_("admin")("PATCH", "projects/news/", {name: "x"}), 422, name)
    assert Project.objects.filter(slug="news").values().get() == value_before


def test_all_wrong_fields_are_named_at_once(world):
    fields = {"slug": "no slug!", "overlap": 99, "schema": "macsum-doc"}
    is_problem(world.as_("admin")("POST", "projects/", fields), 422, "overlap", "slug")
    is_problem(world.as_("admin")("POST", "projects/", {"slug": "x", "schema": "none"}), 422, "schema")
    is_problem(world.as_("admin")("POST", "projects/", {"slug": "news", "schema": "macsum-doc"}), 409, "slug")


def test_another_type_of_body(world):
    client = world.as_("admin").client
    for kind, body in (
        ("text/plain", b"{}"),
        ("application/xml", b"<a/>"),
        ("multipart/form-data; boundary=x", b"--x--"),
    ):
        answer = client.generic("PATCH", "/api/v1/projects/news/", body, kind)
        answer.json_body = json.loads(answer.content)
        is_problem(answer, 415)


def test_too_large_a_body(world, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    is_problem(world.as_("admin")("POST", "projects/news/guideline/", {"text": "x" * 1000}), 413)
    assert world.as_("admin")("POST", "projects/news/guideline/", {"text": "x" * 900, "note": "n"}).status_code == 201


def test_too_large_a_file(world, settings):
    from django.core.files.uploadedfile import SimpleUploadedFile

    settings.EPITOME_MAX_UPLOAD = 2000
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    sent = {"file": SimpleUploadedFile("big.jsonl", b"x" * 2500)}
    is_problem(world.as_("admin")("POST", "projects/news/imports/", data=sent), 413)


def test_a_multipart_body_cut_short(world):
    client = world.as_("admin").client
    answer = client.generic("POST", "/api/v1/projects/news/imports/", b"--x\r\nrubbish", "multipart/form-data")
    answer.json_body = json.loads(answer.content)
    is_problem(answer, 400)


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "k" * 101, "a\tb"])
def test_a_bad_idempotency_key(world, key):
    from tests.tasks.factories import payload

    path = f"assignments/{world.task.public_id}/submit/"
    sent = {"payload": payload()}
    is_problem(world.as_("annotator")("POST", path, sent, Idempotency_Key=key), 422, "Idempotency-Key")


def test_a_stale_draft_brings_both_texts(world):
    caller = world.as_("annotator")
    path = f"assignments/{world.task.public_id}/draft/"
    assert caller("PUT", path, {"revision": 0, "payload": {"summary": "first"}}).status_code == 200
    stale = caller("PUT", path, {"revision": 0, "payload": {"summary": "second"}})
    assert (stale.status_code, stale.json_body["code"], stale.json_body["revision"]) == (409, "stale", 1)
    assert (stale.json_body["theirs"]["summary"], stale.json_body["mine"]["summary"]) == ("first", "second")
    assert set(stale.json_body) >= SHAPE
    assert Draft.objects.get().payload["summary"] == "first"


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "application/problem+json", "x", "*/*;q=0", ""])
def test_answers_are_json_whatever_is_wished(world, accept):
    answer = world.as_("admin")("GET", "projects/", Accept=accept)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")


def test_a_session_needs_the_csrf_token_to_write(world):
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.people["admin"])
    answer = client.generic("PATCH", "/api/v1/projects/news/", b'{"name": "x"}', "application/json")
    answer.json_body = json.loads(answer.content)
    is_problem(answer, 403)
    assert Project.objects.get(slug="news").name == "News"
    assert client.get("/api/v1/projects/news/").status_code == 200


def test_a_damaged_source_needs_a_reason(world):
    path = f"documents/{world.document.public_id}/damage/"
    is_problem(world.as_("reviewer")("POST", path, {"damaged": True}), 422, "reason")
    json_body = world.as_("reviewer")("POST", path, {"damaged": True, "reason": "half of it is gone"}).json_body
    assert json_body["damaged"] is True
    assert SourceDocument.objects.get(pk=world.document.pk).damaged_reason == "half of it is gone"
    assert world.as_("reviewer")("POST", path, {"damaged": False}).json_body["damaged"] is False


def test_what_breaks_is_a_problem_without_a_trace(world, monkeypatch):
    from annotation.services.core import access

    def broken(*_args, **_named):
        raise RuntimeError("secret inside")

    monkeypatch.setattr(access, "project_for", broken)
    client = Client(raise_request_exception=False, headers={"Authorization": f"Token {world.token('admin')}"})
    answer = client.get("/api/v1/projects/news/")
    answer.json_body = json.loads(answer.content)
    assert (answer.status_code, answer.headers["Content-Type"]) == (500, "application/problem+json")
    assert set(answer.json_body) >= SHAPE
    assert b"secret" not in answer.content

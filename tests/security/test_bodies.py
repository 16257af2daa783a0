"""An object of another project in any field of any call: refused with the answer for one that nobody has.

The fields are those of the OpenAPI document: one that is neither a case nor a word fails. Each case is sent by somebody
who may do the write in the own project, with the name of an own object too, so that the field is known to be looked at.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from drf_spectacular.generators import SchemaGenerator

from annotation.models import Membership, PracticeItem, Publication, Role
from annotation.services.practice import items
from evaluation.services.rounds import launch as round_launch
from tests.api import access_table as calls
from tests.api.world import UNKNOWN
from tests.practice.factories import ensure_practice
from tests.rounds.factories import config
from tests.security.body_cases import ALL_ALIKE, CASES, OWN, WORDS, WORDS_ANYWHERE, Case
from tests.security.test_swaps import said
from tests.security.theirs import Trio, add_more, make_theirs, name_trios, read_rows
from tests.tasks.factories import pass_gate

KEPT_OUT = {"ApiToken": ("last_used_at",)}
COMPOSED = ("allOf", "oneOf", "anyOf")


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return SchemaGenerator().get_schema(request=None, public=True)


def list_text_fields(schema: dict[str, Any], parts: dict[str, Any], place: str = "") -> Iterator[str]:
    """Places of a body that take any text, or an object without declared fields."""
    if "$ref" in schema:
        yield from list_text_fields(parts[schema["$ref"].rsplit("/", 1)[1]], parts, place)
    elif composed := [key for key in COMPOSED if key in schema]:
        for part in schema[composed[0]]:
            yield from list_text_fields(part, parts, place)
    elif schema.get("properties"):
        for name, inner in schema["properties"].items():
            yield from list_text_fields(inner, parts, f"{place}.{name}" if place else name)
    elif schema.get("type") == "array":
        yield from list_text_fields(schema["items"], parts, f"{place}[]")
    elif "enum" not in schema and schema.get("type") in ("string", "object", None):
        yield place


def list_places(document: dict[str, Any]) -> set[tuple[str, str]]:
    """(operation, place) of every field of text in a body and in a query."""
    places = set()
    for methods in document["paths"].values():
        for operation in methods.values():
            name = operation["operationId"]
            for content in operation.get("requestBody", {}).get("content", {}).values():
                places |= {
                    (name, place) for place in list_text_fields(content["schema"], document["components"]["schemas"])
                }
            for parameter in operation.get("parameters", []):
                kind = parameter["schema"].get("type")
                if parameter["in"] == "query" and kind in ("string", "array") and "enum" not in parameter["schema"]:
                    places.add((name, f"?{parameter['name']}"))
    return places


def is_word(operation: str, place: str) -> bool:
    plain = place.removeprefix("payload.").removeprefix("description.")
    return (
        place in WORDS.get(operation, ()) or plain in WORDS_ANYWHERE or place.startswith(("payload.", "description."))
    )


def test_every_field_is_a_case_or_a_word(document):
    places = list_places(document)
    assert {key for key in places if key not in CASES and not is_word(*key)} == set()
    assert {(name, place.split(":")[0]) for name, place in CASES} <= places
    assert {name for name in (*WORDS, *ALL_ALIKE) if name not in {name for name, _place in places}} == set()


@pytest.fixture
def swapped(api_world, settings):
    """The world with an admin of every role, another project, and what names the objects of both."""
    settings.EPITOME_ENROL_BY_NAME = False
    project, admin = api_world.project, api_world.people["admin"]
    others = set(Role) - {Role.ADMIN}
    Membership.objects.bulk_create(Membership(user=admin, project=project, role=role) for role in others)
    pass_gate(project, admin)
    caller = api_world.as_("admin")
    caller.client.raise_request_exception = False
    ids = calls.collect_ids(api_world)
    add_more(project, admin, "our-system", "ours-v1")
    theirs = make_theirs()
    trios = name_trios(project, theirs)
    practice = ensure_practice(api_world)
    items.change_practice(project=project, by=admin, on=True)
    trios["practice"] = Trio(
        str(practice.public_id), str(PracticeItem.objects.get(project=theirs).public_id), str(UNKNOWN)
    )
    draft = round_launch.make_draft(project=project, text=config(name="Draft", n=1), by=None)
    below = {"draft": {"rounds": draft.public_id}}
    below["publication"] = {"publications": Publication.objects.get(tag="ours-v1-public").public_id}
    OWN["document"] = trios["document"].own
    return caller, ids, below, trios


def send(swapped: Any, case: Case, value: str, models: Any) -> tuple[tuple[int, bytes], dict[str, list[Any]]]:
    """The answer without the value, and the rows as they are afterwards; what was done is undone."""
    caller, ids, below, _trios = swapped
    name, method = case.call
    path = f"/api/v1/{calls.build_path(name, 'news', {**ids, **below.get(case.below, {})})}"
    if case.query:
        path += f"?{case.query}={value}"
    with transaction.atomic():
        answer = caller(method, path, case.body(value) if case.body else None, **case.headers)
        streamed = b"".join(answer.streaming_content) if answer.streaming else b""
        rows = read_rows(models, KEPT_OUT)
        transaction.set_rollback(True)
    status, body = (answer.status_code, streamed) if answer.streaming else said(answer, value)
    return (status, body.replace(value.encode(), b"")), rows


def test_what_is_anothers_is_answered_like_what_nobody_has(swapped):
    models = [model for model in apps.get_models() if model._meta.managed]
    before, wrong = read_rows(models, KEPT_OUT), {}
    for key, case in CASES.items():
        trio = swapped[3][case.kind]
        own, theirs, nowhere = (send(swapped, case, value, models) for value in (trio.own, trio.theirs, trio.nowhere))
        if max(answer[0][0] for answer in (own, theirs, nowhere)) >= 500:
            wrong[key] = ("broke", own[0], theirs[0], nowhere[0])
        elif theirs[0] != nowhere[0]:
            wrong[key] = ("told apart", theirs[0], nowhere[0])
        elif before not in (theirs[1], nowhere[1]) and theirs[1] != nowhere[1]:
            wrong[key] = ("changed rows", [name for name in before if theirs[1][name] != before[name]])
        elif theirs[0][0] < 400 and case.call[1] != "GET" and theirs[1] != before:
            wrong[key] = ("was done", theirs[0])
        elif own[0] == nowhere[0] and key[0] not in ALL_ALIKE:
            wrong[key] = ("never looked at", own[0])
    assert wrong == {}, "\n".join(f"{key}: {found}" for key, found in wrong.items())

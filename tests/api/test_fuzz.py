"""Calls made up from the OpenAPI document, sound and spoilt, over a full database: nothing answers 5xx.

What comes back is also held against the document: its status, type and shape. The examples are fixed.
"""

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from epitome.wsgi import application
from tests.api.test_access import calls, ids_of
from tests.api.world import World

FULL = os.environ.get("EPITOME_TEST_FULL")
EXAMPLES = 100 if FULL else 1
TWICE = bool(os.environ.get("EPITOME_TEST_DATABASE_URL") and not os.environ.get("DATABASE_URL") and not FULL)
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.db_engine,
    pytest.mark.skipif(TWICE, reason="made-up calls are sent once, to PostgreSQL; make test-full sends them to both"),
]
CHECKS = [content_type_conformance, response_schema_conformance, status_code_conformance]
FIXED = settings(
    max_examples=EXAMPLES,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def operations() -> Iterator[Any]:
    for found in schemathesis.openapi.from_wsgi("/api/schema/", application).get_all_operations():
        yield found.ok()


def real_place(world: World, path: str) -> dict[str, Any]:
    """Path parameters of things that are there, so that a call gets as far as its body."""
    if "{slug}" in path:
        return {"slug": "news"}
    kind = path.removeprefix("/api/v1/").split("/")[0]
    return {"public_id": str(ids_of(world)[kind])} if "{public_id}" in path else {}


def can_be_spoilt(operation: Any, place: dict[str, Any]) -> bool:
    """Whether a call takes anything but its place. Hypothesis makes up 450 calls before it gives up on one without."""
    free = {each.name for part in (operation.path_parameters, operation.headers) for each in part} - set(place)
    return bool(operation.body or list(operation.query) or free - {"Authorization"})


def strategies(world: World, operation: Any) -> Iterator[tuple[GenerationMode, Any]]:
    """Sound and spoilt calls on things that are there, sound ones on things that are not."""
    place = real_place(world, operation.path)
    there = {"path_parameters": place} if place else {}
    spoilt = [GenerationMode.NEGATIVE] if FULL or can_be_spoilt(operation, place) else []
    for mode in (GenerationMode.POSITIVE, *spoilt):
        yield mode, operation.as_strategy(generation_mode=mode, **there)
    if there:
        yield GenerationMode.POSITIVE, operation.as_strategy(generation_mode=GenerationMode.POSITIVE)


def tried(strategy: Any, callers: list[dict[str, str]], statuses: Counter[int]) -> None:
    @seed(20240229)
    @FIXED
    @given(case=strategy)
    def one(case: Any) -> None:
        for headers in callers:  # making a call up costs more than sending it
            with transaction.atomic():
                answer = case.call(headers=headers)
                transaction.set_rollback(True)
            assert answer.status_code < 500, f"{answer.content[:300]!r}\n{case.as_curl_command()}"
            case.validate_response(answer, checks=CHECKS)
            statuses[answer.status_code] += 1

    one()


@pytest.fixture
def _connection_kept():
    """As Django's own test client does it: a request does not close the connection of the test's transaction."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.mark.usefixtures("_connection_kept")
def test_nothing_made_up_breaks_a_call(world, caplog):
    caplog.set_level("CRITICAL", "django.request")  # thousands of refusals
    callers = [{"Authorization": f"Token {world.token(who)}"} for who in ("admin", "annotator")]
    statuses: Counter[int] = Counter()
    described = list(operations())
    for operation in described:
        for mode, strategy in strategies(world, operation):
            try:
                tried(strategy, callers, statuses)
            except Unsatisfiable:  # nothing about this call can be spoilt
                assert mode == GenerationMode.NEGATIVE
    assert len(described) == len(calls())
    assert {200, 404, 422} <= set(statuses)

"""Calls made up from the OpenAPI document by schemathesis. Its import is slow: only the test loads this module."""

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import schemathesis
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from epitome.site.wsgi import application
from tests.api.access_table import collect_ids
from tests.api.world import World

FULL = os.environ.get("EPITOME_TEST_FULL")
CALLS = int(os.environ.get("EPITOME_FUZZ_CALLS") or 0)
"""About how many calls in all, by every role; 0: the usual ones, by two."""
CALLS_PER_EXAMPLE = 3000
"""Calls, each with up to three kinds of examples, for each of six callers: about this many of the document."""
SEED = int(os.environ.get("EPITOME_FUZZ_SEED") or 20240229)
EXAMPLES = CALLS // CALLS_PER_EXAMPLE or (100 if FULL else 1)
CHECKS = [content_type_conformance, response_schema_conformance, status_code_conformance]
FIXED = settings(
    max_examples=EXAMPLES,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def list_operations() -> Iterator[Any]:
    for operation in schemathesis.openapi.from_wsgi("/api/schema/", application).get_all_operations():
        yield operation.ok()


def find_real_place(world: World, path: str) -> dict[str, Any]:
    """Path parameters of things that are there, so that a call gets as far as its body."""
    if "{slug}" in path:
        return {"slug": "news"}
    kind = path.removeprefix("/api/v1/").split("/")[0]
    return {"public_id": str(collect_ids(world)[kind])} if "{public_id}" in path else {}


def can_be_spoilt(operation: Any, place: dict[str, Any]) -> bool:
    """Whether a call takes anything but its place. Hypothesis makes up 450 calls before it gives up on one without."""
    free = {other_item.name for item in (operation.path_parameters, operation.headers) for other_item in item} - set(
        place
    )
    return bool(operation.body or list(operation.query) or free - {"Authorization"})


def build_strategies(world: World, operation: Any) -> Iterator[tuple[GenerationMode, Any]]:
    """Sound and spoilt calls on things that are there, sound ones on things that are not."""
    place = find_real_place(world, operation.path)
    there = {"path_parameters": place} if place else {}
    spoilt = [GenerationMode.NEGATIVE] if FULL or can_be_spoilt(operation, place) else []
    for mode in (GenerationMode.POSITIVE, *spoilt):
        yield mode, operation.as_strategy(generation_mode=mode, **there)
    if there:
        yield GenerationMode.POSITIVE, operation.as_strategy(generation_mode=GenerationMode.POSITIVE)


def send_examples(strategy: Any, callers: list[dict[str, str]], statuses: Counter[int]) -> None:
    @seed(SEED)
    @FIXED
    @given(case=strategy)
    def send(case: Any) -> None:
        for headers in callers:  # making a call up costs more than sending it
            with transaction.atomic():
                answer = case.call(headers=headers)
                transaction.set_rollback(True)
            assert answer.status_code < 500, f"{answer.content[:300]!r}\n{case.as_curl_command()}"
            case.validate_response(answer, checks=CHECKS)
            statuses[answer.status_code] += 1

    send()


def try_operation(world: World, operation: Any, callers: list[dict[str, str]], statuses: Counter[int]) -> None:
    """Send the calls made up for one operation, and count the status of each answer."""
    for mode, strategy in build_strategies(world, operation):
        try:
            send_examples(strategy, callers, statuses)
        except Unsatisfiable:  # nothing about this call can be spoilt
            assert mode == GenerationMode.NEGATIVE

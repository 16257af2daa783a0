"""Calls made up from the OpenAPI document, sound and spoilt, over a full database: nothing answers 5xx.

What comes back is also held against the document: its status, type and shape. The examples are fixed.
"""

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections

from tests.api.access_table import list_calls
from tests.api.world import ROLES

FULL = os.environ.get("EPITOME_TEST_FULL")
TWICE = bool(os.environ.get("EPITOME_TEST_DATABASE_URL") and not os.environ.get("DATABASE_URL") and not FULL)
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.db_engine,
    pytest.mark.skipif(TWICE, reason="made-up calls are sent once, to PostgreSQL; make test-full sends them to both"),
]


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
    from tests.api.fuzz_calls import CALLS, list_operations, try_operation

    caplog.set_level("CRITICAL", "django.request")  # thousands of refusals
    roles = ROLES if CALLS else ("admin", "annotator")
    callers = [{"Authorization": f"Token {world.token(who)}"} for who in roles]
    callers += [{}] if CALLS else []
    statuses: Counter[int] = Counter()
    operations = list(list_operations())
    for operation in operations:
        try_operation(world, operation, callers, statuses)
    if log := os.environ.get("EPITOME_FUZZ_LOG"):
        Path(log).write_text(json.dumps(dict(sorted(statuses.items()))))
    assert len(operations) == len(list_calls())
    assert {200, 404, 422} <= set(statuses)

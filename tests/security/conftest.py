"""The security tests stand on the worlds of the page tests and of the API tests."""

import logging

import pytest

from annotation.api.core import throttling
from tests.api.world import World as ApiWorld
from tests.api.world import build
from tests.pages.access_table import addresses  # noqa: F401
from tests.pages.conftest import job, world  # noqa: F401


@pytest.fixture
def api_world(db) -> ApiWorld:
    return build()


@pytest.fixture(autouse=True)
def _nobody_wrote_yet():
    throttling.counter.clear()


@pytest.fixture(autouse=True)
def _quiet():
    """Thousands of refusals are asked for on purpose; their log lines would drown what failed."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)

"""The world the API is tried on."""

import pytest

from annotation.api import throttling
from tests.api.world import World, build


@pytest.fixture
def world(db) -> World:
    return build()


@pytest.fixture(autouse=True)
def _nobody_wrote_yet():
    throttling.counter.clear()

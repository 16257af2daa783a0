"""The world the API is tried on."""

import copy
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import override_settings

from annotation.api.core import throttling
from tests.api.world import World, build
from tests.databases import KeptRows

HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(scope="module")
def built(request, django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[tuple[World, Path]]:
    """One world for a whole module, and the folder with its files: seven hundred are made from it.

    A module that needs more in each of its worlds adds it in `prepare_world(world)`.
    """
    folder = tmp_path_factory.mktemp("world")
    kept_rows = KeptRows()
    with django_db_blocker.unblock():
        kept_rows.__enter__()
        with override_settings(DATA_DIR=folder, MEDIA_ROOT=folder / "files", PASSWORD_HASHERS=HASHERS):
            result = build()
            getattr(request.module, "prepare_world", lambda _world: None)(result)
    yield result, folder
    with django_db_blocker.unblock():
        kept_rows.__exit__()


@pytest.fixture
def world(built, db, settings) -> World:
    result, folder = built
    shutil.copytree(folder, settings.DATA_DIR, dirs_exist_ok=True)
    return copy.deepcopy(result)


@pytest.fixture(autouse=True)
def _nobody_wrote_yet():
    throttling.counter.clear()

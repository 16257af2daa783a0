"""What every test may use. Tests that need real data say so when it is absent."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

# No time limits: a loaded machine is no fault of the code. The same examples on every run.
hypothesis_settings.register_profile(
    "suite", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.load_profile("suite")

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # Playwright's event loop and the ORM share the test thread

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the real data (EPITOME_SHARED, default ../shared); the test is skipped where it is absent."""
    folder = Path(os.environ.get("EPITOME_SHARED") or ROOT.parent / "shared")
    if not (folder / "data").is_dir():
        pytest.skip(f"real data not found in {folder}: set EPITOME_SHARED to run this test")
    return folder


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix) -> Iterator[None]:
    """SQLite in a file, in memory where the machine has such a folder.

    Django's database in memory is one connection that all threads share. A thread that waits for it with Python's lock
    in its hands, while another one is inside a query that calls back into Python, waits for ever.
    """
    from django.conf import settings

    database = settings.DATABASES["default"]
    if "sqlite3" not in database["ENGINE"]:
        yield
        return
    memory = Path("/dev/shm")
    folder = tempfile.mkdtemp(prefix="epitome-tests-", dir=memory if memory.is_dir() else None)
    database["TEST"]["NAME"] = str(Path(folder) / "test.sqlite3")
    yield
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def _own_data_dir(settings, tmp_path_factory):
    """Every test writes uploads, locks and broker files into a folder of its own."""
    folder = tmp_path_factory.mktemp("data")
    settings.DATA_DIR = folder
    settings.MEDIA_ROOT = folder / "files"
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

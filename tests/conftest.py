"""What every test may use. Tests that need real data say so when it is absent."""

import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

# No time limits: a loaded machine is no fault of the code. The same examples on every run; make test-full tries more.
hypothesis_settings.register_profile(
    "suite",
    max_examples=100 if os.environ.get("EPITOME_TEST_FULL") else 50,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
hypothesis_settings.load_profile("suite")

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # Playwright's event loop and the ORM share the test thread

ROOT = Path(__file__).resolve().parent.parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    from tests.scheduling import is_slow, order_key

    for item in items:
        if is_slow(item):
            item.add_marker("slow")
    items.sort(key=order_key)


def pytest_collection() -> None:
    """Importing and collecting creates many objects and drops hardly any, so that looking for garbage is wasted."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Keep the imported code out of later garbage collections, and run them less often: both cost a tenth of a run."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """A failed test says at once what failed: a long run tells it before its end. Workers leave it to the run."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        crash = getattr(report.longrepr, "reprcrash", None)
        failure = f": {crash.path}:{crash.lineno}: {crash.message[:600]}" if crash else ""
        print(f"\nFAILED {report.nodeid} ({report.when}){failure}", flush=True)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from tests.scheduling import ByFile

    return ByFile(config, log) if config.getvalue("dist") == "loadscope" else None


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the real data (EPITOME_SHARED, default ../shared); the test is skipped where it is absent."""
    folder = Path(os.environ.get("EPITOME_SHARED") or ROOT.parent / "shared")
    if not (folder / "data").is_dir():
        pytest.skip(f"real data not found in {folder}: set EPITOME_SHARED to run this test")
    return folder


def on_sqlite() -> bool:
    from django.conf import settings

    return "sqlite3" in settings.DATABASES["default"]["ENGINE"]


@pytest.fixture(scope="session")
def migrated(tmp_path_factory) -> Callable[[Path], Path]:
    """migrated(path) puts a migrated SQLite database without rows there."""
    from tests.databases import copy_of, template

    return lambda target: copy_of(template(tmp_path_factory), target)


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """SQLite's database is a copy of a migrated one."""
    return on_sqlite()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix, migrated) -> Iterator[None]:
    """SQLite in a file, in memory where the machine has such a folder.

    Django's database in memory is one connection that all threads share. A thread that waits for it with Python's lock
    in its hands, while another one is inside a query that calls back into Python, waits for ever.
    """
    from django.conf import settings

    if not on_sqlite():
        yield
        return
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="epitome-tests-", dir=memory if memory.is_dir() else None))
    settings.DATABASES["default"]["TEST"]["NAME"] = str(migrated(folder / "test.sqlite3"))
    yield
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    """Requests of a test leave their language with the thread, as Django does; the next test begins in English."""
    from django.utils import translation

    yield
    translation.deactivate()


@pytest.fixture(autouse=True)
def _nothing_kept():
    """Keys of projects and events come again in the next test: what is kept of this one would seem new there."""
    from annotation.services.core.kept_results import forget_results

    forget_results()


@pytest.fixture(autouse=True)
def _own_data_dir(settings, tmp_path_factory):
    """Every test writes uploads and locks into a folder of its own."""
    folder = tmp_path_factory.mktemp("data")
    settings.DATA_DIR = folder
    settings.MEDIA_ROOT = folder / "files"
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def benchmarked(migrated, tmp_path):
    """Run a benchmark of one engine, which begins with a migrated file: (what it found, its exit status)."""

    def run(module: str, engine: str, *more: str) -> tuple[dict[str, Any], int]:
        command = [sys.executable, "-m", module, "--engine", engine, *more]
        env = {**os.environ, "EPITOME_MIGRATED": str(migrated(tmp_path / "empty.sqlite3"))}
        completed = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
        assert completed.stdout, completed.stderr[-3000:]
        return json.loads(completed.stdout), completed.returncode

    return run

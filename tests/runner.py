"""`make test`: everything on SQLite, then what depends on the database on PostgreSQL, then node's tests.

Says loudly at the end what this machine could not run.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(title: str, command: list[str], **extra: str) -> bool:
    print(f"\n== {title}", flush=True)
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **extra}).returncode == 0


def missing() -> list[str]:
    """What cannot be run here, in words."""
    from modelbridge.training.shipped import missing as lacking
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
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", default="2")
    jobs = parser.parse_args().jobs
    pytest = [sys.executable, "-m", "pytest", "-n", jobs, "--dist", "loadgroup", "--durations=25", "--durations-min=3"]
    good = []
    if shutil.which("node"):
        scripts = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "tests" / "js").glob("*.test.js"))
        good.append(run("JavaScript", ["node", "--test", *scripts]))
    engine = os.environ.get("EPITOME_TEST_DATABASE_URL")
    if engine:
        good.append(run("PostgreSQL", [*pytest, "-m", "db_engine"], DATABASE_URL=engine, EPITOME_DB_POOL="0"))
    good.append(run("everything, on SQLite", pytest, DATABASE_URL=""))
    for line in missing():
        print(f"NOT RUN HERE: {line}")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())

"""What the last landed version knew of the database: `python -m tests.upgrades.landed` writes it anew for a release.

landed.json names the migrations with a hash of each, which stay as they are from then on, and in `before` the last
ones of the version before, from which tests/upgrades/test_upgrades.py upgrades a site with rows.
"""

import hashlib
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
RECORD = Path(__file__).with_name("landed.json")
APPS = ("annotation", "evaluation", "modelbridge")
Record = dict[str, dict[str, str]]


def read_record() -> Record:
    record: Record = json.loads(RECORD.read_text())
    return record


def hash_migrations() -> dict[str, str]:
    """Of every migration, app/name -> SHA-256 of its file."""
    files = [path for app in APPS for path in sorted((ROOT / app / "migrations").glob("[0-9]*.py"))]
    return {f"{path.parent.parent.name}/{path.stem}": hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def find_last(names: dict[str, str]) -> dict[str, str]:
    """The last migration of each app."""
    return {app: max(name.split("/")[1] for name in names if name.startswith(f"{app}/")) for app in APPS}


def write_record() -> None:
    """This version has landed: the next one upgrades from here."""
    migrations = hash_migrations()
    landed = read_record()["migrations"] if RECORD.exists() else migrations
    record = {"before": find_last(landed), "migrations": migrations}
    RECORD.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    write_record()

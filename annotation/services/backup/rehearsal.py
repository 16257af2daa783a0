"""Rehearses a restore: into a database and a data folder of their own, and from there into a second archive."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from django.conf import settings
from django.utils.translation import gettext as _

from annotation.services.backup.archive_reader import check_archive
from annotation.services.core.errors import Conflict
from epitome.site.processes import ROOT, manage_command


class Rehearsal(NamedTuple):
    tables: int
    rows: int
    files: int
    differing: list[str]
    """Members of the archive that a backup of the restored site does not hold byte for byte; none where it is sound."""


def rehearse_restore(
    *, path: Path, database_url: str = "", progress: Callable[[str], None] = lambda _name: None
) -> Rehearsal:
    """Restore an archive into a site that is deleted afterwards, and back that site up: both archives must be equal.

    The form of rows in an archive does not depend on the engine, so that equal SHA-256 mean equal rows and files. The
    site is a folder below TMPDIR (with room for the files of the archive, twice) with an SQLite file, or the empty
    database of `database_url`, which keeps the rows. The running site is not touched.
    Raises DamagedArchive for an archive that is not sound, Conflict for the step that failed, with its words.
    """
    manifest = check_archive(path, progress)
    with TemporaryDirectory(prefix="epitome-rehearsal-") as folder:
        env = {**os.environ, "EPITOME_DATA_DIR": folder, "EPITOME_SECRET_KEY": settings.SECRET_KEY}
        env["DATABASE_URL"] = database_url or f"sqlite:///{folder}/epitome.sqlite3"
        second_path = Path(folder) / "second.tar.gz"
        _run_step(["migrate", "--verbosity", "0"], env, progress)
        _run_step(["restore", str(path.absolute()), "--other-key"], env, progress)
        _run_step(["backup", str(second_path)], env, progress)
        second_manifest = check_archive(second_path, progress)
    return _compare_manifests(manifest, second_manifest)


def _run_step(words: list[str], env: dict[str, str], progress: Callable[[str], None]) -> None:
    """Run a management command as a process of its own: it reads its own settings."""
    progress(words[0])
    step = subprocess.run(manage_command(*words), cwd=ROOT, env=env, capture_output=True, text=True)
    if step.returncode:
        raise Conflict(
            _("The rehearsal failed at %(step)s: %(why)s")
            % {"step": words[0], "why": step.stderr.strip().rpartition("\n")[2]}
        )


def _compare_manifests(manifest: dict[str, Any], second_manifest: dict[str, Any]) -> Rehearsal:
    members, second_members = manifest["members"], second_manifest["members"]
    data_members = [name for name in members if not name.startswith("tables/")]
    return Rehearsal(
        tables=len(manifest["tables"]),
        rows=sum(table["rows"] for table in second_manifest["tables"]),
        files=len([name for name in data_members if name in second_members]),
        differing=sorted(name for name in members if members[name] != second_members.get(name)),
    )

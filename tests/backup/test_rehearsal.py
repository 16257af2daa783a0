"""A rehearsal restores a backup elsewhere and says whether every row and file came back."""

import json
import shutil
import tempfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.services.backup import rehearsal
from tests.backup import factories as make
from tests.backup.test_backup import archive, change_manifest, rewrite  # noqa: F401  a fixture

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def quick_migrate(monkeypatch, migrated):
    """The first step takes half a minute, and is tried wherever a site is started."""
    run_step = rehearsal._run_step

    def run_others(words, env, progress):
        if words[0] == "migrate":
            return migrated(Path(env["EPITOME_DATA_DIR"]) / "epitome.sqlite3")
        return run_step(words, env, progress)

    monkeypatch.setattr(rehearsal, "_run_step", run_others)


@pytest.mark.db_engine
@pytest.mark.usefixtures("quick_migrate")
def test_a_rehearsal_compares_every_row_and_file_and_leaves_the_site_alone(archive, monkeypatch, tmp_path, capsys):  # noqa: F811
    rows_before = make.read_all_rows()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    call_command("rehearse_restore", str(archive))
    said = json.loads(capsys.readouterr().out)
    manifest = make.read_manifest(archive)
    n_rows = sum(table["rows"] for table in manifest["tables"])
    assert said == {"tables": len(manifest["tables"]), "rows": n_rows, "files": 1, "differing": []}
    assert make.read_all_rows() == rows_before
    assert not list(tmp_path.glob("epitome-rehearsal-*"))


def test_a_rehearsal_names_what_did_not_come_back_and_the_step_that_failed(archive, monkeypatch, capsys):  # noqa: F811
    """A restored site that lacks a file, and one whose database cannot be prepared."""
    monkeypatch.setattr(rehearsal, "_run_step", lambda words, env, progress: copy_without_file(archive, words))
    with pytest.raises(CommandError, match="1 parts of the archive did not come back"):
        call_command("rehearse_restore", str(archive))
    assert json.loads(capsys.readouterr().out)["differing"] == ["files/exports/a.jsonl"]
    monkeypatch.undo()
    with pytest.raises(CommandError, match=r"failed at migrate: .*starts with .mysql."):
        call_command("rehearse_restore", str(archive), "--database", "mysql://nobody@localhost/none")


def copy_without_file(whole_archive, words):
    """As `backup` would write it of a site to which a file did not come."""
    if words[0] != "backup":
        return
    shutil.copy(whole_archive, words[1])
    rewrite(Path(words[1]), lambda name, content: [] if name == "files/exports/a.jsonl" else [(name, content)])
    change_manifest(Path(words[1]), lambda manifest: manifest["members"].pop("files/exports/a.jsonl"))

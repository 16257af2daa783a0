"""A backup restored into an empty site gives every row and file back; a bad archive changes nothing."""

import gzip
import io
import json
import tarfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings as site_settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.models import WorkerHeartbeat
from annotation.services.backup import archive_writer, table_rows
from annotation.services.backup.archive_reader import DamagedArchive
from annotation.services.backup.site_backup import back_up_site
from annotation.services.backup.site_restore import restore_site
from annotation.services.core.errors import Conflict
from tests.backup import factories as make
from tests.commands import run_manage
from tests.outside import factories as make_outside

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def small_parts(monkeypatch):
    """Several members and batches per table."""
    monkeypatch.setattr(archive_writer, "MEMBER_BYTES", 1_000)
    monkeypatch.setattr(table_rows, "INSERTED_ROWS", 7)
    monkeypatch.setattr(table_rows, "FETCHED_ROWS", 5)


@pytest.fixture
def archive(tmp_path) -> Path:
    """A small backup: one account and one stored file."""
    User.objects.create_user("ann", password="the old password")
    stored = Path(site_settings.MEDIA_ROOT) / "exports" / "a.jsonl"
    stored.parent.mkdir(parents=True)
    stored.write_bytes(b"{}\n")
    path = tmp_path / "site.tar.gz"
    back_up_site(path=path)
    stored.unlink()
    make.empty_database()
    return path


def data_files() -> list[str]:
    root = Path(site_settings.DATA_DIR)
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


@contextmanager
def nothing_changed():
    files = data_files()
    yield
    assert User.objects.count() == 0
    assert [name for name in data_files() if name != "write.lock"] == [name for name in files if name != "write.lock"]
    assert not list(Path(site_settings.DATA_DIR).glob("restore-*"))


def rewrite(archive: Path, change) -> None:
    """Write the archive anew; `change(name, content)` returns the members that take the place of one."""
    with tarfile.open(archive) as tar:
        members = [(info.name, tar.extractfile(info).read()) for info in tar]
    with tarfile.open(archive, "w:gz") as tar:
        for name, content in members:
            for info, replaced in change(name, content):
                info = tarfile.TarInfo(info) if isinstance(info, str) else info
                info.size = len(replaced)
                tar.addfile(info, io.BytesIO(replaced))


def change_manifest(archive: Path, change) -> None:
    def rewrite_manifest(name, content):
        if name != "manifest.json":
            return [(name, content)]
        manifest = json.loads(content)
        change(manifest)
        return [(name, json.dumps(manifest).encode())]

    rewrite(archive, rewrite_manifest)


@pytest.mark.db_engine
def test_every_row_of_every_table_comes_back_also_by_way_of_the_other_engine(small_parts, tmp_path, migrated):
    make.fill_site()
    rows_before = make.read_all_rows()
    assert [label for label, rows in rows_before.items() if not rows] == []
    first = tmp_path / "first.tar.gz"
    report = back_up_site(path=first)
    assert report.rows == sum(map(len, rows_before.values()))
    assert max(len(table["members"]) for table in make.read_manifest(first)["tables"]) > 3

    other = tmp_path / "other"
    other.mkdir()
    migrated(other / "epitome.sqlite3")
    (other / "secret_key").write_text(site_settings.SECRET_KEY)
    manage = run_manage(other, "restore", str(first))
    assert manage.returncode == 0, manage.stderr
    second = tmp_path / "second.tar.gz"
    manage = run_manage(other, "backup", str(second))
    assert manage.returncode == 0, manage.stderr
    assert (other / "files" / "exports" / "old.jsonl").read_bytes() == b"{}\n" * 1000

    make.empty_database()
    restored = restore_site(path=second, other_key=True)
    assert restored.rows == report.rows
    rows_after = make.read_all_rows()
    for label, rows in rows_before.items():
        assert rows_after[label] == rows, label


def import_outside_answers(file: Path) -> str:
    """What the command that imports answers of other tools prints."""
    printed = io.StringIO()
    call_command("import_judgments", "wolves", "Errors", str(file), stdout=printed)
    return printed.getvalue()


@pytest.mark.db_engine
def test_answers_of_outside_raters_come_back_and_are_known_to_be_imported(tmp_path):
    """Their accounts, tasks without a slot and marked errors; the same file then adds nothing."""
    make_outside.outside_round(make_outside.outside_project())
    entries = [make_outside.judged(), make_outside.judged("shy-fox", comment="Odd")]
    file = make_outside.pearmut_file(tmp_path, *entries)
    assert "imported: 2 raters, 1 item, 2 ratings" in import_outside_answers(file)
    rows_before = make.read_all_rows()
    names = [rater["outside_name"] for rater in rows_before["evaluation.RoundRater"] if rater["tool"]]
    assert names == ["calm-otter", "shy-fox"] and len(rows_before["evaluation.ItemAssignment"]) == 2
    back_up_site(path=tmp_path / "site.tar.gz")
    make.empty_database()
    restore_site(path=tmp_path / "site.tar.gz")
    rows_after = make.read_all_rows()
    for label in ("evaluation.Judgement", "evaluation.ItemAssignment", "evaluation.RoundRater", "auth.User"):
        assert rows_after[label] == rows_before[label], label
    assert "imported before: 2 ratings" in import_outside_answers(file)
    assert make.read_all_rows()["evaluation.Judgement"] == rows_before["evaluation.Judgement"]


def test_a_worker_that_ran_once_is_no_reason_to_refuse(archive):
    make.fill_table(WorkerHeartbeat)
    restore_site(path=archive)
    assert not WorkerHeartbeat.objects.exists()


@pytest.mark.db_engine
def test_new_rows_get_ids_after_the_restored_ones(archive):
    restore_site(path=archive)
    assert User.objects.create_user("bo").pk > User.objects.get(username="ann").pk
    assert User.objects.get(username="ann").check_password("the old password")


@pytest.mark.db_engine
def test_rows_written_during_a_backup_are_not_half_in_it(tmp_path, monkeypatch):
    """Another connection commits while the tables are read: no table shows it."""
    from threading import Thread

    def create_account():
        User.objects.create_user("late")
        connection.close()

    User.objects.create_user("ann")
    original = table_rows.encode_rows
    writers = []

    def encode_rows(model):
        if not writers:  # the first table
            yield from original(model)
            writers.append(Thread(target=create_account))
            writers[0].start()
            writers[0].join()
        else:
            yield from original(model)

    monkeypatch.setattr(table_rows, "encode_rows", encode_rows)
    back_up_site(path=tmp_path / "site.tar.gz")
    assert set(User.objects.values_list("username", flat=True)) == {"ann", "late"}
    tables = {table["table"]: table["rows"] for table in make.read_manifest(tmp_path / "site.tar.gz")["tables"]}
    assert tables["auth_user"] == 1


def test_the_archive_is_private_and_replaces_no_file(archive):
    assert archive.stat().st_mode & 0o777 == 0o600
    content = archive.read_bytes()
    with pytest.raises(Conflict, match="already"):
        back_up_site(path=archive)
    assert archive.read_bytes() == content
    assert [path.name for path in archive.parent.iterdir() if path.name.endswith(".part")] == []


def test_a_database_with_rows_is_refused(archive):
    User.objects.create_user("bo")
    with pytest.raises(Conflict, match="auth_user"):
        restore_site(path=archive)
    assert list(User.objects.values_list("username", flat=True)) == ["bo"]
    assert [name for name in data_files() if name != "write.lock"] == []


def test_another_file_in_the_data_folder_is_refused_and_the_same_one_is_not(archive):
    target = Path(site_settings.MEDIA_ROOT) / "exports" / "a.jsonl"
    target.write_bytes(b"other")
    with nothing_changed(), pytest.raises(Conflict, match=r"exports/a\.jsonl"):
        restore_site(path=archive)
    target.write_bytes(b"{}\n")
    assert restore_site(path=archive).files == 0
    assert User.objects.count() == 1


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_an_archive_that_is_cut_short_changes_nothing(archive, share):
    content = archive.read_bytes()
    archive.write_bytes(content[: int(len(content) * share)])
    with nothing_changed(), pytest.raises(DamagedArchive):
        restore_site(path=archive)


def test_an_archive_without_its_manifest_changes_nothing(archive):
    rewrite(archive, lambda name, content: [] if name == "manifest.json" else [(name, content)])
    with nothing_changed(), pytest.raises(DamagedArchive, match="cut short"):
        restore_site(path=archive)


@pytest.mark.parametrize("member", ["tables/auth_user/000001.jsonl", "files/exports/a.jsonl"])
def test_an_altered_member_changes_nothing(archive, member):
    rewrite(archive, lambda name, content: [(name, content + b" " if name == member else content)])
    with nothing_changed(), pytest.raises(DamagedArchive, match=member):
        restore_site(path=archive)


def test_a_member_that_is_missing_changes_nothing(archive):
    rewrite(archive, lambda name, content: [] if name == "files/exports/a.jsonl" else [(name, content)])
    with nothing_changed(), pytest.raises(DamagedArchive, match="manifest"):
        restore_site(path=archive)


@pytest.mark.parametrize(
    "name",
    ["../evil", "files/../../evil", "/tmp/evil", "files//evil", "files/./evil", "training/..", "write.lock", "files",
     "tables/auth_user/../x.jsonl", "other/file"],
)  # fmt: skip
def test_a_member_outside_its_folder_is_refused(archive, name):
    rewrite(archive, lambda member, content: [(member, content), *([(name, b"x")] if member == "secret_key" else [])])
    change_manifest(archive, lambda manifest: manifest["members"].update({name: {"bytes": 1, "sha256": "0"}}))
    rewrite(
        archive,
        lambda member, content: [(name, b"x"), (member, content)] if member == "manifest.json" else [(member, content)],
    )
    with nothing_changed(), pytest.raises(DamagedArchive):
        restore_site(path=archive)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE])
def test_a_member_that_is_no_plain_file_is_refused(archive, kind):
    info = tarfile.TarInfo("files/exports/link")
    info.type, info.linkname = kind, "/etc/passwd"
    rewrite(
        archive, lambda name, content: [(info, b""), (name, content)] if name == "manifest.json" else [(name, content)]
    )
    with nothing_changed(), pytest.raises(DamagedArchive, match="no part of a backup"):
        restore_site(path=archive)


def test_another_kind_of_file_is_refused(archive):
    archive.write_bytes(gzip.compress(b"no tar file"))
    with nothing_changed(), pytest.raises(DamagedArchive, match="another kind"):
        restore_site(path=archive)


@pytest.mark.parametrize(("change", "words"), [("append", "newer"), ("pop", "older")])
def test_another_schema_is_refused_with_what_to_do(archive, change, words):
    change_manifest(
        archive,
        lambda manifest: (
            manifest["migrations"].append("annotation.9999_later")
            if change == "append"
            else manifest["migrations"].pop()
        ),
    )
    with nothing_changed(), pytest.raises(Conflict, match=words):
        restore_site(path=archive)


@pytest.mark.db_engine
def test_a_row_that_refers_to_nothing_rolls_everything_back(archive, monkeypatch):
    """The manifest is right, but the rows do not fit together: neither rows nor files stay."""
    User.objects.create_user("bo")
    make.fill_table(__import__("annotation.models", fromlist=["Project"]).Project)
    make.fill_table(__import__("annotation.models", fromlist=["Membership"]).Membership)
    second = archive.with_name("second.tar.gz")
    monkeypatch.setattr(table_rows, "encode_rows", _without("auth_user", table_rows.encode_rows))
    stored = Path(site_settings.MEDIA_ROOT) / "exports" / "b.jsonl"
    stored.write_bytes(b"{}\n")
    back_up_site(path=second)
    stored.unlink()
    make.empty_database()
    from django.db import IntegrityError

    with nothing_changed(), pytest.raises(IntegrityError):
        restore_site(path=second)


def _without(table, encode_rows):
    return lambda model: iter(()) if model._meta.db_table == table else encode_rows(model)


def test_files_are_moved_back_if_the_commit_fails(archive, monkeypatch):
    from annotation.services.backup import data_files as files_module

    moved = []

    def move_all(self):
        original(self)
        moved.append([target.name for _saved, target in self.moved])
        raise RuntimeError("power")

    original = files_module.StagedFiles.move_all
    monkeypatch.setattr(files_module.StagedFiles, "move_all", move_all)
    with nothing_changed(), pytest.raises(RuntimeError, match="power"):
        restore_site(path=archive)
    assert moved == [["a.jsonl"]]


def test_another_secret_key_is_refused_unless_accepted(archive, settings):
    settings.SECRET_KEY = "another key, as long as a production key has to be"
    with nothing_changed(), pytest.raises(Conflict, match="EPITOME_SECRET_KEY"):
        restore_site(path=archive)
    assert restore_site(path=archive, other_key=True).key_replaced is False


def test_the_key_in_the_data_folder_comes_along(tmp_path, migrated):
    old, new, archive = tmp_path / "old", tmp_path / "new", str(tmp_path / "site.tar.gz")
    for folder in (old, new):
        folder.mkdir()
        migrated(folder / "epitome.sqlite3")
    assert '"with_secret_key": true' in run_manage(old, "backup", archive).stdout
    key = (old / "secret_key").read_text()
    refused = run_manage(new, "restore", archive, EPITOME_SECRET_KEY="x" * 50)
    assert refused.returncode == 1 and "another secret key" in refused.stderr
    manage = run_manage(new, "restore", archive)
    assert manage.returncode == 0, manage.stderr
    assert (new / "secret_key").read_text() == key
    assert (new / "secret_key").stat().st_mode & 0o077 == 0


def test_trained_weights_come_along_and_staging_files_do_not(tmp_path):
    root = Path(site_settings.DATA_DIR)
    for name in ("training/1/weights/model.safetensors", "imports/a.staged", "collected/m", "files/x.part"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"content")
    back_up_site(path=tmp_path / "site.tar.gz")
    members = [name for name in make.read_manifest(tmp_path / "site.tar.gz")["members"] if "tables/" not in name]
    assert members == ["training/1/weights/model.safetensors"]


def test_the_commands_say_what_they_did_and_what_is_wrong(archive, tmp_path, capsys):
    call_command("restore", str(archive))
    assert json.loads(capsys.readouterr().out)["files"] == 1
    call_command("backup", str(tmp_path / "again.tar.gz"))
    output = capsys.readouterr()
    assert json.loads(output.out)["files"] == 1
    assert "EPITOME_SECRET_KEY" in output.err
    with pytest.raises(CommandError, match="has rows"):
        call_command("restore", str(archive))

"""The same export by command and by job; what is refused leaves nothing."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from annotation.jobs import run_job
from annotation.jobs.registry import SWEEPERS
from annotation.models import AuditEvent, JobState, Project, Release
from annotation.services.core.errors import BadInput
from annotation.services.exports import exporting
from annotation.services.exports.exporting import ExportOptions, start_export
from tests.export import factories as make

ROOT = Path(__file__).resolve().parent.parent.parent
pytestmark = pytest.mark.django_db


@pytest.fixture
def project(tmp_path, django_user_model) -> Project:
    result = make.news(tmp_path)
    make.write_one(result, make.make_person(result, "annotator1", django_user_model))
    return result


def test_what_killed_workers_left_is_deleted_after_a_day(project, settings):
    work = Path(settings.DATA_DIR) / "exports"
    for name in ("old", "new"):
        (work / name).mkdir(parents=True)
        (work / name / ".news.jsonl.part").write_text("texts")
    (work / "old.part").write_text("texts")
    yesterday = time.time() - 25 * 3600
    for name in ("old", "old.part"):
        os.utime(work / name, (yesterday, yesterday))
    assert exporting.sweep_work_files in list(SWEEPERS)
    exporting.sweep_work_files()
    assert [path.name for path in work.iterdir()] == ["new"]


def test_a_second_run_of_an_export_deletes_what_the_first_left(project, settings):
    job = start_export(project=project, options=ExportOptions(), by=None)
    result = Path(settings.DATA_DIR) / "exports" / f"{job.public_id}-0a1b2c3d"
    result.mkdir(parents=True)
    (result / "news.jsonl").write_text("texts")
    run_job(job.pk)
    job.refresh_from_db()
    assert job.state == JobState.DONE
    assert not list(result.parent.iterdir())


def test_the_command_writes_the_file_and_says_nothing_on_stdout(project, tmp_path, capsys):
    call_command("export", "news", "--output", str(tmp_path / "a.jsonl"))
    assert capsys.readouterr().out == ""
    assert make.read_lines(tmp_path / "a.jsonl") == make.read_lines(make.export(project, tmp_path, "b.jsonl"))
    call_command("export", "news", "--output", str(tmp_path / "a.parquet"), "--format", "parquet", "--json")
    data = json.loads(capsys.readouterr().out)
    assert data == make.read_manifest(tmp_path / "a.parquet")
    assert data["sha256"] == hashlib.sha256((tmp_path / "a.parquet").read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody", "--output", "{}/a"], "nobody"),
        (["news", "--output", "{}/none/a"], "folder"),
        (["news", "--output", "{}"], "folder"),
        (["news", "--output", "{}/a", "--split", "keep", "--split-seed", "1"], "split_seed"),
        (["news", "--output", "{}/a", "--shares", "60,20,21"], "shares"),
        (["news", "--output", "{}/a", "--release", "no tag"], "release"),
    ],
)
def test_a_refused_export_exits_1_with_one_line(project, tmp_path, capsys, arguments, said):
    folder = tmp_path / "empty"
    folder.mkdir()
    with pytest.raises(CommandError) as refused:
        call_command("export", *[argument.replace("{}", str(folder)) for argument in arguments])
    assert refused.value.returncode == 1
    assert said in str(refused.value)
    assert len(str(refused.value)) <= 500
    assert "\n" not in str(refused.value)
    assert capsys.readouterr().out == ""
    assert list(folder.iterdir()) == []
    assert not Release.objects.exists()


def test_a_file_that_cannot_be_written_is_refused(project, tmp_path):
    if os.geteuid() == 0:
        target = Path("/proc/epitome.jsonl")
    else:
        tmp_path.chmod(0o500)
        target = tmp_path / "a.jsonl"
    with pytest.raises(BadInput, match=target.name):
        make.export_to(project=project, path=target)


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_a_job_keeps_the_file_and_its_manifest_in_the_storage(project, tmp_path, django_user_model):
    by = make.make_person(project, "researcher", django_user_model)
    job = start_export(project=project, options=ExportOptions(release="v1"), by=by)
    assert run_job(job.pk)
    job.refresh_from_db()
    assert job.state == JobState.DONE, job.error
    content = default_storage.open(job.result["file"]).read()
    assert job.result["sha256"] == hashlib.sha256(content).hexdigest()
    assert job.result["file_name"] == "news-v1.jsonl"
    assert job.result["counts"]["summaries"] == 1
    data = json.loads(default_storage.open(job.result["manifest"]).read())
    assert (data["file"], data["sha256"]) == ("news-v1.jsonl", job.result["sha256"])
    assert (job.progress_done, job.progress_total) == (3, 3)
    assert content == make.export(project, tmp_path, release="v1").read_bytes()
    assert AuditEvent.objects.filter(verb="dataset.export", actor=by).count() == 1
    assert Release.objects.get().created_by == by


def test_a_second_run_of_a_job_replaces_the_first(project, settings):
    job = start_export(project=project, options=ExportOptions(format="macsum"), by=None)
    run_job(job.pk)
    job.refresh_from_db()
    first = job.result
    type(job).objects.filter(pk=job.pk).update(state=JobState.QUEUED)
    run_job(job.pk)
    job.refresh_from_db()
    assert job.result == first
    assert len(list((settings.MEDIA_ROOT / "exports").iterdir())) == 2
    assert list((settings.DATA_DIR / "exports").iterdir()) == []


def test_a_job_that_cannot_be_done_says_why(project):
    job = start_export(project=project, options=ExportOptions(release="v1"), by=None)
    run_job(job.pk)
    other = start_export(project=project, options=ExportOptions(release="v1", state="accepted"), by=None)
    run_job(other.pk)
    other.refresh_from_db()
    assert other.state == JobState.FAILED
    assert "v1" in other.error


KILLED = """
import json, os, signal, sys
import django
django.setup()
from django.core.management import call_command
from django.db import connections
from annotation.services.exports import export_writers, exporting
rows, out = sys.argv[1:]
call_command("create_project", "news", schema="macsum-doc", stdout=sys.stderr)
call_command("import_sources", "news", rows, stdout=sys.stderr)
connections.close_all()
def die(*_told):
    os.kill(os.getpid(), signal.SIGKILL)
def in_the_middle(head, found, write=export_writers.write_jsonl):
    yield next(write(head, found))
    die()
def killed(module, name, plant):
    child = os.fork()
    if not child:
        setattr(module, name, plant)
        call_command("export", "news", output=out)
        os._exit(0)
    return os.WTERMSIG(os.waitpid(child, 0)[1]), os.listdir(os.path.dirname(out))
found = [killed(export_writers, "write_jsonl", in_the_middle), killed(exporting.os, "fsync", die)]
call_command("export", "news", output=out)
print(json.dumps(found))
"""


def test_a_killed_export_leaves_no_file_under_the_name(tmp_path, migrated):
    """In a database and processes of its own: killed after the first piece, and with all written but the name."""
    fields = {
        "DATABASE_URL": f"sqlite:///{migrated(tmp_path / 'own.sqlite3')}",
        "EPITOME_DATA_DIR": str(tmp_path / "var"),
    }
    env = {**os.environ, **fields, "DJANGO_SETTINGS_MODULE": "epitome.site.settings"}
    rows, out = tmp_path / "rows.jsonl", tmp_path / "out" / "a.jsonl"
    rows.write_text("".join(json.dumps(make.row(i, "One two three four. " * 500)) + "\n" for i in range(12)))
    out.parent.mkdir()
    completed = subprocess.run(
        [sys.executable, "-c", KILLED, rows, out], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert completed.returncode == 0, completed.stderr[-3000:]
    for number, (ended_by, files) in enumerate(json.loads(completed.stdout), 1):
        assert ended_by == signal.SIGKILL
        assert len(files) == number and all(name.startswith(".") for name in files)
    assert len(make.of_task(out, "source")) == 12

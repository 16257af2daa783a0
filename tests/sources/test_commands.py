"""The commands as a script runs them: one line and exit code 1 for what is refused, JSON alone on stdout."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import load_command_class
from django.db import connections

from annotation.models import SourceDocument
from tests.sources.conftest import row

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def process(tmp_path_factory, migrated):
    """Runs manage.py in processes of their own, on a database of their own with the project "news"."""
    folder = tmp_path_factory.mktemp("commands")
    env = {key: value for key, value in os.environ.items() if not key.startswith("EPITOME_")}
    env |= {"DATABASE_URL": f"sqlite:///{folder}/db.sqlite3", "EPITOME_DATA_DIR": str(folder / "data")}

    def run(*words, code=None, **more):
        command = [sys.executable, "-c", code] if code else [sys.executable, "manage.py", *map(str, words)]
        return subprocess.run(command, cwd=ROOT, env=env | more, capture_output=True, text=True, timeout=120)

    migrated(folder / "db.sqlite3")
    assert run("create_project", "news", "--schema", "macsum-doc").returncode == 0
    run.folder = folder
    return run


@pytest.fixture
def world(news, tmp_path, monkeypatch):
    """Runs commands as manage.py does, in this process; starting one costs a second."""
    monkeypatch.setattr(connections, "close_all", lambda: None)  # the test's transaction would be gone

    def run(name, *words):
        out, err, code = io.StringIO(), io.StringIO(), 0
        with redirect_stdout(out), redirect_stderr(err):
            try:
                load_command_class("annotation", name).run_from_argv(["manage.py", name, *map(str, words)])
            except SystemExit as end:
                code = end.code
        return SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=err.getvalue())

    run.folder = tmp_path
    return run


def write(folder: Path, name: str, *rows: dict) -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(other_row) + "\n" for other_row in rows), encoding="utf-8")
    return file


def is_refusal(done) -> bool:
    return (
        done.returncode == 1
        and done.stdout == ""
        and done.stderr.count("\n") == 1
        and len(done.stderr.strip()) <= 500
        and "Traceback" not in done.stderr
    )


def test_a_taken_name_is_refused(process):
    result = process("create_project", "news", "--schema", "macsum-dial")
    assert is_refusal(result)
    assert "news" in result.stderr


@pytest.mark.parametrize(
    "words", [["create_project"], ["create_project", "x", "--schema", "nonsense"], ["import_sources"]]
)
def test_wrong_use_is_exit_code_2(world, words):
    result = world(*words)
    assert result.returncode == 2
    assert result.stdout == ""


def test_an_import_tells_its_counts_as_one_json_object(process):
    file = write(process.folder, "first.jsonl", row(1), row(2))
    result = process("import_sources", "news", file, "--json")
    assert result.returncode == 0
    data = json.loads(result.stdout)
    assert {key: data[key] for key in ("read", "stored", "duplicate", "left_out", "rejected")} == {
        "read": 2,
        "stored": 2,
        "duplicate": 0,
        "left_out": 0,
        "rejected": 0,
    }
    assert result.stdout.count("\n") == 1


def test_a_refused_file_is_one_line_that_names_file_and_place(world):
    file = write(world.folder, "bad.jsonl", row(11), {"id": "x" * 300, "text": "A b."})
    result = world("import_sources", "news", file)
    assert is_refusal(result)
    assert "bad.jsonl, line 2" in result.stderr


def test_a_long_fault_is_cut(world):
    file = write(world.folder, "long" * 50 + ".jsonl", {"id": "é" * 199 + "\x01", "text": "A b."})
    assert is_refusal(world("import_sources", "news", file))


def test_a_missing_file_and_an_unknown_project_are_refused(world):
    result = world("import_sources", "news", world.folder / "nowhere.jsonl")
    assert is_refusal(result)
    assert "nowhere.jsonl" in result.stderr
    result = world("import_sources", "nothere", world.folder / "nowhere.jsonl")
    assert is_refusal(result)
    assert "nothere" in result.stderr


def test_a_dry_run_lists_a_hundred_faults_and_exits_1(world):
    file = write(world.folder, "many.jsonl", *({"id": f"x{number}"} for number in range(150)))
    result = world("import_sources", "news", file, "--dry-run")
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    assert len([line for line in lines if line.startswith("many.jsonl, line ")]) == 100
    assert result.stderr.count("\n") == 1
    assert "150 faults" in result.stderr
    data = json.loads(world("import_sources", "news", file, "--dry-run", "--json").stdout)
    assert (len(data["faults"]), data["rejected"]) == (100, 150)
    assert data["faults"][0]["line"] == 1


def test_a_sound_dry_run_exits_0(world):
    file = write(world.folder, "sound.jsonl", row(900))
    result = world("import_sources", "news", file, "--dry-run", "--json")
    assert result.returncode == 0
    assert json.loads(result.stdout)["stored"] == 1
    assert json.loads(world("import_sources", "news", file, "--json").stdout)["duplicate"] == 0


def test_selecting_and_its_refusal(world):
    write(world.folder, "select.jsonl", *(row(number) for number in range(100, 110)))
    world("import_sources", "news", world.folder / "select.jsonl")
    first = json.loads(world("select_sources", "news", "--n", "3", "--seed", "7", "--json").stdout)
    again = json.loads(world("select_sources", "news", "--n", "3", "--seed", "7", "--json").stdout)
    assert first["chosen"] == again["chosen"]
    assert len(first["chosen"]) == 3
    assert is_refusal(world("select_sources", "news", "--n", "100000"))


KILLED = """
import os, signal, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "epitome.site.settings"
import django
django.setup()
from django.core.management import call_command
from django.db import connections
from annotation.models import SourceDocument, SourceImport, SourceText
from annotation.services.sources import import_publish, staging
call_command("create_project", "killed", schema="macsum-doc", stdout=sys.stderr)
connections.close_all()
file = os.environ["KILL_FILE"]
batches, insert, publish = staging.read_batches, import_publish.insert_sources, import_publish.restore_references
staging.read_batches = lambda path: batches(path, rows=3)
done = []
def killed(at):
    def step(**kwargs):
        done.append(1)
        insert(**kwargs)
        if len(done) == at:
            os.kill(os.getpid(), signal.SIGKILL)
    import_publish.insert_sources = step
    if at == 0:
        import_publish.audit.record_event = lambda **kwargs: os.kill(os.getpid(), signal.SIGKILL)
    call_command("import_sources", "killed", file)
for at in (1, 2, 3, 0):
    child = os.fork()
    if not child:
        killed(at)
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL, at
call_command("import_sources", "killed", file, json=True)
found = SourceDocument.everything.filter(project__slug="killed")
print(found.count(), found.filter(published=True).count(), SourceText.objects.filter(document__in=found).count())
print(SourceImport.objects.filter(project__slug="killed").count())
"""


def test_an_import_killed_at_any_step_leaves_one_clean_run(process):
    """kill -9 at every batch and while publishing; the next try clears away what was left."""
    file = write(process.folder, "killed.jsonl", *(row(number) for number in range(8)))
    result = process(code=KILLED, KILL_FILE=str(file))
    assert result.returncode == 0, result.stderr
    answer, *counts = result.stdout.splitlines()
    data = json.loads(answer)
    assert (data["stored"], data["duplicate"]) == (8, 0)
    assert " ".join(counts).split() == ["8", "8", "8", "1"]


@pytest.mark.django_db
def test_own_schema_and_guideline_files(tmp_path, news):
    from django.core.management import CommandError, call_command

    from annotation.models import Project
    from epitome.schema import preset_text

    (tmp_path / "own.toml").write_text(preset_text("macsum-doc").replace('key = "macsum-doc"', 'key = "own"', 1))
    (tmp_path / "guide.md").write_text("# Ours\n")
    call_command(
        "create_project", "own", schema_file=str(tmp_path / "own.toml"), guideline_file=str(tmp_path / "guide.md")
    )
    project = Project.objects.get(slug="own")
    assert project.guideline_version.text == "# Ours\n"
    assert project.schema_version.schema.key == "own"
    (tmp_path / "bad.toml").write_text('key = "own"\nname = 5\n')
    with pytest.raises(CommandError, match="line"):
        call_command("create_project", "bad", schema_file=str(tmp_path / "bad.toml"))
    assert not SourceDocument.objects.exists()

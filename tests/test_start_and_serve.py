"""`manage.py start` and `serve`: what they prepare, refuse, and hand over to."""

import io
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from annotation.services.people import first_admin
from epitome.site import processes as site_processes


@pytest.fixture
def production(settings, tmp_path, monkeypatch):
    """A site with the settings of production, whose processes are not started but noted."""
    settings.PRODUCTION = True
    settings.ALLOWED_HOSTS = ["epitome.example.org"]
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"},
    }
    monkeypatch.setenv("EPITOME_BIND", "0.0.0.0:8765")
    started = []
    monkeypatch.setattr(site_processes, "replace_by_supervisor", lambda plan, env: started.append((plan, env)))
    monkeypatch.setattr(site_processes, "replace_process", lambda command, env: started.append((command, env)))
    return started


def test_start_prepares_and_runs_web_and_worker(db, production, settings):
    call_command("start", concurrency=3, queues="text", stderr=io.StringIO())

    ((plan, env),) = production
    web, worker = plan.commands
    assert web[-1] == "python:epitome.site.gunicorn_conf"
    assert worker[-4:] == ["--concurrency", "3", "--queues", "text"]
    assert plan.probe == "http://127.0.0.1:8765/readyz"
    assert "0.0.0.0:8765 for epitome.example.org" in plan.lines[0]
    assert env["EPITOME_DATA_DIR"] == str(settings.DATA_DIR)
    assert (Path(settings.STATIC_ROOT) / "staticfiles.json").is_file()


def test_start_and_serve_print_the_code_of_a_site_without_accounts(db, production, settings):
    settings.EPITOME_SETUP_PAGE = True
    call_command("start", stderr=io.StringIO())
    assert production[0][0].lines[-2] == f"Set-up code: {first_admin.get_code()}"
    string_io = io.StringIO()
    call_command("serve", stderr=string_io)
    assert first_admin.get_code() in string_io.getvalue()

    User.objects.create(username="admin")
    call_command("start", stderr=io.StringIO())
    assert not any("code" in line for line in production[-1][0].lines)


def test_start_refuses_settings_of_a_try_out(db, production, settings):
    settings.PRODUCTION = False
    with pytest.raises(CommandError, match="set EPITOME_ENV=production"):
        call_command("start", stderr=io.StringIO())
    assert production == []


def test_serve_in_production_refuses_an_unprepared_site(db, production):
    with pytest.raises(CommandError, match="static files are not collected"):
        call_command("serve", stderr=io.StringIO())
    assert production == []
    call_command("collectstatic", interactive=False, verbosity=0)
    call_command("serve", bind="127.0.0.1:9000", stderr=io.StringIO())
    ((command, env),) = production
    assert command[1:3] == ["-m", "gunicorn"]
    assert env["EPITOME_BIND"] == "127.0.0.1:9000"


def test_serve_names_a_database_that_is_behind(db, production, monkeypatch):
    plan = "django.db.migrations.executor.MigrationExecutor.migration_plan"
    monkeypatch.setattr(plan, lambda self, targets: [("annotation.0001", False)])
    with pytest.raises(CommandError, match="the database is not up to date: run migrate first"):
        call_command("serve", stderr=io.StringIO())


def test_the_places_in_the_environment_do_not_depend_on_the_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    databases = {"default": {"NAME": "relative.sqlite3"}}
    env = site_processes.site_environment(SimpleNamespace(DATA_DIR="/data", SQLITE=True, DATABASES=databases))
    assert env["DATABASE_URL"] == f"sqlite:///{tmp_path}/relative.sqlite3"


@pytest.mark.parametrize(("checkout", "words"), [(True, ["manage.py"]), (False, ["-m", "epitome", "manage"])])
def test_processes_of_a_checkout_and_of_an_installation(monkeypatch, tmp_path, checkout, words):
    monkeypatch.setattr(site_processes, "ROOT", tmp_path)
    if checkout:
        (tmp_path / "manage.py").touch()
    assert site_processes.manage_command("worker")[1:] == [*words, "worker"]

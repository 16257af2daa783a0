"""The checks of the set-up page and of System status: green where it works, else what to do."""

import errno
import shutil
import socket
import tempfile
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.jobs.clock import database_now
from annotation.models import WorkerHeartbeat
from annotation.services.operations import site_checks
from annotation.services.operations.site_checks import RequestFacts
from epitome.site.oidc import GroupRoles, OidcSettings
from tests.tasks.factories import make_project

HERE = RequestFacts(host="testserver", is_secure=True, forwarded_scheme="")


def run_worker() -> None:
    now = database_now()
    WorkerHeartbeat.objects.create(name="host:1:a", queues=["default", "text"], seen_at=now, started_at=now)


def remedy_of(check) -> tuple[bool, str]:
    return check.is_ready, check.command


def test_projects_that_groups_give_roles_in_must_exist(db, settings):
    assert not any(check.name == "Sign-in provider" for check in site_checks.check_site(HERE))
    roles = GroupRoles(projects={"news": {"annotator": frozenset({"students"})}})
    fields = {"client_id": "a", "client_secret": "b", "scopes": "openid", "groups_claim": "groups", "label": "Uni"}
    switches = {"creates_accounts": True, "links_by_email": False, "site_factor": False}
    settings.EPITOME_OIDC = OidcSettings(issuer="https://a.example", group_roles=roles, **fields, **switches)
    check = site_checks.check_site(HERE)[-1]
    assert remedy_of(check) == (False, "EPITOME_OIDC_ROLES") and "news" in check.text
    make_project("news", documents=1)
    check = site_checks.check_site(HERE)[-1]
    assert check.is_ready and check.text == "Uni; groups give roles in 1 project"


@pytest.mark.db_engine
def test_the_database_names_its_engine_and_its_migrations(db, monkeypatch):
    check = site_checks.check_database()
    assert (
        check.is_ready and check.text.startswith(("SQLite 3.", "PostgreSQL 1")) and "migrations applied" in check.text
    )
    monkeypatch.setattr(site_checks, "check_migrations", lambda: False)
    assert remedy_of(site_checks.check_database()) == (False, "manage.py migrate")


def test_the_worker_is_known_by_its_heartbeat(db):
    assert remedy_of(site_checks.check_workers()) == (False, "manage.py worker")
    run_worker()
    check = site_checks.check_workers()
    assert check.is_ready and "default, text" in check.text


def test_storage_is_tried_by_writing(settings, monkeypatch):
    assert site_checks.check_storage().is_ready
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=2**29))
    assert not site_checks.check_storage().is_ready and "0.5 GB" in site_checks.check_storage().text

    def refuse(**_options):
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", refuse)
    assert remedy_of(site_checks.check_storage()) == (False, "EPITOME_DATA_DIR")


def test_mail_is_needed_for_password_resets_only(settings, monkeypatch):
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    assert not site_checks.check_mail().is_ready
    settings.EPITOME_PASSWORD_RESETS = False
    assert site_checks.check_mail().is_ready


def test_a_mail_server_is_tried(settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = "127.0.0.1"
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.EMAIL_PORT = server.getsockname()[1]
        assert site_checks.check_mail().is_ready
    assert not site_checks.check_mail().is_ready


@pytest.mark.parametrize(
    ("changes", "facts", "outcome"),
    [
        ({}, HERE, (True, "")),
        ({}, HERE._replace(is_secure=False, forwarded_scheme="https"), (False, "EPITOME_BEHIND_PROXY=1")),
        ({"CSRF_TRUSTED_ORIGINS": ["https://elsewhere.example"]}, HERE, (False, "EPITOME_ORIGINS")),
        ({"CSRF_TRUSTED_ORIGINS": ["https://epitome.example.org"]}, HERE, (True, "")),
        ({"PRODUCTION": True}, HERE._replace(is_secure=False), (False, "")),
        ({"PRODUCTION": True}, HERE._replace(host="localhost:8000", is_secure=False), (True, "")),
        ({"PRODUCTION": True}, HERE, (True, "")),
    ],
)
def test_addresses_that_would_refuse_forms_are_named(settings, changes, facts, outcome):
    settings.ALLOWED_HOSTS = ["epitome.example.org"]
    for name, value in changes.items():
        setattr(settings, name, value)
    assert remedy_of(site_checks.check_addresses(facts)) == outcome


def test_the_page_is_for_site_admins(db, settings):
    client = Client()
    client.force_login(User.objects.create(username="researcher"))
    assert client.get("/status/").status_code == 404
    assert "System status" not in client.get("/").content.decode()

    site_admin = Client()
    site_admin.force_login(User.objects.create(username="admin", is_superuser=True))
    assert "System status" in site_admin.get("/").content.decode()
    text = site_admin.get("/status/").content.decode()
    assert "No worker is running" in text and "manage.py worker" in text
    run_worker()
    assert "No worker is running" not in site_admin.get("/status/").content.decode()
    assert str(settings.DATA_DIR) not in text

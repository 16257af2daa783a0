"""First run: a site without accounts leads to its set-up page, which makes one admin and then is gone."""

import re
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connections
from django.test import Client

from annotation.models import AuditEvent
from annotation.services.core.errors import NotFound
from annotation.services.people import first_admin

PASSWORD = "a-long-pass-phrase"


@pytest.fixture(autouse=True)
def setup_page_is_on(settings):
    settings.EPITOME_SETUP_PAGE = True


def send(client: Client | None = None, **entries):
    form = {"code": "", "username": "admin", "password": PASSWORD, "again": PASSWORD, "email": "", **entries}
    return (client or Client()).post("/setup/", form)


@pytest.mark.parametrize("path", ["/", "/sign-in/", "/p/news/", "/nothing/", "/tokens/"])
def test_every_page_of_a_site_without_accounts_leads_to_the_set_up_page(db, path):
    assert Client().get(path).headers["Location"] == "/setup/"


def test_the_api_of_a_site_without_accounts_says_so(db):
    answer = Client().get("/api/v1/projects/")
    assert answer.status_code == 503 and answer.json()["code"] == "setup"
    assert answer["Retry-After"] == "30"


def test_the_code_of_the_log_makes_the_admin_and_leads_to_the_first_project(db, caplog):
    client = Client()
    page = client.get("/setup/")
    assert page.status_code == 200 and "Admin account" in page.content.decode()
    (code,) = re.findall(r"Set-up code: (\w{4}-\w{4}) ", caplog.text)
    assert code not in page.content.decode()

    answer = send(client, code=code.lower().replace("-", " "), email="admin@example.org")

    assert answer.headers["Location"] == "/projects/new/"
    assert "Admin account created" in client.get("/projects/new/").content.decode()
    admin = User.objects.get()
    assert (admin.username, admin.email, admin.is_superuser) == ("admin", "admin@example.org", True)
    assert admin.check_password(PASSWORD)
    assert AuditEvent.objects.filter(verb="person.create", target=f"user:{admin.pk}").count() == 1


def test_afterwards_the_set_up_page_is_not_found_for_everybody(db):
    admin = Client()
    send(admin, code=first_admin.get_code())
    other = Client()
    other.force_login(User.objects.create(username="rater1"))
    for client in (admin, other, Client()):
        assert client.get("/setup/").status_code == 404
        assert send(client, code="AAAA-AAAA", username="second").status_code == 404
    assert User.objects.count() == 2
    assert Client().get("/").headers["Location"].startswith("/sign-in/")


def test_a_site_with_accounts_has_no_set_up_page(db):
    User.objects.create(username="annotator1")
    assert Client().get("/setup/").status_code == 404
    assert Client().get("/").headers["Location"].startswith("/sign-in/")


def test_a_site_may_go_without_the_set_up_page(db, settings):
    settings.EPITOME_SETUP_PAGE = False
    assert Client().get("/setup/").status_code == 404
    assert Client().get("/").headers["Location"].startswith("/sign-in/")


def test_the_code_is_one_for_all_processes_and_for_its_owner_only(db, settings):
    codes = {first_admin.get_code() for _ in range(3)}
    file = Path(settings.DATA_DIR) / first_admin.CODE_FILE
    assert len(codes) == 1
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    send(code=codes.pop())
    assert not file.exists()


def test_a_code_expires_and_the_next_one_is_logged(db, settings, caplog):
    old = first_admin.get_code()
    file = Path(settings.DATA_DIR) / first_admin.CODE_FILE
    file.write_text(f"{old} {int(time.time()) - first_admin.VALID_SECONDS}\n")

    answer = send(code=old)

    assert answer.status_code == 422 and "Wrong code" in answer.content.decode()
    assert not User.objects.exists()
    assert first_admin.get_code() != old and first_admin.get_code() in caplog.text


@pytest.mark.parametrize(
    ("entries", "fault"),
    [
        ({"code": "AAAA-AAAA"}, "Wrong code"),
        ({"password": "short", "again": "short"}, "too short"),
        ({"password": "password1234", "again": "password1234"}, "too common"),
        ({"again": "another-pass-phrase"}, "passwords do not match"),
        ({"username": "no spaces here"}, "valid username"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_stored(db, entries, fault):
    answer = send(**{"code": first_admin.get_code(), **entries})
    assert answer.status_code == 422 and fault in answer.content.decode()
    assert not User.objects.exists()


@pytest.mark.db_engine
def test_codes_cannot_be_guessed(db, settings):
    settings.EPITOME_SIGN_IN_TRIES = 0
    statuses = [send(code="AAAA-AAAA").status_code for _ in range(11)]
    assert statuses == [422] * 10 + [429]
    refused = send(code=first_admin.get_code())
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "900")
    assert not User.objects.exists()


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_two_people_at_once_make_one_admin():
    code, gate = first_admin.get_code(), threading.Barrier(4)

    def create(number: int) -> bool:
        try:
            gate.wait(30)
            values = {"username": f"admin{number}", "password": PASSWORD, "email": ""}
            first_admin.create_first_admin(code=code, address=f"192.0.2.{number}", **values)
        except NotFound:
            return False
        finally:
            connections.close_all()
        return True

    for _ in range(5):
        with ThreadPoolExecutor(4) as pool:
            outcomes = list(pool.map(create, range(4)))
        assert outcomes.count(True) == 1 and User.objects.count() == 1
        User.objects.all().delete()
        AuditEvent.objects.all().delete()
        handle = Path(first_admin.settings.DATA_DIR) / first_admin.CODE_FILE
        handle.write_text(f"{code} {int(time.time())}\n")


def test_a_database_that_does_not_answer_is_no_loop(db, monkeypatch):
    def fail():
        raise OperationalError("gone")

    monkeypatch.setattr(first_admin, "is_setup_open", fail)
    assert Client(raise_request_exception=False).get("/").headers["Location"].startswith("/sign-in/")


def test_a_site_that_is_set_up_asks_no_more(db, django_assert_num_queries):
    User.objects.create(username="annotator1")
    client = Client()
    client.get("/sign-in/")
    with django_assert_num_queries(0):
        client.get("/sign-in/")

"""Tries of a password are counted exactly, however many come at once; addresses are not taken on trust."""

import threading
from collections import Counter
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F
from django.test import Client, RequestFactory

from annotation.models import AuditEvent
from annotation.services.accounts import sign_in_throttle
from annotation.services.core.errors import TooMany
from annotation.views.core.client_ip import client_address
from epitome.site import environment as env
from tests.pages.conftest import PASSWORD, person

TRIES, THREADS = 1000, 16


def try_at_once(pairs: list[tuple[str, str]]) -> Counter:
    """Each (account, address) once, from 16 threads that start together; how often each was let through."""
    through, start = Counter(), threading.Barrier(THREADS)

    def work(mine: list[tuple[str, str]]) -> None:
        start.wait()
        for account, address in mine:
            try:
                sign_in_throttle.begin_try(account=account, address=address)
            except TooMany:
                continue
            through[account, address] += 1
        connection.close()

    threads = [threading.Thread(target=work, args=(pairs[n::THREADS],)) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return through


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_of_a_thousand_tries_at_once_ten_get_through(settings):
    settings.EPITOME_SIGN_IN_TRIES = 10
    through = try_at_once([("victim", "203.0.113.5")] * TRIES)

    assert through == {("victim", "203.0.113.5"): 10}
    sign_in_throttle.begin_try(account="victim", address="198.51.100.7")  # the victim, at home
    sign_in_throttle.begin_try(account="other", address="203.0.113.5")


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_of_a_thousand_tries_at_once_over_many_accounts_a_hundred_get_through(settings):
    settings.EPITOME_SIGN_IN_TRIES = 10
    through = try_at_once([(f"name{n % 200}", "203.0.113.5") for n in range(TRIES)])

    assert through.total() == 100
    assert max(through.values()) <= 10


@pytest.mark.db_engine
def test_invented_addresses_help_nobody(db, settings):
    settings.EPITOME_SIGN_IN_TRIES = 3
    person("victim")
    client = Client()
    answers = [
        client.post(
            "/sign-in/", {"username": "victim", "password": "wrong"}, headers={"X-Forwarded-For": f"10.0.0.{n}"}
        )
        for n in range(5)
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert client.post("/sign-in/", {"username": "victim", "password": PASSWORD}).status_code == 429
    assert Client(REMOTE_ADDR="198.51.100.7").post("/sign-in/", {"username": "victim", "password": PASSWORD}).url == "/"


def sign_in_from(address: str, password: str = "wrong") -> int:
    return Client(REMOTE_ADDR=address).post("/sign-in/", {"username": "victim", "password": password}).status_code


@pytest.mark.db_engine
def test_many_failed_tries_from_anywhere_slow_strangers_down_and_not_the_owner(db, settings):
    settings.EPITOME_SIGN_IN_TRIES = 3
    person("victim")
    assert sign_in_from("198.51.100.7", PASSWORD) == 302  # at home
    assert [sign_in_from(f"10.0.0.{n}") for n in range(12)] == [200] * 9 + [429] * 3
    assert sign_in_from("203.0.113.9", PASSWORD) == 429
    assert sign_in_from("198.51.100.7", PASSWORD) == 302

    AuditEvent.objects.filter(target__startswith="sign-in-account:").update(at=F("at") - timedelta(minutes=3))
    assert [sign_in_from("10.0.1.1"), sign_in_from("10.0.1.2")] == [200, 429]  # one in two minutes
    AuditEvent.objects.filter(target__startswith="sign-in-account:").update(at=F("at") - timedelta(minutes=58))
    assert sign_in_from("203.0.113.9", PASSWORD) == 302  # nobody is locked out for good


def test_signing_in_often_is_no_failed_try(db, settings):
    settings.EPITOME_SIGN_IN_TRIES = 3
    person("victim")
    assert [sign_in_from(f"10.0.0.{n}", PASSWORD) for n in range(20)] == [302] * 20


@pytest.mark.db_engine
def test_the_old_password_cannot_be_guessed_from_an_open_session(db, settings):
    settings.EPITOME_SIGN_IN_TRIES = 3
    client = Client()
    client.force_login(person("victim"))
    new = {"new_password1": "a fine new passphrase", "new_password2": "a fine new passphrase"}

    def change(old: str, **more: str) -> int:
        return client.post("/password/", {"old_password": old, **new, **more}).status_code

    assert [change(PASSWORD, new_password2="another") for _ in range(5)] == [200] * 5  # the old one is right
    assert [change("wrong") for _ in range(4)] == [200, 200, 200, 429]
    assert "Too many attempts" in client.post("/password/", {"old_password": PASSWORD, **new}).content.decode()
    assert User.objects.get(username="victim").check_password(PASSWORD)


@pytest.mark.parametrize(
    ("behind", "proxies", "sender", "header", "found"),
    [
        (False, "", "203.0.113.5", "10.9.9.9", "203.0.113.5"),
        (False, "203.0.113.5", "203.0.113.5", "10.9.9.9", "203.0.113.5"),
        (True, "", "10.0.0.1", "6.6.6.6, 203.0.113.5", "203.0.113.5"),
        (True, "", "10.0.0.1", "", "10.0.0.1"),
        (True, "10.0.0.0/24", "10.0.0.1", "6.6.6.6, 203.0.113.5, 10.0.0.2", "203.0.113.5"),
        (True, "10.0.0.0/24", "203.0.113.5", "6.6.6.6", "203.0.113.5"),
        (True, "10.0.0.0/24", "10.0.0.1", "10.0.0.9", "10.0.0.9"),
        (True, "", "10.0.0.1", "x" * 500, "x" * 60),
        (False, "", "2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::"),
        (False, "", "::ffff:203.0.113.5", "", "203.0.113.5"),
    ],
)
def test_the_address_is_the_one_that_cannot_be_made_up(settings, monkeypatch, behind, proxies, sender, header, found):
    monkeypatch.setenv("EPITOME_PROXY_IPS", proxies)
    settings.EPITOME_BEHIND_PROXY, settings.EPITOME_PROXY_IPS = behind, env.read_networks("EPITOME_PROXY_IPS")
    request = RequestFactory().get("/", REMOTE_ADDR=sender, **({"HTTP_X_FORWARDED_FOR": header} if header else {}))

    assert client_address(request) == found


def test_a_proxy_that_is_no_address_stops_the_start(monkeypatch):
    monkeypatch.setenv("EPITOME_PROXY_IPS", "10.0.0.1, proxy.example.org")
    with pytest.raises(env.BadSetting, match="EPITOME_PROXY_IPS"):
        env.read_networks("EPITOME_PROXY_IPS")


def test_an_unknown_a_closed_and_a_known_account_get_the_same_answer(db):
    person("known")
    person("closed", is_active=False)
    texts = {}
    for name, password in (("known", "wrong"), ("unknown", "wrong"), ("closed", PASSWORD), ("closed", "wrong")):
        answer = Client().post("/sign-in/", {"username": name, "password": password})
        assert answer.status_code == 200
        form = answer.context["form"]
        texts[name, password] = str(form.errors), answer.content.count(b"\n")
    assert len(set(texts.values())) == 1


def test_an_unknown_account_costs_as_much_hashing_as_a_known_one(db, monkeypatch):
    from django.contrib.auth.hashers import MD5PasswordHasher

    hashed, encode = [], MD5PasswordHasher.encode
    monkeypatch.setattr(MD5PasswordHasher, "encode", lambda *args, **rest: hashed.append(1) or encode(*args, **rest))
    person("known")
    counts = []
    for name in ("known", "unknown"):
        hashed.clear()
        Client().post("/sign-in/", {"username": name, "password": "wrong"})
        counts.append(len(hashed))
    assert counts == [1, 1]

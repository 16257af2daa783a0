"""Sessions: a new key at sign-in, an end after a pause or a week, and none for a closed account."""

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client, RequestFactory

from annotation.services.accounts import sessions
from tests.pages.conftest import PASSWORD, person

HOUR = 3600
pytestmark = pytest.mark.django_db


class Clock:
    def __init__(self, monkeypatch) -> None:
        self.now = sessions.time.time()
        monkeypatch.setattr(sessions.time, "time", lambda: self.now)


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


@pytest.fixture
def client():
    person("ann")
    return signed_in()


def signed_in(name: str = "ann") -> Client:
    client = Client()
    assert client.post("/sign-in/", {"username": name, "password": PASSWORD}).status_code == 302
    return client


def is_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def with_cookie(key: str) -> Client:
    client = Client()
    client.cookies["sessionid"] = key
    return client


def test_a_session_ends_twelve_hours_after_it_was_last_used(client, clock):
    clock.now += 11 * HOUR
    assert is_in(client)
    clock.now += 11 * HOUR
    assert is_in(client)
    clock.now += 12 * HOUR + 1
    assert not is_in(client)
    assert Session.objects.count() == 0


def test_a_session_ends_after_seven_days_of_use(client, clock):
    for _ in range(24 * 7 // 6):
        assert is_in(client)
        clock.now += 6 * HOUR - 1
    assert is_in(client)
    clock.now += 60
    assert not is_in(client)


def test_use_is_noted_once_in_ten_minutes(client, clock):
    writes = []
    for _ in range(7):
        clock.now += 100
        session_data_before = Session.objects.get().session_data
        is_in(client)
        writes.append(Session.objects.get().session_data != session_data_before)
    assert sum(writes) == 1


def test_the_end_of_the_cookie_is_not_put_off(client, clock):
    clock.now += HOUR
    assert "sessionid" not in client.get("/").cookies


def test_a_session_key_from_before_the_sign_in_is_worth_nothing(client):
    """Somebody who planted a key in another's browser does not share the session."""
    planted = with_cookie("k" * 32)
    planted.post("/sign-in/", {"username": "ann", "password": PASSWORD})
    assert is_in(planted)
    assert planted.cookies["sessionid"].value != "k" * 32
    assert not is_in(with_cookie("k" * 32))


def test_signing_in_again_rotates_the_key_and_kills_the_old_cookie(client):
    old = client.cookies["sessionid"].value
    client.post("/sign-out/")
    client.post("/sign-in/", {"username": "ann", "password": PASSWORD})

    assert client.cookies["sessionid"].value != old
    assert is_in(client) and not is_in(with_cookie(old))


def test_a_new_password_ends_all_other_sessions_on_the_next_request(client):
    other = signed_in()
    new = "quite another pass phrase"
    client.post("/password/", {"old_password": PASSWORD, "new_password1": new, "new_password2": new})

    assert is_in(client) and not is_in(other)


@pytest.mark.parametrize("how", ["saved", "updated"])
def test_a_closed_account_is_out_on_the_next_request(client, how):
    user = User.objects.get(username="ann")
    if how == "saved":
        user.is_active = False
        user.save()
        assert Session.objects.count() == 0
    else:
        User.objects.filter(pk=user.pk).update(is_active=False)
    assert not is_in(client)

    User.objects.filter(pk=user.pk).update(is_active=True)
    assert not is_in(client), "opened again, but the old sessions stay dead"


def test_only_ones_own_sessions_end(client):
    other = person("bo")
    bo = signed_in("bo")
    assert sessions.end_sessions(other) == 1
    assert is_in(client) and not is_in(bo)


def test_a_session_and_its_person_are_one_statement_and_a_wrong_hint_lets_nobody_in(client, django_assert_num_queries):
    other = person("bob")
    key = client.cookies["sessionid"].value
    assert is_in(client)
    request = RequestFactory().get("/")
    request.session = sessions.SessionStore(key)
    with django_assert_num_queries(1):
        assert sessions.signed_in_person(request).get_username() == "ann"

    sessions.user_ids_by_key[key] = other.pk
    request = RequestFactory().get("/")
    request.session = sessions.SessionStore(key)
    assert sessions.signed_in_person(request).get_username() == "ann"

    User.objects.filter(username="ann").update(is_active=False)
    request.session = sessions.SessionStore(key)
    assert not sessions.signed_in_person(request).is_authenticated

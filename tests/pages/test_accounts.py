"""Signing in and out, passwords, tries, colours, tokens."""

import re

import pytest
from django.core import mail
from django.test import Client

from annotation.models import ApiToken
from tests.pages.conftest import PASSWORD


def sign_in(client: Client, name: str, password: str = PASSWORD, **extra):
    return client.post("/sign-in/", {"username": name, "password": password}, **extra)


def test_signing_in_leads_where_one_wanted_to_go(world):
    client = Client()
    response = client.get("/p/news/sources/")
    answer = client.post(
        response.headers["Location"], {"username": "admin", "password": PASSWORD, "next": "/p/news/sources/"}
    )

    assert answer.headers["Location"] == "/p/news/sources/"
    assert "Sources" in client.get("/p/news/sources/").content.decode()


def test_a_wrong_password_and_an_unknown_name_get_the_same_words(world):
    wrong = sign_in(Client(), "admin", "wrong").content.decode()
    unknown = sign_in(Client(), "nobody", "wrong").content.decode()

    assert "Wrong user name or password" in wrong
    assert strip(wrong, "admin") == strip(unknown, "nobody")


def strip(text: str, name: str) -> str:
    return re.sub(r'value="[A-Za-z0-9]{64}"', "", text).replace(f'value="{name}"', "")


def test_the_session_key_changes_at_sign_in_and_dies_at_sign_out(world):
    client = Client()
    sign_in(client, "admin")
    cookie = client.cookies["sessionid"].value
    answer = client.post("/sign-out/")
    assert answer.headers["Location"] == "/sign-in/"

    client.cookies["sessionid"] = cookie
    assert client.get("/").status_code == 302


def test_signing_out_needs_a_form(world):
    assert world.as_("admin").get("/sign-out/").status_code == 405


@pytest.mark.db_engine
def test_tries_are_counted_per_account_and_address(world, settings):
    settings.EPITOME_SIGN_IN_TRIES = 3
    for _ in range(3):
        assert sign_in(Client(), "admin", "wrong").status_code == 200

    refused = sign_in(Client(), "admin", PASSWORD, headers={"X-Forwarded-For": "203.0.113.9"})
    assert refused.status_code == 429 and "Too many attempts" in refused.content.decode()
    assert sign_in(Client(), "ADMIN", PASSWORD).status_code == 429
    assert sign_in(Client(), "researcher").status_code == 302, "another account at this address"
    assert sign_in(Client(), "admin", REMOTE_ADDR="198.51.100.7").status_code == 302, "the victim, elsewhere"


@pytest.mark.db_engine
def test_a_sign_in_that_works_takes_the_tries_back(world, settings):
    settings.EPITOME_SIGN_IN_TRIES = 3
    for _ in range(3):
        sign_in(Client(), "admin", "wrong")
        sign_in(Client(), "admin", "wrong")
        assert sign_in(Client(), "admin").status_code == 302


@pytest.mark.db_engine
def test_one_address_may_not_try_every_account(world, settings):
    settings.EPITOME_SIGN_IN_TRIES = 2
    answers = [sign_in(Client(), f"name{n}", "wrong").status_code for n in range(21)]

    assert answers == [200] * 20 + [429]


def test_a_short_or_common_password_is_refused_in_words(world):
    client = Client()
    sign_in(client, "admin")
    for bad in ("short", "password1234"):
        answer = client.post("/password/", {"old_password": PASSWORD, "new_password1": bad, "new_password2": bad})
        assert answer.status_code == 200 and "This password is too" in answer.content.decode()


def test_a_changed_password_ends_the_other_sessions(world):
    here, there = Client(), Client()
    sign_in(here, "admin")
    sign_in(there, "admin")
    new = "quite another pass phrase"
    answer = here.post("/password/", {"old_password": PASSWORD, "new_password1": new, "new_password2": new})

    assert answer.status_code == 302 and here.get("/").status_code == 200
    assert there.get("/").status_code == 302


def test_a_forgotten_password_is_renewed_by_a_link_that_works_once(world):
    user = world.people["admin"]
    user.email = "admin@example.org"
    user.save(update_fields=["email"])
    client = Client()
    assert "/sent/" in client.post("/password/reset/", {"email": "admin@example.org"}).headers["Location"]
    link = re.search(r"http://testserver(/password/reset/\S+)", mail.outbox[0].body).group(1)

    form = client.get(link, follow=True)
    new = "a quite new pass phrase"
    response = client.post(form.redirect_chain[-1][0], {"new_password1": new, "new_password2": new}, follow=True)

    assert "Password changed" in response.content.decode()
    assert sign_in(Client(), "admin", new).status_code == 302
    assert "has expired" in Client().get(link, follow=True).content.decode()


def test_an_unknown_address_gets_the_same_answer_and_no_mail(world):
    answer = Client().post("/password/reset/", {"email": "nobody@example.org"})
    assert answer.headers["Location"] == "/password/reset/sent/" and mail.outbox == []


@pytest.mark.db_engine
def test_resets_are_limited_per_account_and_per_address_whether_the_account_is_known_or_not(world, settings):
    settings.EPITOME_SIGN_IN_TRIES = 10
    user = world.people["admin"]
    user.email = "admin@example.org"
    user.save(update_fields=["email"])

    def request_reset(email, address):
        answer = Client(REMOTE_ADDR=address).post("/password/reset/", {"email": email})
        return answer.status_code, strip(answer.content.decode(), email)

    answers = {}
    for email in ("admin@example.org", "nobody@example.org"):
        answers[email] = [request_reset(email, f"198.51.100.{n}") for n in range(4)]
        answers[email].append(request_reset(email.upper(), "198.51.100.9"))
    assert [status for status, _text in answers["admin@example.org"]] == [302, 302, 302, 429, 429]
    assert answers["admin@example.org"][:4] == answers["nobody@example.org"][:4]
    assert "wait an hour" in answers["admin@example.org"][3][1]
    assert len(mail.outbox) == 3
    statuses = [request_reset(f"n{n}@example.org", "203.0.113.5")[0] for n in range(11)]
    assert statuses == [302] * 10 + [429]


def test_a_site_without_resets_offers_none(world, settings):
    assert "/password/reset/" in Client().get("/sign-in/").content.decode()
    settings.EPITOME_PASSWORD_RESETS = False
    page = Client().get("/sign-in/").content.decode()
    assert "/password/reset/" not in page and "Ask the admin of this site" in page
    for path in ("", "sent/", "finished/", "MQ/difd66-0123/"):
        assert Client().get(f"/password/reset/{path}").status_code == 404
    assert Client().post("/password/reset/", {"email": "admin@example.org"}).status_code == 404
    assert mail.outbox == []


def test_the_chosen_colours_are_there_on_the_next_page(world):
    client = world.as_("admin")
    assert "data-theme" not in client.get("/").content.decode().split("<head>")[0]

    answer = client.post("/theme/", {"theme": "dark", "next": "/p/news/"})

    assert answer.headers["Location"] == "/p/news/"
    assert 'data-theme="dark"' in client.get("/").content.decode().split("<head>")[0]


def test_a_made_up_theme_is_ignored(world):
    client = world.as_("admin")
    client.cookies["theme"] = '"><script>'
    assert "<script>" not in client.get("/").content.decode().split("<head>")[0]
    assert "theme" not in client.post("/theme/", {"theme": "neon"}).cookies


def test_a_token_is_shown_once_and_works_until_it_is_revoked(world):
    client = world.as_("researcher")
    answer = client.post("/tokens/", {"name": "nightly", "scope": "read", "days": 30})
    plain = re.search(r"ept_[\w-]+", answer.content.decode()).group(0)
    token = ApiToken.objects.get()

    assert plain not in client.get("/tokens/").content.decode()
    assert plain not in token.digest

    client.post(f"/tokens/{token.public_id}/revoke/")
    token.refresh_from_db()
    assert token.revoked_at is not None
    assert "revoked" in client.get("/tokens/").content.decode()


def test_a_token_form_with_faults_says_which(world):
    answer = world.as_("admin").post("/tokens/", {"name": "", "scope": "all", "days": 900})

    assert answer.status_code == 422
    text = answer.content.decode()
    assert "required" in text and "366" in text and ApiToken.objects.count() == 0

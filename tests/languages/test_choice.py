"""Which language a page has: the account's, else the cookie's, else the browser's, else English."""

import re

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse

from annotation.models import LanguageChoice
from annotation.services.accounts import languages
from annotation.services.accounts.api_tokens import create_token
from annotation.services.accounts.sessions import user_ids_by_key
from annotation.services.core.errors import BadInput
from epitome.site import environment
from tests.languages.pseudo import CLOSE, OPEN, speak_pseudo

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-password"


@pytest.fixture
def person() -> User:
    return User.objects.create_user("annotator1", "annotator1@example.org", PASSWORD)


@pytest.fixture
def client(person) -> Client:
    client = Client()
    client.force_login(person)
    return client


def page_language(client: Client, path: str = "/", **headers) -> str:
    page = client.get(path, headers=headers).content.decode()
    return re.search(r'<html lang="([\w-]+)"', page)[1]


def test_without_a_choice_the_browser_decides_among_the_offered_languages(client):
    assert page_language(client) == "en"
    assert page_language(client, **{"accept-language": "fr, de-AT;q=0.8"}) == "de"
    assert page_language(client, **{"accept-language": "zh-CN"}) == "zh-hans"
    assert page_language(client, **{"accept-language": "fr"}) == "en"


def test_the_account_goes_before_the_cookie_and_the_cookie_before_the_browser(client, person):
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "ar"
    assert page_language(client, **{"accept-language": "zh-hans"}) == "ar"

    languages.choose_language(person, "de")

    assert page_language(client, **{"accept-language": "zh-hans"}) == "de"


def test_the_choice_follows_the_account_into_another_browser(client, person):
    client.post(reverse("language"), {"language": "de", "next": "/tokens/"})

    elsewhere = Client()
    elsewhere.force_login(person)
    assert page_language(elsewhere) == "de"
    user_ids_by_key.clear()  # a process that has not seen the session
    assert page_language(elsewhere) == "de"
    assert page_language(elsewhere) == "de"


def test_choosing_leads_back_and_never_to_another_site(client):
    answer = client.post(reverse("language"), {"language": "de", "next": "/tokens/?a=1"})
    assert answer.url == "/tokens/?a=1"

    answer = client.post(reverse("language"), {"language": "de", "next": "https://elsewhere.example/"})
    assert answer.url == reverse("home")


def test_before_signing_in_a_cookie_keeps_the_choice_and_no_row_is_stored(person):
    stranger = Client()
    sign_in = reverse("sign-in")
    assert '<button class="button small"' in stranger.get(sign_in).content.decode()

    stranger.post(reverse("language"), {"language": "ar", "next": sign_in})

    assert page_language(stranger, sign_in) == "ar"
    assert 'dir="rtl"' in stranger.get(sign_in).content.decode()
    assert not LanguageChoice.objects.exists()


def test_the_choice_needs_the_forms_token(person):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(person)

    assert strict.post(reverse("language"), {"language": "de"}).status_code == 403
    assert not LanguageChoice.objects.exists()


def test_a_language_that_is_not_offered_is_refused(client, person, settings):
    settings.LANGUAGES = [("en", "English"), ("de", "Deutsch")]
    answer = client.post(reverse("language"), {"language": "ar"})

    assert answer.status_code == 400 and "en, de" in answer.content.decode()
    with pytest.raises(BadInput):
        languages.choose_language(person, "ar")


def test_a_stored_language_that_is_no_longer_offered_does_not_count(client, person, settings):
    languages.choose_language(person, "ar")
    settings.LANGUAGES = [("en", "English"), ("de", "Deutsch")]

    assert page_language(client) == "en"


def test_one_language_alone_offers_no_choice(client, settings):
    settings.LANGUAGES = [("en", "English")]

    assert reverse("language") not in client.get("/").content.decode()


def test_each_language_stands_in_its_own_name(client):
    page = client.get(reverse("language")).content.decode()

    for code, name in settings.LANGUAGES:
        assert re.search(rf'lang="{code}"\s+dir="auto"\s*(aria-current="true")?\s*>{name}<', page), code


def test_errors_of_the_api_follow_the_session_and_tokens_follow_the_header(client, person, monkeypatch):
    speak_pseudo(monkeypatch)
    languages.choose_language(person, "de")
    _token, plain = create_token(user=person, name="script")
    script, address = Client(), "/api/v1/projects/nowhere/"

    assert OPEN in client.get(address).json()["detail"]
    token = {"authorization": f"Token {plain}"}
    assert OPEN not in script.get(address, headers=token).json()["detail"]
    assert OPEN in script.get(address, headers={**token, "accept-language": "de"}).json()["detail"]


def test_a_mail_is_in_the_language_of_its_addressee(client, person, monkeypatch):
    speak_pseudo(monkeypatch)
    languages.choose_language(person, "de")
    stranger = Client()

    stranger.post(reverse("password_reset"), {"email": person.email})

    assert mail.outbox[0].subject.startswith(OPEN) and CLOSE in mail.outbox[0].body


def test_a_mail_to_somebody_without_a_choice_is_in_the_language_of_the_form(person, monkeypatch):
    speak_pseudo(monkeypatch)
    stranger = Client()

    stranger.post(reverse("password_reset"), {"email": person.email})
    stranger.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"
    stranger.post(reverse("password_reset"), {"email": person.email})

    assert [message.subject.startswith(OPEN) for message in mail.outbox] == [False, True]


def test_the_setting_names_known_languages_and_english_among_them(monkeypatch):
    monkeypatch.setenv("EPITOME_LANGUAGES", "de, EN")
    assert environment.interface_languages("EPITOME_LANGUAGES") == [("de", "Deutsch"), ("en", "English")]
    for wrong, word in (("en,fr", "fr"), ("de", "leaves out en")):
        monkeypatch.setenv("EPITOME_LANGUAGES", wrong)
        with pytest.raises(environment.BadSetting, match=word):
            environment.interface_languages("EPITOME_LANGUAGES")

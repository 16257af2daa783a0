"""Sign-in at a provider: what is checked of its answer, and what people see when something is wrong."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import AuditEvent, ProviderIdentity
from tests.accounts.conftest import come_back, follow
from tests.accounts.provider import CLIENT, make_key
from tests.people.conftest import signed_in
from tests.people.factories import current_code, turn_on_second_factor
from tests.tasks.factories import make_people, make_project

pytestmark = pytest.mark.django_db


def shown(response) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def is_signed_in(client: Client) -> bool:
    return client.get("/tokens/").status_code == 200


def test_the_first_sign_in_makes_an_account_that_later_ones_find(provider, sign_in):
    client, answer = sign_in("/tokens/")

    user = User.objects.get()
    assert (answer.status_code, answer.headers["Location"]) == (302, "/tokens/")
    assert is_signed_in(client) and user.username == "annotator1" and not user.has_usable_password()
    verbs = list(AuditEvent.objects.order_by("pk").values_list("verb", flat=True))
    assert verbs == ["person.create", "person.link", "sign_in.done"]

    provider.claims["preferred_username"] = "another-name"
    other, _answer = sign_in()
    assert is_signed_in(other) and User.objects.get().username == "annotator1"


def test_the_sign_in_page_names_the_provider_and_leads_back(provider):
    page = Client().get("/sign-in/?next=/p/news/").content.decode()
    assert "Sign in with Example University" in page
    assert 'href="/sign-in/provider/?next=%2Fp%2Fnews%2F"' in page
    assert 'name="password"' in page


def test_pkce_state_and_nonce_are_sent_and_no_token_is_stored(provider, sign_in):
    client, _answer = sign_in()
    by_key = dict(provider.asked)
    assert by_key["/authorize"]["code_challenge_method"] == "S256"
    assert len(by_key["/authorize"]["state"]) >= 20 and len(by_key["/authorize"]["nonce"]) >= 20
    assert len(by_key["/token"]["code_verifier"]) >= 43
    stored = str(dict(client.session.items()))
    assert "token" not in stored and "_state_" not in stored and "nonce" not in stored


def test_a_sign_in_changes_the_key_of_the_session(provider):
    client = Client()
    back = come_back(client)
    value_before = client.cookies["sessionid"].value
    client.get(back)
    assert is_signed_in(client) and client.cookies["sessionid"].value != value_before


@pytest.mark.parametrize(
    "spoil",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "another-client"},
        {"aud": [CLIENT, "another-client"], "azp": "another-client"},
        {"aud": None},
        {"iss": "https://login.example.org"},
        {"iss": None},
        {"exp": 1_700_000_000},
        {"exp": None},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": "a" * 256},
    ],
    ids=str,
)
def test_a_token_with_a_wrong_claim_signs_nobody_in(provider, sign_in, spoil):
    provider.spoil = spoil
    client, answer = sign_in()
    assert answer.status_code == 403 and "could not be verified" in shown(answer)
    assert "Sign in with Example University" in shown(answer)
    assert not is_signed_in(client) and not User.objects.exists()


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_a_token_that_is_not_signed_by_the_providers_key_signs_nobody_in(provider, sign_in, algorithm):
    provider.algorithm = algorithm
    client, answer = sign_in()
    assert answer.status_code == 403 and not is_signed_in(client) and not User.objects.exists()


@pytest.mark.parametrize("names_key", [True, False])
def test_a_token_signed_by_another_key_signs_nobody_in(provider, sign_in, names_key):
    provider.signs_with, provider.names_keys = provider.other_key, names_key
    client, answer = sign_in()
    assert answer.status_code == 403 and not is_signed_in(client) and not User.objects.exists()


def test_a_new_key_of_the_provider_is_fetched(provider, sign_in):
    sign_in()
    provider.key = provider.signs_with = make_key("second")
    client, _answer = sign_in()
    assert is_signed_in(client)


def test_a_new_key_without_a_name_is_fetched_for_the_next_try(provider, sign_in):
    provider.names_keys = False
    sign_in()
    provider.key = provider.signs_with = make_key("second")
    assert sign_in()[1].status_code == 403
    client, _answer = sign_in()
    assert is_signed_in(client)


def test_an_answer_to_another_browser_is_refused(provider):
    back = come_back(Client())
    other = Client()
    answer = other.get(back)
    assert answer.status_code == 403 and "started in another browser" in shown(answer)
    assert not is_signed_in(other)


def test_an_answer_counts_once(provider):
    client = Client()
    back = come_back(client)
    client.get(back)
    client.post("/sign-out/")
    answer = client.get(back)
    assert answer.status_code == 403 and not is_signed_in(client)


def test_a_changed_state_is_refused(provider):
    client = Client()
    answer = client.get(re.sub(r"state=[^&]+", "state=made-up", come_back(client)))
    assert answer.status_code == 403 and not is_signed_in(client)


def test_a_stolen_code_is_worth_nothing_without_its_proof(provider):
    victim, thief = Client(), Client()
    stolen = re.search(r"code=([^&]+)", come_back(victim))[1]
    answer = thief.get(re.sub(r"code=[^&]+", f"code={stolen}", come_back(thief)))
    assert answer.status_code == 403 and "provider refused" in shown(answer) and not is_signed_in(thief)


@pytest.mark.parametrize(
    ("refusal", "words"), [("access_denied", "was cancelled"), ("server_error", "The sign-in provider refused")]
)
def test_a_refusal_of_the_provider_is_told_in_words(provider, sign_in, refusal, words):
    provider.refusal = refusal
    client, answer = sign_in()
    assert answer.status_code == 403 and words in shown(answer) and not is_signed_in(client)


def test_a_provider_that_is_away_is_told_in_words(provider, settings):
    settings.EPITOME_OIDC = provider.build_settings(issuer="http://127.0.0.1:9")
    answer = Client().get("/sign-in/provider/")
    assert answer.status_code == 503 and "is not responding" in shown(answer)
    assert answer["Retry-After"] == "30"
    assert "Sign in with Example University" in shown(answer)


def test_a_provider_that_fails_in_the_middle_is_told_in_words(provider):
    client = Client()
    back = come_back(client)
    provider.token_status = 500
    answer = client.get(back)
    assert answer.status_code in (403, 503) and "Sign in with Example University" in shown(answer)
    assert not is_signed_in(client)


@pytest.mark.parametrize("next_url", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", ""])
def test_the_way_back_stays_on_the_site(provider, sign_in, next_url):
    _client, answer = sign_in(next_url)
    assert answer.headers["Location"] == "/"


def test_who_is_signed_in_already_is_not_sent_away(provider):
    user = User.objects.create_user("ann")
    answer = signed_in(user).get("/sign-in/provider/?next=/tokens/")
    assert answer.headers["Location"] == "/tokens/" and not provider.asked


def test_ways_to_the_provider_are_limited_per_address(provider, settings):
    settings.EPITOME_SIGN_IN_TRIES = 1
    client = Client()
    codes = [client.get("/sign-in/provider/").status_code for _n in range(11)]
    assert codes == [302] * 10 + [429]
    assert Client(REMOTE_ADDR="198.51.100.7").get("/sign-in/provider/").status_code == 302


def test_without_a_provider_there_is_no_such_page():
    assert Client().get("/sign-in/provider/").status_code == 404
    assert Client().get("/sign-in/provider/answer/").status_code == 404
    assert "Sign in with" not in Client().get("/sign-in/").content.decode()


def test_a_closed_account_stays_out(provider, sign_in):
    sign_in()
    User.objects.update(is_active=False)
    client, answer = sign_in()
    assert answer.status_code == 403 and "This account is closed" in shown(answer) and not is_signed_in(client)


def test_the_providers_second_factor_counts_for_staff(provider, settings, sign_in):
    settings.EPITOME_STAFF_SECOND_FACTOR = "required"
    sign_in()
    User.objects.update(is_superuser=True)
    client, _answer = sign_in()
    assert client.get("/status/").status_code == 200

    settings.EPITOME_OIDC = provider.build_settings(site_factor=True)
    assert client.get("/status/").headers["Location"] == "/second-factor/", "also in a session from before"


def test_staff_need_the_sites_second_factor_where_the_operator_wants_it(provider, settings, sign_in):
    settings.EPITOME_STAFF_SECOND_FACTOR = "required"
    settings.EPITOME_OIDC = provider.build_settings(site_factor=True)
    sign_in()
    User.objects.update(is_superuser=True)
    client, _answer = sign_in()
    assert client.get("/status/").headers["Location"] == "/second-factor/"

    user = User.objects.get()
    turn_on_second_factor(user)
    client, answer = sign_in("/status/")
    assert answer.headers["Location"] == "/sign-in/code/" and not is_signed_in(client)
    answer = client.post("/sign-in/code/", {"code": current_code(user)})
    assert answer.headers["Location"] == "/status/" and client.get("/status/").status_code == 200


def test_a_form_sent_after_the_session_ended_is_told_of(provider):
    client = Client()
    sign_in_page = client.get("/sign-in/?next=/tokens/&interrupted=1").content.decode()
    link = re.search(r'href="(/sign-in/provider/[^"]*)"', sign_in_page)[1].replace("&amp;", "&")
    assert link == "/sign-in/provider/?next=%2Ftokens%2F&interrupted=1"
    assert client.get(follow(client.get(link))).headers["Location"] == "/tokens/"
    assert "Press the button again." in client.get("/tokens/").content.decode()


def test_identities_of_two_people_are_two_accounts(provider, sign_in):
    sign_in()
    provider.claims["sub"] = "another"
    sign_in()
    assert sorted(User.objects.values_list("username", flat=True)) == ["annotator1", "annotator1-2"]
    assert ProviderIdentity.objects.count() == 2


def test_a_name_that_somebody_has_in_other_letters_is_not_given_again(provider, sign_in):
    make_people(1, make_project("news", documents=1))
    provider.claims["preferred_username"] = "Annotator1@example.org"
    sign_in()
    assert ProviderIdentity.objects.get().user.username == "Annotator1-2"

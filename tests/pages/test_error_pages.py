"""Pages for what goes wrong: status, words and the way on; the way back after a session that ended before a form."""

import pytest
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import HttpRequest
from django.test import Client, RequestFactory

from annotation.services.core.errors import TooMany
from annotation.views.core import errors
from annotation.views.core.form_pages import find_form_page
from tests.pages.conftest import PASSWORD
from tests.people.factories import current_code, turn_on_second_factor

EXTRACT = "/p/news/samples/extract/"
SIGNED_OUT = "You were signed out, so nothing was changed. Press the button again."


def sign_in_by(client: Client, location: str, name: str = "researcher"):
    """Send the sign-in form that a page with this address shows."""
    page = client.get(location)
    form = {"username": name, "password": PASSWORD, "next": page.context["next"]}
    if 'name="interrupted"' in page.content.decode():
        form["interrupted"] = "1"
    return client.post("/sign-in/", form)


def test_a_form_sent_after_the_session_ended_leads_back_to_its_page(world):
    client = Client()
    sent = client.post(EXTRACT, headers={"Referer": "http://testserver/p/news/sources/?page=1"})
    assert "You were signed out" in client.get(sent.url).content.decode()

    back = sign_in_by(client, sent.url)

    assert back.url == "/p/news/sources/?page=1"
    assert SIGNED_OUT in client.get(back.url).content.decode().replace("&#x27;", "'")
    assert SIGNED_OUT not in client.get(back.url).content.decode()


@pytest.mark.parametrize(
    "referrer",
    [
        "https://elsewhere.example/p/news/sources/",
        "//elsewhere.example/",
        "javascript:alert(1)",
        "",
        "http://testserver/theme/",
    ],
)
def test_a_foreign_or_missing_referrer_leads_to_the_page_above(world, referrer):
    client = Client()
    sent = client.post(EXTRACT, headers={"Referer": referrer} if referrer else {})

    back = sign_in_by(client, sent.url)

    assert back.url == "/p/news/samples/" and SIGNED_OUT in client.get(back.url).content.decode()


def test_a_page_that_takes_forms_itself_leads_back_to_itself(world):
    sent = Client().post("/p/news/members/")
    assert "next=/p/news/members/" in sent.url


def test_the_second_factor_keeps_the_way_back(world):
    admin = world.people["researcher"]
    turn_on_second_factor(admin)
    client = Client()
    sent = client.post(EXTRACT, headers={"Referer": "http://testserver/p/news/sources/"})
    assert sign_in_by(client, sent.url).url == "/sign-in/code/"

    back = client.post("/sign-in/code/", {"code": current_code(admin)})

    assert back.url == "/p/news/sources/"
    assert SIGNED_OUT in client.get(back.url).content.decode()


def test_an_ordinary_sign_in_says_nothing_of_it(world):
    client = Client()
    back = sign_in_by(client, client.get("/p/news/sources/").url)
    assert back.url == "/p/news/sources/" and SIGNED_OUT not in client.get(back.url).content.decode()


@pytest.mark.parametrize(
    ("who", "address", "parent"),
    [
        ("admin", "/sign-out/", "/"),
        ("anonymous", "/theme/", "/"),
        ("researcher", EXTRACT, "/p/news/samples/"),
        ("annotator", "/p/news/next/", "/p/news/work/"),
    ],
)
def test_opening_an_address_for_forms_leads_to_the_page_above(world, who, address, parent):
    client = world.as_(who)
    answer = client.get(address)

    assert answer.status_code == 405 and answer.headers["Allow"] == "POST"
    assert "This address is not a page" in answer.content.decode()
    assert f'class="button" href="{parent}"' in answer.content.decode()
    assert client.get(parent, follow=True).status_code == 200


def test_every_address_for_forms_only_has_its_own_405(world, addresses):
    from tests.pages.access_table import PAGES

    for name in [name for name, row in PAGES.items() if row[0] == "post"]:
        answer = world.as_("site").get(addresses[name])
        assert answer.status_code == 405 and "not a page" in answer.content.decode(), name


def test_an_unknown_address_and_a_forbidden_one_have_the_same_page(world):
    page = world.as_("annotator").get("/nothing/here/")
    assert page.status_code == 404
    text = page.content.decode().replace("&#x27;", "'")
    assert "Page not found, or you don't have access" in text and "All projects" in text


def test_a_form_without_its_token_has_expired(world):
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.people["admin"])
    answer = client.post("/p/news/members/", {"do": "add"})
    assert answer.status_code == 403
    assert "This form has expired" in answer.content.decode()
    assert 'href="/p/news/members/"' in answer.content.decode()


def test_a_form_that_is_too_large_is_413(world, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    answer = world.as_("admin").post("/p/news/members/", {"do": "x" * 5000})
    assert answer.status_code == 413 and "Too large to send with a form" in answer.content.decode()


def test_a_foreign_host_is_400_in_the_look_of_the_site(world):
    answer = Client().get("/", headers={"Host": "elsewhere.example"})
    assert answer.status_code == 400 and "could not be read" in answer.content.decode()


def request_of(path: str, **extra) -> HttpRequest:
    return RequestFactory().get(path, **extra)


def test_forbidden_is_a_page_and_problem_details(world):
    page = errors.permission_denied(request_of("/p/news/"), PermissionDenied())
    assert page.status_code == 403 and "don&#x27;t have access" in page.content.decode()
    problem = errors.permission_denied(request_of("/api/v1/projects/"), PermissionDenied())
    assert problem.status_code == 403 and problem.headers["Content-Type"] == "application/problem+json"


def test_a_limit_says_when_it_is_over(world):
    page = errors.service_error(request_of("/"), TooMany("Wait.", retry_after=90))
    assert (page.status_code, page.headers["Retry-After"]) == (429, "90")
    assert "Too many requests" in page.content.decode()


def test_too_many_sign_ins_say_when_to_try_again(world, settings):
    settings.EPITOME_SIGN_IN_TRIES = 1
    for _ in range(2):
        answer = Client().post("/sign-in/", {"username": "admin", "password": "wrong"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "900")


@pytest.mark.parametrize("error", [ValueError("a fault"), OperationalError("gone")])
def test_the_pages_of_a_broken_server_need_no_database(error):
    status = 500 if isinstance(error, ValueError) else 503
    try:
        raise error
    except type(error):
        page = errors.server_error(request_of("/p/news/?page=2"))
        problem = errors.server_error(request_of("/api/v1/projects/"))
    assert page.status_code == problem.status_code == status
    assert 'href="/p/news/?page=2"' in page.content.decode() and "css/tokens.css" in page.content.decode()
    assert problem.headers["Content-Type"] == "application/problem+json"
    assert (page.headers.get("Retry-After") == "5") is (status == 503)


def test_the_form_page_is_never_a_call_of_the_api(world):
    request = RequestFactory().post(EXTRACT, headers={"Referer": "http://testserver/api/v1/projects/"})
    request.user = world.people["researcher"]
    assert find_form_page(request) == "/p/news/samples/"

"""The second factor: set up, asked at sign-in, recovered, limited, reset; required of staff, never of scripts."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotation.models import AuditEvent, Role
from annotation.services.accounts import api_tokens, second_factor
from annotation.services.core.errors import NotFound
from tests.people.conftest import signed_in
from tests.people.factories import PASSWORD, current_code, post_password, turn_on_second_factor, wrong_code
from tests.tasks.factories import make_people, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(db) -> User:
    project = make_project("news", documents=1)
    (user,) = make_people(1, project, Role.ADMIN)
    user.set_password(PASSWORD)
    user.save()
    return user


def test_it_is_set_up_with_a_picture_or_a_secret_and_ends_older_sessions(admin):
    client, older = signed_in(admin), signed_in(admin)
    client.post("/second-factor/", {"do": "begin"})
    page = client.get("/second-factor/").content.decode()
    assert 'class="qr"' in page and re.search(r"<path d=\"M[0-9]+ [0-9]+h", page)
    secret = re.search(r"data-secret>([A-Z2-7 ]+)<", page).group(1)
    assert second_factor.secret_text(TOTPDevice.objects.get()) == secret
    assert not second_factor.has_second_factor(admin), "not before the first code"

    page = client.post("/second-factor/", {"do": "confirm", "code": current_code(admin)}).content.decode()

    codes = page.split("data-codes>")[1].split("</code>")[0].split()
    assert len(codes) == 10 and second_factor.has_second_factor(admin)
    stored = " ".join(StaticToken.objects.values_list("token", flat=True))
    assert codes[0].replace("-", "") not in stored
    assert codes[0] not in client.get("/second-factor/").content.decode()
    assert older.get("/").status_code == 302


def test_the_password_alone_signs_nobody_in(admin):
    turn_on_second_factor(admin)
    client = Client()
    assert post_password(client, admin).headers["Location"] == "/sign-in/code/"
    assert client.get("/p/news/").headers["Location"].startswith("/sign-in/")
    assert client.get("/api/v1/projects/").status_code == 401
    value_before = client.cookies["sessionid"].value

    assert client.post("/sign-in/code/", {"code": wrong_code(admin)}).status_code == 200
    TOTPDevice.objects.update(throttling_failure_timestamp=None)
    answer = client.post("/sign-in/code/", {"code": current_code(admin)})

    assert answer.headers["Location"] == "/p/news/" and client.get("/p/news/").status_code == 200
    assert client.cookies["sessionid"].value != value_before


def test_a_page_that_waits_for_the_code_is_void_after_the_password_was_changed(admin):
    codes = turn_on_second_factor(admin)
    client = Client()
    post_password(client, admin)
    admin.set_password("another fine passphrase")
    admin.save()

    answer = client.post("/sign-in/code/", {"code": codes[0]})

    assert answer.headers["Location"] == "/sign-in/"
    assert client.get("/p/news/").headers["Location"].startswith("/sign-in/")


def test_a_code_counts_once_and_so_does_a_recovery_code(admin):
    codes = turn_on_second_factor(admin)
    answers = []
    for code in (current_code(admin), current_code(admin), codes[0].upper(), codes[0]):
        client = Client()
        post_password(client, admin)
        TOTPDevice.objects.update(throttling_failure_timestamp=None)
        answers.append(client.post("/sign-in/code/", {"code": code}).status_code)
    assert answers == [302, 200, 302, 200]
    assert second_factor.codes_left(admin) == 9
    assert AuditEvent.objects.filter(verb="second_factor.recovery").count() == 1


def test_tries_are_limited(admin, settings):
    turn_on_second_factor(admin)
    client = Client()
    post_password(client, admin)
    client.post("/sign-in/code/", {"code": wrong_code(admin)})
    assert client.post("/sign-in/code/", {"code": current_code(admin)}).status_code == 200, "too soon after a wrong one"
    settings.EPITOME_SIGN_IN_TRIES = 2
    answers = [client.post("/sign-in/code/", {"code": "000000"}).status_code for _ in range(3)]
    assert answers == [200, 200, 429]


def test_without_a_right_password_before_there_is_nothing_to_type_a_code_into(admin):
    turn_on_second_factor(admin)
    assert Client().post("/sign-in/code/", {"code": current_code(admin)}).headers["Location"] == "/sign-in/"


def test_turning_it_off_takes_a_code_and_a_reset_a_site_admin(admin, site):
    codes = turn_on_second_factor(admin)
    client = signed_in(admin)
    assert client.post("/second-factor/", {"do": "off", "code": "nonsense"}).status_code == 422
    with pytest.raises(NotFound):
        second_factor.reset_second_factor(user=admin, by=admin)
    assert second_factor.has_second_factor(admin)

    second_factor.reset_second_factor(user=admin, by=site)

    assert not second_factor.has_second_factor(admin) and client.get("/").status_code == 302
    assert AuditEvent.objects.filter(verb="second_factor.reset", actor=site).exists()
    turn_on_second_factor(admin)
    assert codes
    client = signed_in(admin)
    assert client.post("/second-factor/", {"do": "off", "code": current_code(admin)}).status_code == 302
    assert not second_factor.has_second_factor(admin)


def test_where_it_is_required_staff_reach_nothing_before_and_scripts_all(admin, settings):
    settings.EPITOME_STAFF_SECOND_FACTOR = "required"
    client = signed_in(admin)
    _row, plain = api_tokens.create_token(user=admin, name="script")
    assert client.get("/p/news/").headers["Location"] == "/second-factor/"
    refused = client.get("/api/v1/projects/")
    assert refused.status_code == 403 and refused.json()["code"] == "second_factor"
    assert Client(headers={"Authorization": f"Token {plain}"}).get("/api/v1/projects/").status_code == 200
    assert "Required on this site" in client.get("/second-factor/").content.decode()

    client.post("/second-factor/", {"do": "begin"})
    client.post("/second-factor/", {"do": "confirm", "code": current_code(admin)})

    assert client.get("/p/news/").status_code == 200
    (annotator,) = make_people(1, admin.memberships.get().project)
    assert signed_in(annotator).get("/p/news/work/").status_code == 200, "staff only"


def test_a_session_of_before_begins_again_where_it_is_required_now(admin, settings):
    turn_on_second_factor(admin)
    client = signed_in(admin)  # without the code
    settings.EPITOME_STAFF_SECOND_FACTOR = "required"
    assert client.get("/p/news/").headers["Location"] == "/sign-in/?next=/p/news/"
    assert client.get("/").status_code == 302


def test_off_nobody_is_asked(admin, settings):
    turn_on_second_factor(admin)
    settings.EPITOME_STAFF_SECOND_FACTOR = "off"
    client = Client()
    assert post_password(client, admin).headers["Location"] == "/p/news/"
    assert client.get("/second-factor/").status_code == 404

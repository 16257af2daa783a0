"""First passwords: generated, shown once, and changed before anything else, on pages and by the API."""

import re

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from annotation.models import FirstPassword, Membership
from annotation.services.accounts import api_tokens, first_passwords
from tests.people.conftest import signed_in

pytestmark = pytest.mark.django_db
OWN = "quite my own pass phrase"
FORM = {"do": "account", "account-username": "newcomer", "account-email": "", "account-role": "annotator"}


@pytest.fixture
def password(staff) -> str:
    """The generated first password of the account newcomer, as the admin's page shows it."""
    page = staff.client.post(staff.url("members/"), FORM).content.decode()
    return re.search(r"data-first-password>([a-z0-9-]{19})<", page).group(1)


def change(client: Client, old: str, new: str = OWN):
    return client.post("/password/", {"old_password": old, "new_password1": new, "new_password2": new})


def sign_in(password: str) -> Client:
    client = Client()
    assert client.post("/sign-in/", {"username": "newcomer", "password": password}).status_code == 302
    return client


def test_a_generated_password_is_shown_once_and_can_be_copied(staff, password):
    assert User.objects.get(username="newcomer").check_password(password)
    assert Membership.objects.filter(user__username="newcomer", role="annotator").exists()
    assert password not in staff.client.get(staff.url("members/")).content.decode()


def test_nothing_opens_before_the_password_is_changed(staff, password):
    client = sign_in(password)
    for path in ("/", staff.url("work/"), "/tokens/", "/nothing/"):
        answer = client.get(path)
        assert answer.status_code == 404 if path == "/nothing/" else answer.headers["Location"] == "/password/"
    assert client.post("/tokens/", {"name": "script", "scope": "write", "days": 9}).headers["Location"] == "/password/"
    refused = client.get("/api/v1/projects/")
    assert refused.status_code == 403 and refused.json()["code"] == "password_change"
    assert "Choose your own password first" in client.get("/password/").content.decode()

    same = change(client, password, password)
    assert same.status_code == 200 and "Choose a different one" in same.content.decode()
    assert client.get("/").status_code == 302

    assert change(client, password).status_code == 302
    assert client.get("/").status_code == client.get("/api/v1/projects/").status_code == 200
    assert not FirstPassword.objects.exists()
    assert sign_in(OWN).get("/").status_code == 200


def test_one_can_sign_out_instead(staff, password):
    client = sign_in(password)
    assert client.post("/sign-out/").headers["Location"] == "/sign-in/"


def test_a_password_changed_elsewhere_opens_this_session_too(staff, password):
    client = sign_in(password)
    first_passwords.note_changed(User.objects.get(username="newcomer"))
    assert client.get("/").status_code == 200


def test_a_password_that_the_admin_chose_must_be_changed_too(staff):
    staff.client.post(staff.url("members/"), {**FORM, "account-password": "chosen by the admin"})
    assert sign_in("chosen by the admin").get("/").headers["Location"] == "/password/"


def test_a_token_of_such_an_account_does_not_work(staff, password):
    user = User.objects.get(username="newcomer")
    _row, token = api_tokens.create_token(user=user, name="script")
    call = {"path": "/api/v1/projects/", "headers": {"Authorization": f"Token {token}"}}
    assert Client().get(**call).status_code == 401
    first_passwords.note_changed(user)
    assert Client().get(**call).status_code == 200


def test_a_reset_by_mail_is_a_change(staff, password):
    User.objects.filter(username="newcomer").update(email="newcomer@example.org")
    client = Client()
    client.post("/password/reset/", {"email": "newcomer@example.org"})
    link = re.search(r"http://testserver(/password/reset/\S+)", mail.outbox[0].body).group(1)
    form = client.get(link, follow=True).redirect_chain[-1][0]
    client.post(form, {"new_password1": OWN, "new_password2": OWN})
    assert sign_in(OWN).get("/").status_code == 200


def test_staff_who_need_a_second_factor_can_do_both(staff, password, settings):
    settings.EPITOME_STAFF_SECOND_FACTOR = "required"
    user = User.objects.get(username="newcomer")
    Membership.objects.create(project=staff.project, user=user, role="reviewer")
    client = sign_in(password)
    page = client.get("/", follow=True)
    assert page.status_code == 200 and page.redirect_chain[-1][0] == "/second-factor/"


def test_ones_own_password_is_not_asked_for_again(staff):
    client = signed_in(staff.admin)
    assert client.get("/").status_code == 200
    assert "Choose your own password first" not in client.get("/password/").content.decode()

"""Invitation links: who gets in, how often, until when, and what is kept of the link."""

import threading
from contextlib import nullcontext
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from annotation.models import AuditEvent, Invitation, InvitationUse, Membership, Role
from annotation.services.core.errors import BadInput
from annotation.services.people import invitations, members
from annotation.transactions import write_transaction
from tests.people.conftest import signed_in
from tests.tasks.factories import make_people, make_project

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-pass-phrase"
NEW = {"username": "newcomer", "email": "", "password": PASSWORD, "again": PASSWORD}


def invite(staff, **options) -> tuple[Invitation, str]:
    fields = {"name": "course", "roles": [Role.ANNOTATOR], "by": staff.admin, **options}
    row, plain = invitations.create_invitation(project=staff.project, **fields)
    return row, f"/join/{plain}/"


def test_the_address_is_shown_once_and_only_its_digest_is_kept(staff):
    form = {"do": "make", "name": "course", "roles": ["annotator"], "max_uses": 3, "days": 7}
    page = staff.client.post(staff.url("members/invitations/"), form).content.decode()
    secret = page.split("/join/")[1].split("/")[0]

    row = Invitation.objects.get()
    assert len(secret) >= 40 and invitations.find_invitation(secret) == row
    assert secret not in str(Invitation.objects.values().get())
    assert secret not in staff.client.get(staff.url("members/invitations/")).content.decode()


def test_somebody_new_signs_up_and_is_in(staff):
    row, address = invite(staff, roles=["annotator", "reviewer"])
    client = Client()
    assert "annotator, reviewer" in client.get(address).content.decode()
    assert not User.objects.filter(username="newcomer").exists(), "looking changes nothing"

    answer = client.post(address, NEW)

    assert answer.status_code == 302 and client.get("/").status_code == 200
    user = User.objects.get(username="newcomer")
    assert set(user.memberships.values_list("role", flat=True)) == {"annotator", "reviewer"}
    assert user.check_password(PASSWORD)
    use = InvitationUse.objects.get()
    assert (use.user, use.invitation, use.made_account) == (user, row, True)
    assert "newcomer" in staff.client.get(staff.url("members/invitations/")).content.decode()
    assert AuditEvent.objects.get(verb="invitation.use").actor == user


def test_who_is_signed_in_takes_part_with_that_account_and_once(staff):
    row, address = invite(staff, roles=["reviewer"], max_uses=5)
    client = signed_in(staff.one)
    for _ in range(2):
        assert client.post(address).status_code == 302

    assert staff.one.memberships.filter(role="reviewer").count() == 1
    row.refresh_from_db()
    assert row.uses == 1
    assert "already joined with this link" in client.get(address).content.decode()


def test_who_was_taken_out_does_not_come_back_by_the_same_link(staff):
    _row, address = invite(staff, roles=["reviewer"], max_uses=5)
    client = signed_in(staff.one)
    client.post(address)
    members.remove_member(project=staff.project, username=staff.one.username, role="reviewer", by=staff.admin)

    client.post(address)

    assert not staff.one.memberships.filter(role="reviewer").exists()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"expires_at": timezone.now() - timedelta(seconds=1)}, "has expired"),
        ({"revoked_at": timezone.now()}, "has closed this link"),
        ({"uses": 1}, "This link has been used up"),
    ],
)
def test_a_dead_link_says_why(staff, changed, words):
    row, address = invite(staff)
    Invitation.objects.filter(pk=row.pk).update(**changed)
    for answer in (Client().get(address), Client().post(address, NEW), signed_in(staff.one).post(address)):
        assert answer.status_code == 410 and words in answer.content.decode()
    assert not User.objects.filter(username="newcomer").exists()
    assert Client().get("/join/nothing/").status_code == 404


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"password": "password1234", "again": "password1234"}, "too common"),
        ({"again": "another-long-one"}, "do not match"),
        ({"username": "annotator1"}, "is taken"),
    ],
)
def test_a_bad_sign_up_uses_nothing_up(staff, given, words):
    row, address = invite(staff)
    answer = Client().post(address, {**NEW, **given})

    assert answer.status_code == 422 and words in answer.content.decode()
    row.refresh_from_db()
    assert row.uses == 0 and not User.objects.filter(username="newcomer").exists()


def test_a_link_that_makes_admins_is_for_one_person(staff):
    with pytest.raises(BadInput):
        invite(staff, roles=["admin"], max_uses=2)


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_of_eight_who_open_a_link_for_three_at_once_three_get_in():
    project = make_project("news", documents=1)
    (admin,) = make_people(1, project, Role.ADMIN)
    people = [User.objects.create(username=f"guest{n}") for n in range(8)]
    row, _plain = invitations.create_invitation(project=project, name="a", roles=["rater"], max_uses=3, by=admin)
    start, refused = threading.Barrier(8), []

    def work(user: User) -> None:
        start.wait()
        # SQLite's test database is in memory, where even a reader may find a table locked: there they queue up.
        with write_transaction() if connection.vendor == "sqlite" else nullcontext():
            try:
                invitations.accept_invitation(invitation=row, user=user)
            except invitations.Closed:
                refused.append(user)
        connection.close()

    threads = [threading.Thread(target=work, args=[user]) for user in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    row.refresh_from_db()
    assert (row.uses, len(refused)) == (3, 5)
    assert Membership.objects.filter(role="rater").count() == InvitationUse.objects.count() == 3

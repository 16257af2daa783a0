"""Where enrolling by name is off, nobody learns of other accounts, and nobody is enrolled unasked."""

import pytest
from django.contrib.auth.models import User

from annotation.models import Membership, Role
from annotation.services.core.errors import BadInput
from annotation.services.people import members
from tests.people.conftest import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _by_invitation(settings):
    settings.EPITOME_ENROL_BY_NAME = False


def add(client, name: str) -> tuple[int, str]:
    body = {"username": name, "role": "annotator"}
    answer = client.post("/api/v1/projects/news/members/", body, "application/json")
    return answer.status_code, answer.content.decode().replace(name, "NAME")


def test_an_account_of_other_projects_is_answered_like_none(staff):
    User.objects.create(username="stranger")
    User.objects.create(username="closed", is_active=False)
    client = signed_in(staff.admin)
    assert add(client, "stranger") == add(client, "nobody") == add(client, "closed")
    assert add(client, "stranger")[0] == 422
    assert not Membership.objects.filter(user__username="stranger").exists()
    page = client.post("/p/news/members/", {"do": "add", "add-username": "stranger", "add-role": "annotator"})
    assert not Membership.objects.filter(user__username="stranger").exists(), page.status_code


def test_members_get_more_roles_and_made_accounts_their_first(staff):
    client = signed_in(staff.admin)
    members.add_member(project=staff.project, username=staff.one.username, role=Role.REVIEWER, by=staff.admin)
    members.create_person(username="made", password="a fine passphrase", by=staff.admin)
    assert add(client, "made")[0] == 201


def test_a_site_admin_enrols_anybody(staff, site):
    User.objects.create(username="stranger")
    assert members.add_member(project=staff.project, username="stranger", role=Role.RATER, by=site)
    with pytest.raises(BadInput, match="There is no user"):
        members.add_member(project=staff.project, username="nobody", role=Role.RATER, by=site)

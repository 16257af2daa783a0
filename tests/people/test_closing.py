"""A closed account is out on the next request, by session and by token; opened again, the old doors stay shut."""

import pytest
from django.test import Client

from annotation.models import AuditEvent
from annotation.services.accounts import api_tokens
from annotation.services.core.errors import NotFound
from annotation.services.people import crowd_links, members
from tests.people.conftest import signed_in

pytestmark = pytest.mark.django_db


def test_session_and_token_are_dead_on_the_next_request_and_stay_so(staff, site):
    client = signed_in(staff.one)
    _row, plain = api_tokens.create_token(user=staff.one, name="script")
    script = Client(headers={"Authorization": f"Token {plain}"})
    assert client.get("/p/news/work/").status_code == script.get("/api/v1/projects/").status_code == 200

    form = {"do": "bulk", "action": "close", "person": ["annotator1"]}
    assert signed_in(site).post(staff.url("members/"), form).status_code == 302

    assert client.get("/p/news/work/").headers["Location"].startswith("/sign-in/")
    assert script.get("/api/v1/projects/").status_code == 401
    staff.one.refresh_from_db()
    members.open_account(project=staff.project, user=staff.one, by=site)
    assert client.get("/p/news/work/").status_code == 302 and script.get("/api/v1/projects/").status_code == 401
    assert signed_in(staff.one).get("/p/news/work/").status_code == 200
    assert list(
        AuditEvent.objects.filter(verb__startswith="person.").order_by("id").values_list("verb", flat=True)
    ) == [
        "person.close",
        "person.open",
    ]


def test_an_admin_of_a_project_closes_only_the_accounts_of_its_crowd_links(staff, site):
    link, _plain = crowd_links.make_link(
        project=staff.project, by=staff.admin, link_settings=crowd_links.LinkSettings(name="a", tasks=1, max_uses=1)
    )
    worker = crowd_links.enter_study(link=link, visit=crowd_links.Visit("5f1d2a", "", ""))
    for user in (staff.one, site, staff.admin):
        with pytest.raises(NotFound):
            members.close_account(project=staff.project, user=user, by=staff.admin)

    members.close_account(project=staff.project, user=worker.user, by=staff.admin)

    assert "This participation has ended" in crowd_links.refusal_message(link, crowd_links.Visit("5f1d2a", "", ""))

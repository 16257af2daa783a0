"""Crowd links: the id in the address opens a small account, the quota ends with a code, and little can go wrong."""

import threading
from contextlib import nullcontext
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from annotation.models import CrowdLink, CrowdWorker, Membership, Role
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.people import crowd_links, invitations, members
from annotation.services.tasks import claim, submit
from annotation.transactions import write_transaction
from tests.tasks.factories import make_people, make_project, pass_gate, payload

pytestmark = pytest.mark.django_db
PID = "5f1d2a77c0ffee0000000001"


def open_link(staff, **options) -> tuple[CrowdLink, str]:
    link_settings = crowd_links.LinkSettings(**{"name": "study", "tasks": 2, "max_uses": 5, **options})
    row, plain = crowd_links.make_link(project=staff.project, by=staff.admin, link_settings=link_settings)
    return row, f"/take-part/{plain}/"


def come(address: str, pid: str = PID, client: Client | None = None, more: str = "") -> tuple[Client, object]:
    client = client or Client()
    return client, client.post(f"{address}?PROLIFIC_PID={pid}&STUDY_ID=s1&SESSION_ID=x9{more}")


def test_the_same_id_comes_back_to_the_same_account_and_work(staff):
    row, address = open_link(staff)
    client = Client()
    assert PID in client.get(f"{address}?PROLIFIC_PID={PID}").content.decode()
    assert not CrowdWorker.objects.exists(), "looking changes nothing"
    first, answer = come(address)
    assert answer.headers["Location"] == "/p/news/work/" and first.get("/p/news/work/").status_code == 200
    worker = CrowdWorker.objects.get()
    pass_gate(staff.project, worker.user)
    first.post("/p/news/next/")

    second, _answer = come(address)

    assert CrowdWorker.objects.get().user == worker.user
    assert "1 task is assigned to you" in second.get("/p/news/work/").content.decode()
    row.refresh_from_db()
    assert row.uses == 1
    assert (worker.study, worker.session) == ("s1", "x9")
    assert not worker.user.has_usable_password()
    assert list(worker.user.memberships.values_list("role", flat=True)) == ["annotator"]


def test_the_session_key_is_a_new_one(staff):
    _row, address = open_link(staff)
    client = Client()
    client.cookies["sessionid"] = "k" * 32
    come(address, client=client)
    assert client.cookies["sessionid"].value != "k" * 32


@pytest.mark.parametrize(
    ("options", "query", "words"),
    [
        ({}, "", "lacks your ID"),
        ({}, "?PROLIFIC_PID=a%20b", "lacks your ID"),
        ({"study": "s2"}, f"?PROLIFIC_PID={PID}&STUDY_ID=s1", "to another study"),
        ({"signed": True}, f"?PROLIFIC_PID={PID}&sig=0000", "was altered"),
    ],
)
def test_a_wrong_address_is_refused_in_plain_words(staff, options, query, words):
    _row, address = open_link(staff, **options)
    for answer in (Client().get(address + query), Client().post(address + query)):
        assert answer.status_code == 404 and words in answer.content.decode()
    assert not CrowdWorker.objects.exists()


def test_a_signed_id_opens_only_itself(staff):
    row, address = open_link(staff, signed=True)
    sig = crowd_links.sign_external_id(row, PID)
    assert come(address, more=f"&sig={sig}")[1].status_code == 302
    assert come(address, pid="5f1d2a77c0ffee0000000002", more=f"&sig={sig}")[1].status_code == 404
    assert crowd_links.signing_key(row) not in str(CrowdLink.objects.values().get())


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"expires_at": timezone.now() - timedelta(seconds=1)}, "The study has ended"),
        ({"revoked_at": timezone.now()}, "The study is closed"),
        ({"uses": 5}, "This study is full"),
    ],
)
def test_a_link_that_is_over_says_so_and_who_has_begun_may_finish(staff, changed, words):
    row, address = open_link(staff)
    come(address)
    CrowdLink.objects.filter(pk=row.pk).update(**changed)

    _client, refused = come(address, pid="5f1d2a77c0ffee0000000009")
    assert refused.status_code == 410 and words in refused.content.decode()
    assert come(address)[1].status_code == 302
    assert CrowdWorker.objects.count() == 1


def test_the_code_appears_when_the_quota_is_done_and_not_before(staff, settings):
    settings.EPITOME_CROWD_RETURN_HOSTS = ["app.example.org"]
    _row, address = open_link(staff, code="C0DE-77", return_url="https://app.example.org/done?cc=C0DE-77")
    client, _answer = come(address)
    worker = CrowdWorker.objects.select_related("user").get()
    pass_gate(staff.project, worker.user)
    for n in range(2):
        assert "C0DE-77" not in client.get("/p/news/completion/").content.decode()
        task = claim.claim_next(project=staff.project, annotator=worker.user).assignment
        submit.submit_task(assignment=task, payload=payload(), idempotency_key=f"k{n}")

    assert "Get the completion code" in client.get("/p/news/work/").content.decode()
    assert client.post("/p/news/next/").headers["Location"] == "/p/news/completion/"
    page = client.get("/p/news/completion/").content.decode()
    assert "C0DE-77" in page and 'href="https://app.example.org/done?cc=C0DE-77"' in page
    worker.refresh_from_db()
    assert worker.completed_at is not None
    settings.EPITOME_CROWD_RETURN_HOSTS = []
    assert "app.example.org" not in client.get("/p/news/completion/").content.decode()


@pytest.mark.parametrize(
    "url",
    [
        "http://app.example.org/",
        "https://evil.example/",
        "https://app.example.org@evil.example/",
        "https://app.example.org:8443/",
        "https://app.example.org.evil.example/",
        "//app.example.org/",
        "https:app.example.org",
        "https://app.example.org\\@evil.example/",
        "javascript:alert(1)//app.example.org",
        "https://app.example.org/\n",
        "https://[app.example.org/",
        "HTTPS://аpp.example.org/",
    ],
)
def test_no_way_back_but_to_the_hosts_of_the_settings(staff, settings, url):
    settings.EPITOME_CROWD_RETURN_HOSTS = ["app.example.org"]
    with pytest.raises(BadInput):
        open_link(staff, return_url=url)


def test_an_account_without_password_gets_no_more_than_its_tasks(staff):
    _row, address = open_link(staff)
    client, _answer = come(address)
    user = CrowdWorker.objects.get().user
    for role in (Role.REVIEWER, Role.ADMIN):
        with pytest.raises(Conflict):
            members.add_member(project=staff.project, username=user.username, role=role, by=staff.admin)
    _invitation, plain = invitations.create_invitation(
        project=staff.project, name="a", roles=["reviewer"], by=staff.admin
    )
    assert client.post(f"/join/{plain}/").status_code == 409

    Membership.objects.create(project=staff.project, user=user, role=Role.REVIEWER)  # by whatever way
    _client, refused = come(address)
    assert refused.status_code == 410 and "access beyond the study" in refused.content.decode()


def test_ids_cannot_be_tried_one_after_the_other(staff, settings):
    settings.EPITOME_SIGN_IN_TRIES = 1  # ten per address
    _row, address = open_link(staff, max_uses=100)
    answers = [come(address, pid=f"5f1d2a{n:04}")[1].status_code for n in range(12)]
    assert answers == [302] * 10 + [429] * 2


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_one_id_opened_six_times_at_once_is_one_account():
    project = make_project("news", documents=1)
    (admin,) = make_people(1, project, Role.ADMIN)
    link, _plain = crowd_links.make_link(
        project=project, by=admin, link_settings=crowd_links.LinkSettings(name="a", tasks=1, max_uses=6)
    )
    visit, start, items = crowd_links.Visit(PID, "", ""), threading.Barrier(6), []

    def work() -> None:
        start.wait()
        # SQLite's test database is in memory, where even a reader may find a table locked: there they queue up.
        with write_transaction() if connection.vendor == "sqlite" else nullcontext():
            items.append(crowd_links.enter_study(link=link, visit=visit).user_id)
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    link.refresh_from_db()
    assert len(items) == 6 and len(set(items)) == 1
    assert CrowdWorker.objects.count() == User.objects.filter(username__startswith="crowd-").count() == link.uses == 1

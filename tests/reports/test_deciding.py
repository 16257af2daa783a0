"""A third person decides disagreements one at a time and blind: what raters saw, and nothing about systems."""

import secrets
import uuid

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Role
from evaluation.models import Adjudication, Round
from evaluation.services.monitoring import round_control
from evaluation.services.reports import adjudication
from evaluation.services.reports.disagreement_counts import count_disagreements
from evaluation.services.reports.dispute_payload import describe_dispute
from modelbridge.models import Run
from tests.rounds.factories import (
    config,
    launch_new_round,
    make_run,
    member,
    project_with_gold,
    rate_all,
    raters_of,
)

pytestmark = pytest.mark.django_db


def unblind_disputed(template: str, **options) -> tuple[Round, str]:
    """An unblinded round whose raters disagree about a system with a random name."""
    system = "zq" + secrets.token_hex(6)
    project = project_with_gold(documents=4)
    make_run(project, system, text="The council voted. A vote was held.")
    first, second = raters_of(project)
    text = config(name=f"Is {system} better", template=template, n=2, more=f'[[target]]\nsystem = "{system}"\n')
    round_ = launch_new_round(project, text=text)
    rate_all(round_, first, options.get("first", "yes"))
    rate_all(round_, second, options.get("second", "no"))
    return round_control.apply_action(round_=round_, action="unblind", by=None), system


@pytest.fixture
def judge_client():
    def sign_in(made: Round) -> tuple[Client, str]:
        client = Client()
        client.force_login(member(made.project, "judge", Role.RESEARCHER))
        return client, reverse("round-disagreements", args=[made.project.slug, made.public_id])

    return sign_in


def test_no_byte_of_the_pages_tells_the_system(judge_client):
    result, system = unblind_disputed("macsum-yes-no")
    client, url = judge_client(result)
    disputes = adjudication.list_disputes(result)
    names = [system, str(Run.objects.get(revision__system__key=system).public_id)]
    seen = b""
    for number, dispute in enumerate(disputes, 1):
        page = client.get(url, {"n": number})
        seen += page.content + repr(sorted(page.headers.items())).encode()
        fields = {"item": dispute.disagreement.item, "question": dispute.disagreement.question, "answer": "yes"}
        seen += repr(sorted(client.post(url, fields).headers.items())).encode()
    seen += client.get(url).content
    assert [name for name in names if name.encode() in seen] == []
    assert b"gold" not in seen and b"/outputs/" not in seen
    assert Adjudication.objects.filter(round=result, answer="yes").count() == len(disputes) > 4


def test_the_page_shows_what_raters_saw_and_goes_on_to_the_next(judge_client):
    result, _system = unblind_disputed("macsum-yes-no")
    client, url = judge_client(result)
    disputes = adjudication.list_disputes(result)
    first = disputes[0]
    page = client.get(url)
    text = " ".join(page.content.decode().split())
    assert f"1 of {len(disputes)}" in text and first.question.text in text
    assert first.item.first.text in page.context["item"]["summaries"][0]["text"]
    assert page.context["item"]["source"]["segments"] and page.context["item"]["request"]
    assert "data-show-copied" in text
    assert all(line["line"] in text for line in page.context["item"]["question"]["lines"])
    assert page.context["item"]["answers"] == [
        {"rater": 1, "label": "Yes", "unsure": False},
        {"rater": 2, "label": "No", "unsure": False},
    ]
    assert [(option["value"], option["key"]) for option in page.context["item"]["options"]] == [
        ("yes", "y"),
        ("no", "n"),
    ]
    for rater in result.raters.select_related("rater"):
        assert rater.rater.username not in text

    fields = {"item": first.disagreement.item, "question": first.disagreement.question, "answer": "no", "note": "Why"}
    assert client.post(url, fields).headers["Location"] == f"{url}?n=2"
    assert client.get(url).context["number"] == 2
    again = client.get(url, {"n": 1})
    assert "Decided:" in again.content.decode() and again.context["item"]["decision"] == {"label": "No", "note": "Why"}


def test_when_all_are_decided_the_page_says_so(judge_client):
    result, _system = unblind_disputed("macsum-yes-no")
    client, url = judge_client(result)
    for dispute in adjudication.list_disputes(result):
        fields = {"item": dispute.disagreement.item, "question": dispute.disagreement.question, "answer": "yes"}
        answer = client.post(url, fields)
    assert answer.headers["Location"] == url
    assert "All disagreements are decided" in client.get(url).content.decode()


def test_the_letters_of_a_pair_name_the_texts_and_not_the_order_of_the_design(judge_client):
    result, _system = unblind_disputed("pairwise-preference", first="a", second="tie")
    client, url = judge_client(result)
    disputes = adjudication.list_disputes(result)
    for number, dispute in enumerate(disputes, 1):
        item = client.get(url, {"n": number}).context["item"]
        by_key = {row["letter"]: row["text"] for row in item["summaries"]}
        texts = {"1": dispute.item.first.text, "2": dispute.item.second.text}
        for option in item["options"]:
            if option["value"] in texts:
                assert by_key[option["label"]] == texts[option["value"]]
                assert option["key"] == option["label"].lower()
    assert disputes
    for parity in (0, 1):
        dispute = disputes[0]
        dispute.item.public_id = type(dispute.item.public_id)(int=dispute.item.public_id.int // 2 * 2 + parity)
        summaries = describe_dispute(result, dispute)["summaries"]
        assert summaries[parity]["text"] == dispute.item.first.text


def test_home_counts_what_waits_for_a_decision_and_leads_there(judge_client):
    result, system = unblind_disputed("macsum-yes-no")
    client, url = judge_client(result)
    assert "to decide" not in client.get("/").content.decode()  # not counted yet
    assert count_disagreements() == 1
    assert count_disagreements() == 0
    disputes = adjudication.list_disputes(result)

    page = client.get("/").content.decode()

    assert f"{len(disputes)} disagreements to decide in round 1" in page and f'href="{url}"' in page
    assert system not in page
    for dispute in disputes:
        fields = {"item": dispute.disagreement.item, "question": dispute.disagreement.question, "answer": "yes"}
        client.post(url, fields)
        client.post(url, fields)  # a decision that is made again is one decision
    assert "to decide" not in client.get("/").content.decode()


def test_home_tells_reviewers_and_raters_nothing_of_disagreements(judge_client):
    result, _system = unblind_disputed("macsum-yes-no")
    count_disagreements()
    client = Client()
    for name, role in (("reviewer", Role.REVIEWER), ("rater9", Role.RATER)):
        client.force_login(member(result.project, name, role))
        assert "to decide" not in client.get("/").content.decode()


def test_home_asks_the_same_number_of_queries_for_any_number_of_disputed_rounds(judge_client):
    result, _system = unblind_disputed("macsum-yes-no")
    count_disagreements()
    client, _url = judge_client(result)
    client.get("/")
    with CaptureQueriesContext(connection) as few:
        client.get("/")
    for number in range(3):
        Round.objects.filter(pk=result.pk).update(n_disagreements=5)
        result.pk, result.public_id, result.number, result.name = None, uuid.uuid4(), 50 + number, f"Again {number}"
        result.n_disagreements = 5
        result.save(force_insert=True)
    with CaptureQueriesContext(connection) as many:
        page = client.get("/").content.decode()
    assert [page.count(f"5 disagreements to decide in round {number}") for number in (50, 51, 52)] == [1, 1, 1]
    assert len(many) == len(few)

"""The rater's pages, without a script."""

import re

import pytest
from django.test import Client

from evaluation.models import Judgement
from evaluation.views.rating.item_page import describe_step
from tests.rounds.factories import launch_new_round, make_run, project_with_gold, raters_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def rating():
    project = project_with_gold()
    raters = raters_of(project)
    round_ = launch_new_round(project, read=False)
    client = Client()
    client.force_login(raters[0])
    return round_, client


def test_a_rater_reads_confirms_and_rates_without_a_script(rating):
    result, client = rating
    assert "1 open round" in client.get("/").content.decode()
    page = client.get(f"/p/{result.project.slug}/rating/")
    assert "Round 1" in page.content.decode() and result.name not in page.content.decode()
    instructions = f"/rating/{result.public_id}/instructions/"
    assert client.post(f"/rating/{result.public_id}/next/").headers["Location"] == instructions
    response = client.get(instructions)
    answer = client.post(instructions, {"hash": response.context["hash"]})
    assert answer.url.startswith("/items/"), "confirming opens the first item"
    assert client.post(f"/rating/{result.public_id}/next/").url == answer.url
    for number in range(6):
        item = client.get(answer.headers["Location"])
        assert f"Item {number + 1} of 6" in item.content.decode()
        keys = [question["key"] for question in item.context["item"]["questions"]]
        answer = client.post(answer.headers["Location"], {f"q-{key}": "yes" for key in keys})

    assert answer.headers["Location"].endswith("?said=all_yours")
    assert "You have rated all your items" in client.get(answer.headers["Location"]).content.decode()
    assert Judgement.objects.count() == 18
    assert "no open rounds" in client.get("/").content.decode()  # what is left is for the others


def test_instructions_define_only_what_is_asked_about(rating):
    first, client = rating
    assert list_terms(client, first) == ["Topic", "Extractiveness", "Specificity"]  # its schema has no speakers
    topic_only = launch_new_round(first.project, name="Topics", more='[questions]\nattributes = ["topic"]')
    assert list_terms(client, topic_only) == ["Topic"]
    told = client.get(f"/api/v1/rounds/{topic_only.public_id}/instructions/").json()
    assert [sorted(entry) for entry in told["definitions"]] == [["term", "text"]]


def list_terms(client, round_):
    page = client.get(f"/rating/{round_.public_id}/instructions/").content.decode()
    return re.findall(r'<dt dir="auto">([^<]+)</dt>', page.split('id="asked"')[0])


def test_a_pair_and_a_list_say_what_their_summaries_should_be(rating):
    first, client = rating
    make_run(first.project, "lead")
    make_run(first.project, "tail")
    targets = '[[target]]\nsystem = "lead"\n[[target]]\nsystem = "tail"\n'
    for template in ("pairwise-preference", "best-worst", "ranking"):
        round_ = launch_new_round(first.project, name=template, template=template, n=1, more=targets)
        page = client.post(f"/rating/{round_.public_id}/next/", follow=True).content.decode()
        assert "<h1>The summaries should be</h1>" in page and 'class="request"' in page


@pytest.mark.parametrize(
    ("label", "words"),
    [("1 very poor", "very poor"), ("1", ""), ("1. poor", "poor"), ("10 poor", "10 poor"), ("x", "x")],
)
def test_a_step_of_a_scale_says_its_digit_once(label, words):
    step = describe_step({"value": "1", "label": label, "key": "1"}, 1)
    assert (step["sign"], step["words"]) == ("1", words)

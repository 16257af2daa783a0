"""The rater's pages, without a script."""

import pytest
from django.test import Client

from evaluation.models import Judgement
from tests.rounds.factories import launch_new_round, project_with_gold, raters_of

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

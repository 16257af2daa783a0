"""A run may take the samples of one set only: those that ask for exactly the named attributes."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Role, Sample
from annotation.services.core.errors import BadInput
from modelbridge.services.runs import runs
from modelbridge.services.runs.sample_selection import describe_left_out, sets_asked
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def two_sets(project):
    """The project of twelve samples, four of which ask for a length and nothing else that is drawn."""
    (everything,) = sets_asked(project)
    first = Sample.objects.filter(project=project).order_by("pk").values_list("pk", flat=True)[:4]
    Sample.objects.filter(pk__in=list(first)).update(values={"length": "short"})
    (only_length,) = sets_asked(project).keys() - {everything}
    return {only_length: 4, everything: 8}


def test_the_run_lists_the_samples_of_the_set_and_counts_the_others(project, start_run, echo, two_sets):
    assert sets_asked(project) == two_sets
    (asks, n), _others = two_sets.items()
    run = start_run(echo, asks=" , ".join(reversed(asks.split(","))))
    assert (run.asks, run.n_samples, run.left_out) == (asks, n, {"other attributes": 8})
    assert describe_left_out(run.left_out) == "8 that ask for other attributes"


def test_a_run_of_another_set_is_not_taken_for_this_one(start_run, echo, two_sets):
    first, second = two_sets
    run = start_run(echo, asks=first)
    same = {"revision": echo, "split": "", "seed": run.seed}
    assert runs.find_unfinished_run(asks=first, **same) == run
    assert runs.find_unfinished_run(asks=second, **same) is None
    assert runs.find_unfinished_run(**same) is None


def test_what_is_no_attribute_and_what_nobody_asks_for_is_refused(start_run, echo, two_sets):
    with pytest.raises(BadInput, match="colour is no attribute of this project"):
        start_run(echo, asks="length,colour")
    with pytest.raises(BadInput, match="No sample asks for exactly specificity"):
        start_run(echo, asks="specificity")


def test_the_page_of_a_system_offers_the_sets(project, echo, two_sets):
    (researcher,) = make_people(1, project, Role.RESEARCHER, start=80)
    client = Client()
    client.force_login(researcher)
    address = reverse("system", args=[project.slug, echo.system.public_id])
    page = client.get(address).content.decode()
    (asks, _n), _others = two_sets.items()
    assert f'<option value="{asks}">' in page and "(4)" in page
    answer = client.post(address, {"asks": asks, "split": "", "seed": 0, "label": ""})
    assert answer.status_code == 302
    assert "Asking for" in client.get(answer.url).content.decode()

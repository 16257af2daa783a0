"""The first blind round of summaries that were brought."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.models import CrowdLink
from annotation.services.core.errors import BadInput, Conflict
from evaluation.models import Round, RoundRater, RoundState
from evaluation.services.summary_files.first_round import PAIRS, RATER, SCALES, find_offer, start_first_round
from evaluation.services.summary_files.project_creation import create_project_from_table
from tests.summary_files.test_project_creation import SETTINGS, build_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin():
    return User.objects.create_user("admin")


def create(admin, table):
    return create_project_from_table(table=table, file_name="table.csv", by=admin, **SETTINGS)[0]


def start(project, admin, **changes):
    values = {"name": "Blind", "template": SCALES, "n_texts": 4, "n_raters": 2} | changes
    return start_first_round(project=project, by=admin, **values)


def test_all_texts_are_offered_with_the_references(admin):
    offer = find_offer(create(admin, build_table()))
    assert (offer.all_texts, offer.with_references, offer.has_gold, offer.n_targets) == (4, 4, True, 3)
    assert offer.template == SCALES and offer.can_pair


def test_only_texts_with_every_summary_are_offered(admin):
    table = build_table()
    del table.outputs["BART"]["a1"]
    table.texts["a2"].reference = ""
    offer = find_offer(create(admin, table))
    assert (offer.all_texts, offer.with_references, offer.has_gold) == (3, 2, False)
    assert offer.template == PAIRS


def test_a_round_of_scales_runs_at_once(admin):
    project = create(admin, build_table())
    round_, links = start(project, admin)
    assert (round_.state, round_.n_items, round_.raters_per_item) == (RoundState.OPEN, 12, 2)
    assert len(links) == 2 and len({link.id for link in links}) == 2
    assert CrowdLink.objects.get(project=project).max_uses == 2


def test_pairs_of_two_systems_run_at_once(admin):
    project = create(admin, build_table(references=False))
    round_, _links = start(project, admin, template=PAIRS, n_texts=3)
    assert (round_.n_items, round_.form) == (3, "pair")


def test_a_rater_rates_by_the_link_and_sees_no_name_of_a_system(admin):
    project = create(admin, build_table())
    round_, links = start(project, admin)
    client = Client()
    address = f"{reverse('take-part', args=[links[0].secret])}?{RATER}={links[0].id}"
    assert "You rate 12 items." in client.get(address).content.decode()
    answer = client.post(address, follow=True)
    assert RoundRater.objects.get(round=round_).max_items == 12
    assert "bart" not in answer.content.decode().lower()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"n_texts": 5}, "n_texts"),
        ({"n_raters": 0}, "n_raters"),
        ({"n_raters": 21}, "n_raters"),
        ({"template": "likert"}, "template"),
    ],
)
def test_a_round_that_cannot_be_names_its_field(admin, change, field):
    project = create(admin, build_table())
    with pytest.raises(BadInput) as refused:
        start(project, admin, **change)
    assert refused.value.field == field
    assert not Round.objects.exists() and not CrowdLink.objects.exists()


def test_one_system_cannot_be_paired(admin):
    table = build_table(references=False)
    del table.outputs["BART"]
    project = create(admin, table)
    assert not find_offer(project).can_pair
    with pytest.raises(BadInput, match="Pairs need two systems"):
        start(project, admin, template=PAIRS)


def test_no_text_with_every_summary_is_no_round(admin):
    table = build_table(2)
    del table.outputs["BART"]["a0"], table.outputs["Lead 3"]["a1"]
    with pytest.raises(BadInput, match="No text has a summary of every system"):
        start(create(admin, table), admin)


def test_the_same_name_again_stores_nothing(admin):
    project = create(admin, build_table())
    start(project, admin)
    with pytest.raises(Conflict, match="already a round with that name"):
        start(project, admin)
    assert Round.objects.count() == CrowdLink.objects.count() == 1

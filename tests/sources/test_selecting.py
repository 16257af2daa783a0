"""A recorded random selection, and sources that are taken out because they are damaged."""

import pytest

from annotation.models import Group, Sample, SampleState, Slot, SlotState, SourceDocument, SourceSelection
from annotation.services.core.errors import BadInput
from annotation.services.sources import damaged
from annotation.services.sources import selection as source_selection
from tests.sources.conftest import import_, row

pytestmark = pytest.mark.django_db


def chosen(project):
    rows = SourceDocument.objects.filter(project=project).usable()
    return sorted(rows.values_list("external_id", flat=True))


def test_the_same_seed_selects_the_same_and_is_recorded(news, meetings, jsonl, admin):
    numbers = list(range(40))
    import_(news, jsonl(*(row(number) for number in numbers)))
    import_(meetings, jsonl(*(row(number) for number in reversed(numbers)), name="turned.jsonl"))
    first = source_selection.select_sources(project=news, n=10, seed=7, by=admin)
    assert chosen(news) == first.chosen
    assert len(first.chosen) == 10
    other = source_selection.select_sources(project=meetings, n=10, seed=7, by=admin)
    assert (other.chosen, other.ids_hash) == (first.chosen, first.ids_hash)
    assert source_selection.select_sources(project=news, n=10, seed=8, by=admin).chosen != first.chosen
    assert set(first.chosen) < set(source_selection.select_sources(project=news, n=20, seed=7, by=admin).chosen)
    assert len(chosen(news)) == 20
    assert list(SourceSelection.objects.filter(project=news).values_list("n", "seed")) == [(10, 7), (10, 8), (20, 7)]


def test_the_selection_is_the_same_in_every_release():
    """A change of the algorithm needs another name; these ids are part of the record of old selections."""
    assert source_selection.ALGORITHM == "sha256-rank@1"
    assert source_selection.rank_ids([f"doc-{number}" for number in range(6)], 1) == [
        "doc-5",
        "doc-2",
        "doc-4",
        "doc-1",
        "doc-3",
        "doc-0",
    ]


@pytest.mark.parametrize("n", [0, -1, 4])
def test_more_or_fewer_than_there_are_is_refused(news, jsonl, n):
    import_(news, jsonl(row(1), row(2), row(3)))
    with pytest.raises(BadInput) as refused:
        source_selection.select_sources(project=news, n=n, seed=0, by=None)
    assert refused.value.field == "n"
    assert len(chosen(news)) == 3


@pytest.fixture
def source_with_slots(news, jsonl):
    import_(news, jsonl(row(1), row(2)))
    for document in SourceDocument.objects.order_by("pk"):
        group = Group.objects.create(project=news, document=document, position=0)
        for number, state in enumerate([SlotState.OPEN, SlotState.TAKEN, SlotState.FILLED, SlotState.WAITING]):
            sample = Sample.objects.create(
                project=news,
                document=document,
                group=group,
                schema_version=news.schema_version,
                position=number,
                values={},
                combination="x",
                sampler="test",
            )
            Slot.objects.create(project=news, document=document, group=group, sample=sample, number=1, state=state)
    return SourceDocument.objects.order_by("pk").first()


def states(document):
    return list(Slot.objects.filter(document=document).order_by("pk").values_list("state", flat=True))


@pytest.mark.db_engine
def test_a_damaged_source_parks_its_free_slots_at_once(source_with_slots, admin):
    other = SourceDocument.objects.order_by("pk").last()
    assert damaged.flag_damaged(document=source_with_slots, reason="Cut off in the middle.", by=admin) == 2
    assert states(source_with_slots) == ["parked", "taken", "filled", "parked"]
    assert states(other) == ["open", "taken", "filled", "waiting"]
    source_with_slots.refresh_from_db()
    assert source_with_slots.damaged_reason == "Cut off in the middle."
    assert damaged.state_when_free(source_with_slots) == SlotState.PARKED
    assert source_with_slots.external_id not in chosen(source_with_slots.project)


@pytest.mark.db_engine
def test_a_mended_source_gives_its_slots_back_but_not_those_of_void_samples(source_with_slots, admin):
    damaged.flag_damaged(document=source_with_slots, reason="Cut off.", by=admin)
    Sample.objects.filter(document=source_with_slots, position=3).update(state=SampleState.VOID)
    assert damaged.unflag_damaged(document=source_with_slots, by=admin) == 1
    assert states(source_with_slots) == ["open", "taken", "filled", "parked"]
    assert source_with_slots.external_id in chosen(source_with_slots.project)


def test_where_topics_are_a_task_of_their_own_unchosen_samples_wait_again(source_with_slots, admin):
    source_with_slots.project.phases = "two"
    damaged.flag_damaged(document=source_with_slots, reason="Cut off.", by=admin)
    damaged.unflag_damaged(document=source_with_slots, by=admin)
    assert states(source_with_slots) == ["waiting", "taken", "filled", "waiting"]


def test_a_reason_is_needed(source_with_slots):
    with pytest.raises(BadInput) as refused:
        damaged.flag_damaged(document=source_with_slots, reason="  ", by=None)
    assert refused.value.field == "reason"
    assert states(source_with_slots) == ["open", "taken", "filled", "waiting"]

"""Choosing the samples of a pilot."""

import pytest

from annotation.models import Group, Project, Sample, SampleState, Slot
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.pilot import setup as pilot_setup
from annotation.services.tasks import pilot_gate
from tests.pilot.factories import next_task, with_pilot, write_pilot

pytestmark = pytest.mark.django_db


def test_every_candidate_faces_topics_that_staff_settled():
    project, _people, admin = with_pilot(samples=0, frozen=False, on=False)
    sample = Sample.objects.filter(project=project)[0]
    chosen = {"topic": [{"text": "topic 2", "candidate": "topic 2"}]}
    row = pilot_setup.add_sample(project=project, sample=sample, by=admin, chosen=chosen)
    assert row.sample.group.chosen == {"topic": ["topic 2"]}
    assert row.sample.values == sample.values
    assert Group.objects.get(pk=sample.group_id).frozen_at is None  # the ordinary choice is still open


def test_open_topics_must_be_settled():
    project, _people, admin = with_pilot(samples=0, frozen=False, on=False)
    sample = Sample.objects.filter(project=project)[0]
    with pytest.raises(BadInput):
        pilot_setup.add_sample(project=project, sample=sample, by=admin)
    sample.refresh_from_db()
    assert sample.state == SampleState.ACTIVE


def test_a_sample_somebody_holds_cannot_be_chosen():
    project, (first, _second), admin = with_pilot(samples=1, on=False)
    task = next_task(project, first)
    with pytest.raises(Conflict, match="in progress, written or skipped"):
        pilot_setup.add_sample(project=project, sample=task.sample, by=admin)
    assert task.sample not in pilot_setup.choosable_samples(project)


def test_a_removed_sample_is_back_in_the_work():
    project, _people, admin = with_pilot(samples=1)
    (row,) = pilot_setup.pilot_samples(pilot_gate.pilot_of(project))
    count_before = Slot.objects.filter(sample=row.origin, state="parked").count()
    pilot_setup.remove_sample(row=row, by=admin)
    assert Sample.objects.get(pk=row.origin_id).state == SampleState.ACTIVE
    assert Slot.objects.filter(sample=row.origin_id, state="open").count() == count_before == 1


def test_once_begun_the_samples_stay():
    project, (first, _second), admin = with_pilot(samples=1)
    next_task(project, first)
    (row,) = pilot_setup.pilot_samples(pilot_gate.pilot_of(project))
    with pytest.raises(Conflict, match="has started"):
        pilot_setup.remove_sample(row=row, by=admin)
    with pytest.raises(Conflict, match="has started"):
        pilot_setup.add_sample(project=project, sample=pilot_setup.choosable_samples(project)[0], by=admin)


def test_two_samples_of_one_source_share_its_copy():
    project, (first, _second), admin = with_pilot(samples=1, on=False)
    source = pilot_setup.pilot_samples(pilot_gate.pilot_of(project))[0].origin
    other = Sample.objects.filter(document=source.document_id).exclude(pk=source.pk)[0]
    pilot_setup.add_sample(project=project, sample=other, by=admin)
    pilot_setup.set_pilot_required(project=project, on=True, by=admin)
    assert pilot_gate.pilot_of(project).documents.count() == 1
    assert len(write_pilot(project, first)) == 2


def test_the_pilot_cannot_be_asked_for_without_samples():
    project, _people, admin = with_pilot(samples=0, on=False)
    with pytest.raises(Conflict, match="Choose the samples"):
        pilot_setup.set_pilot_required(project=project, on=True, by=admin)
    assert not Project.objects.get(pk=project.pk).needs_pilot

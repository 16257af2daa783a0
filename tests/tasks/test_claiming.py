"""Who gets which task next, and why there is none."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Annotation, Assignment, AssignmentState, Claim, Slot, SlotState, SourceDocument
from annotation.services.tasks import assignments, leases, skip, submit
from annotation.services.tasks import claim as task_claim
from tests.tasks.factories import make_people, make_project, payload

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]


def claim(project, person):
    return task_claim.claim_next(project=project, annotator=person)


def finish(assignment, key="k"):
    return submit.submit_task(assignment=assignment, payload=payload(), idempotency_key=key)


def position(assignment):
    """(source, position of the sample) of an assignment."""
    return assignment.group.document.position, assignment.sample.position


def take_all(project, person):
    """Claim and submit until nothing is left; what was done, in order, and the reason at the end."""
    items = []
    while (result := claim(project, person)).assignment is not None:
        finish(result.assignment)
        items.append(position(result.assignment))
    return items, result.reason


def test_tasks_come_in_order_of_source_and_sample():
    project = make_project(documents=2, groups=2, size=2, frozen=True)
    (person,) = make_people(1, project)
    completed, reason = take_all(project, person)
    assert completed == [(d, s) for d in range(2) for s in range(4)]
    assert reason == "done"


def test_a_claim_leases_the_whole_group():
    project = make_project(frozen=True)
    (person,) = make_people(1, project)
    result = claim(project, person)
    assert result.fresh
    mine = Assignment.objects.filter(claim_id=result.assignment.claim_id)
    assert set(mine.values_list("sample__position", flat=True)) == {0, 1}
    assert Slot.objects.filter(state=SlotState.TAKEN).count() == 2


@pytest.mark.parametrize(("unit", "count"), [("sample", 1), ("group", 2), ("source", 4)])
def test_the_project_says_how_much_is_claimed_at_once(unit, count):
    project = make_project(frozen=True, overlap=2, claim_unit=unit)
    other_first, other_second = make_people(2, project)
    first, second = claim(project, other_first).assignment, claim(project, other_second).assignment
    for item in (first, second):
        other_assignments = Assignment.objects.filter(claim_id=item.claim_id)
        assert other_assignments.count() == other_assignments.values("sample").distinct().count() == count
    assert first.slot_id != second.slot_id


def test_the_live_task_is_given_again():
    project = make_project(frozen=True)
    (person,) = make_people(1, project)
    first, again = claim(project, person), claim(project, person)
    assert again.assignment == first.assignment
    assert not again.fresh
    assert Claim.objects.count() == 1


def test_asking_again_keeps_the_lease():
    project = make_project(frozen=True, lease_minutes=30)
    (person,) = make_people(1, project)
    claim(project, person)
    Claim.objects.update(lease_until=timezone.now() + timedelta(minutes=5))
    assignment = claim(project, person).assignment
    assert assignment.claim.lease_until > timezone.now() + timedelta(minutes=29)


def test_a_claim_left_open_with_nothing_in_it_keeps_nobody_waiting():
    project = make_project(documents=2, frozen=True)
    (person,) = make_people(1, project)
    first = claim(project, person).assignment
    Assignment.objects.update(state="skipped")
    again = claim(project, person)
    assert again.fresh
    assert again.assignment.claim_id != first.claim_id


def test_the_rest_of_the_unit_follows_then_the_same_source():
    project = make_project(documents=2, groups=2, frozen=True, overlap=2)
    other_first, other_second = make_people(2, project)
    first = claim(project, other_first).assignment
    finish(first)
    second = claim(project, other_first)
    assert (position(first), position(second.assignment)) == ((0, 0), (0, 1))
    assert not second.fresh
    # somebody takes the front; the source being read still goes before it
    claim(project, other_second)
    finish(second.assignment)
    assert position(claim(project, other_first).assignment) == (0, 2)


def test_a_source_read_before_goes_before_the_front():
    project = make_project(documents=3, groups=2, size=1, frozen=True)
    first, second = make_people(2, project)
    assignment = claim(project, first).assignment  # source 0, sample 0
    other = claim(project, second).assignment  # source 0, sample 1
    finish(other)
    third = claim(project, second).assignment  # source 1, sample 0
    assert position(third) == (1, 0)
    leases.release_task(assignment=assignment)
    finish(third)
    # sample 0 of source 0 is open again, and sample 1 of source 1: both sources were read by two
    assert position(claim(project, second).assignment) == (0, 0)


def test_nobody_gets_a_sample_twice():
    project = make_project(documents=1, groups=1, size=1, overlap=3, frozen=True)
    first, second = make_people(2, project)
    finish(claim(project, first).assignment)
    assert claim(project, first) == task_claim.ClaimResult(None, "all_yours")
    assignment = claim(project, second).assignment
    assert assignment.sample.position == 0
    assert claim(project, first).reason == "all_yours"


def test_what_others_hold_is_a_reason_to_come_back():
    project = make_project(documents=1, groups=1, size=1, frozen=True)
    first, second = make_people(2, project)
    claim(project, first)
    assert claim(project, second).reason == "leased"


def test_an_expired_claim_comes_back_with_its_text_if_nobody_took_it():
    project = make_project(frozen=True)
    other_first, _ = make_people(2, project)
    from annotation.services.tasks import drafts

    first = claim(project, other_first).assignment
    drafts.save_draft(assignment=first, payload={"summary": "half"}, revision=0)
    expire_all()
    assert Slot.objects.filter(state=SlotState.OPEN).count() == Slot.objects.count()
    again = claim(project, other_first)
    assert again.assignment.pk == first.pk
    assert again.assignment.draft.payload == {"summary": "half"}
    assert not again.fresh
    assert set(Assignment.objects.values_list("state", flat=True)) == {"claimed"}
    assert Slot.objects.filter(state=SlotState.TAKEN).count() == 2


def expire_all():
    Claim.objects.filter(closed_at=None).update(lease_until="2020-01-01T00:00:00Z")
    return leases.expire_leases()


def test_an_expired_claim_comes_back_on_another_place_of_the_sample():
    project = make_project(documents=1, groups=1, size=1, overlap=2, frozen=True)
    other_first, second = make_people(2, project)
    first = claim(project, other_first).assignment
    expire_all()
    assignment = claim(project, second).assignment
    assert assignment.slot_id == first.slot_id
    again = claim(project, other_first).assignment
    assert again.pk == first.pk
    assert again.slot_id != assignment.slot_id


def test_an_expired_claim_whose_places_are_taken_is_left():
    project = make_project(documents=1, groups=2, size=1, frozen=True)
    other_first, second = make_people(2, project)
    first = claim(project, other_first).assignment
    expire_all()
    assert claim(project, second).assignment.slot_id == first.slot_id
    assert claim(project, other_first).assignment.sample.position == 1


def test_what_was_given_back_is_offered_to_others_first_and_again_when_nobody_wants_it():
    project = make_project(documents=1, groups=2, size=1, frozen=True)
    (other_first,) = make_people(1, project)
    first = claim(project, other_first).assignment
    leases.release_task(assignment=first)
    second = claim(project, other_first).assignment
    assert second.sample.position == 1
    finish(second)
    assert claim(project, other_first).assignment.pk == first.pk


def test_what_was_skipped_is_for_somebody_else():
    project = make_project(documents=1, groups=1, size=1, frozen=True)
    first, second = make_people(2, project)
    skip.skip_task(assignment=claim(project, first).assignment, reason="other")
    assert claim(project, first).reason == "all_yours"
    assert claim(project, second).assignment is not None


def test_a_damaged_source_is_not_offered():
    project = make_project(documents=2, groups=1, size=1, frozen=True)
    (first,) = make_people(1, project)
    SourceDocument.objects.filter(position=0).update(damaged=True)
    assert position(claim(project, first).assignment) == (1, 0)


def test_a_slot_given_back_on_a_damaged_source_is_parked():
    project = make_project(documents=1, groups=1, size=2, frozen=True)
    (first,) = make_people(1, project)
    assignment = claim(project, first).assignment
    SourceDocument.objects.update(damaged=True)
    leases.release_task(assignment=assignment, whole_unit=True)
    assert set(Slot.objects.values_list("state", flat=True)) == {"parked"}


def test_nothing_is_offered_in_an_archived_project():
    project = make_project(frozen=True, archived_at="2024-01-01T00:00:00Z")
    (first,) = make_people(1, project)
    assert claim(project, first).reason == "done"


def test_whoever_did_the_front_goes_on_behind_it_and_comes_round_again():
    """More open places in front than one look reads, all of samples this person has had."""
    project = make_project(documents=30, groups=1, size=1, overlap=4, frozen=True)
    other_first, _second = make_people(2, project)
    completed, reason = take_all(project, other_first)
    assert completed == [(n, 0) for n in range(30)]
    assert reason == "all_yours"
    # A place in front that could be this person's again is found by the last look.
    Assignment.objects.filter(annotator=other_first, sample__document__position=20).update(state="skipped")
    first = Assignment.objects.get(annotator=other_first, sample__document__position=20)
    Annotation.objects.filter(assignment=first).delete()
    first.delete()
    assert position(claim(project, other_first).assignment) == (20, 0)


def test_places_nobody_left_can_fill_are_listed():
    project = make_project(documents=1, groups=1, size=2, overlap=3, frozen=True)
    first, second = make_people(2, project)
    rows = assignments.list_unfillable(project)
    assert [(row.sample, row.places, row.people) for row in rows] == [("news-0#0", 3, 2), ("news-0#1", 3, 2)]
    finish(claim(project, first).assignment)
    (third,) = make_people(1, project, start=3)
    assert assignments.list_unfillable(project) == []
    skip.skip_task(assignment=claim(project, first).assignment, reason="other")
    assert [(row.sample, row.places, row.people) for row in assignments.list_unfillable(project)] == [
        ("news-0#1", 3, 2)
    ]
    assert second.is_active and third.is_active


def test_choosing_tasks_come_first_and_open_what_waited():
    project = make_project(documents=1, groups=1, size=2, phases="two")
    first, second = make_people(2, project)
    chooser = claim(project, first).assignment
    assert chooser.sample is None
    assert claim(project, second).reason == "leased"
    from annotation.services.tasks import choose

    choose.save_choice(assignment=chooser, chosen={"topic": [{"text": "topic 1", "candidate": "topic 1"}]})
    assert Assignment.objects.get(pk=chooser.pk).state == AssignmentState.SUBMITTED
    assert claim(project, second).assignment.sample.position == 0
    assert claim(project, first).reason == "leased"

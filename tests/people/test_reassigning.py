"""Open tasks go to somebody else: the attempts end, the places wait for the other person, and undo gives them back."""

import pytest
from django.utils import timezone

from annotation.models import Assignment, Reservation, Slot
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.staff import bulk_actions, reassignment, release_and_void
from annotation.services.tasks import claim as task_claim
from annotation.services.tasks import submit
from tests.staff.conftest import make_staff
from tests.tasks.factories import make_people, payload

pytestmark = pytest.mark.django_db


def give(staff, expect: int):
    return reassignment.reassign_tasks(
        project=staff.project, person=staff.one, other=staff.two, by=staff.admin, expect=expect
    )


def claim(staff, who):
    return task_claim.claim_next(project=staff.project, annotator=who).assignment


@pytest.fixture
def open_work(staff):
    """annotator1 has one task returned and one claimed."""
    (back,) = staff.write(staff.one)
    Assignment.objects.filter(pk=back.pk).update(state="returned")
    return back, staff.claim(staff.one)


def state(task) -> str:
    return Assignment.objects.values_list("state", flat=True).get(pk=task.pk)


def test_the_other_person_is_given_the_places_first_and_nobody_else(staff, open_work):
    back, holder = open_work
    result = reassignment.preview_reassignment(staff.project, staff.one, staff.two)
    assert (result.attempts, result.states) == (2, {"returned": 1, "claimed": 1})

    give(staff, 2)

    assert (state(back), state(holder)) == ("void", "released")
    (third,) = make_people(1, staff.project, start=3)
    places = {back.slot_id, holder.slot_id}
    assert claim(staff, third).slot_id not in places
    assert claim(staff, staff.one).slot_id not in places, "nor the first person, by taking it up again"
    first = claim(staff, staff.two)
    submit.submit_task(assignment=first, payload=payload(), idempotency_key="k")
    assert {first.slot_id, claim(staff, staff.two).slot_id} == places


def test_late_work_of_the_first_person_is_kept_as_surplus(staff, open_work):
    _back, holder = open_work
    give(staff, 2)
    holder.refresh_from_db()
    answer = submit.submit_task(assignment=holder, payload=payload(), idempotency_key="late")
    assert answer.body["state"] == "surplus"


def test_undo_gives_back_what_nobody_took(staff, open_work):
    back, holder = open_work
    action = give(staff, 2)
    result = claim(staff, staff.two)
    assert result.slot_id == back.slot_id

    assert release_and_void.undo_action(action=action, by=staff.admin) == 1

    assert (state(back), state(holder)) == ("void", "claimed")
    assert claim(staff, staff.one).pk == holder.pk
    assert not Reservation.objects.filter(slot=holder.slot_id).exists()


def test_what_the_other_person_had_stays(db):
    staff = make_staff(overlap=2, documents=1, groups=1, size=1)
    staff.write(staff.two)
    result = staff.claim(staff.one)

    assert reassignment.preview_reassignment(staff.project, staff.one, staff.two).had == 1
    with pytest.raises(Conflict):
        give(staff, 0)
    assert state(result) == "claimed"


def test_a_place_is_everybodys_when_its_time_is_over(staff, open_work):
    give(staff, 2)
    Reservation.objects.update(until=timezone.now())
    (third,) = make_people(1, staff.project, start=3)
    assert claim(staff, third).slot_id == min(task.slot_id for task in open_work)


def test_places_are_kept_for_a_person_and_undo_gives_them_up(staff):
    action_request = bulk_actions.ActionRequest("reserve", staff.two.username, n=3)
    assert bulk_actions.preview_action(staff.project, action_request).attempts == 3
    action = bulk_actions.execute_action(staff.project, action_request, by=staff.admin, expect=3)
    reservations = set(Reservation.objects.values_list("slot_id", flat=True))
    assert reservations == set(Slot.objects.order_by("pk").values_list("pk", flat=True)[:3])

    assert claim(staff, staff.one).slot_id not in reservations and claim(staff, staff.two).slot_id in reservations
    assert release_and_void.undo_action(action=action, by=staff.admin) == 2
    assert Reservation.objects.count() == 1, "the one that was taken"


def test_only_an_annotator_who_may_work_is_given_tasks(staff, open_work):
    for name in (staff.admin.username, "nobody"):
        with pytest.raises(BadInput):
            bulk_actions.preview_action(
                staff.project, bulk_actions.ActionRequest("reassign", staff.one.username, to=name)
            )


def test_on_the_page(staff, open_work):
    form = {"kind": "reassign", "person": "annotator1", "to": "annotator2", "do": "preview"}
    page = staff.client.post(staff.url("steering/"), form).content.decode()
    assert "Affects 2 tasks of 2 samples" in page
    about = page.split('name="about" value="')[1].split('"')[0]
    staff.client.post(staff.url("steering/"), {**form, "do": "act", "expect": "2", "about": about})
    assert Reservation.objects.filter(user=staff.two).count() == 2
    assert "annotator1 → annotator2" in staff.client.get(staff.url("steering/")).content.decode()

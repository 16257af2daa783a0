"""Releasing, voiding and freezing: what they touch, and that undo gives back what nobody took meanwhile."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from annotation.models import Assignment, AuditEvent, BulkAction, Claim, Slot
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.staff import release_and_void
from annotation.services.staff.release_and_void import Kind, Period
from annotation.services.tasks import assignments, claim, submit
from tests.tasks.factories import payload

pytestmark = pytest.mark.django_db


def states(rows) -> list[str]:
    return list(
        Assignment.objects.filter(pk__in=[row.pk for row in rows]).order_by("pk").values_list("state", flat=True)
    )


def places(rows) -> list[str]:
    return list(
        Slot.objects.filter(pk__in=[row.slot_id for row in rows]).order_by("pk").values_list("state", flat=True)
    )


def void(staff, n: int, period: Period = release_and_void.ALWAYS) -> BulkAction:
    return release_and_void.run_action(
        project=staff.project, person=staff.one, kind=Kind.VOID, by=staff.admin, period=period, expect=n
    )


def test_voiding_reopens_the_places_for_others_and_leaves_other_peoples_work(staff):
    mine, other = staff.write(staff.one, 2), staff.write(staff.two, 1)
    assert release_and_void.preview_action(staff.project, staff.one, Kind.VOID).states == {"submitted": 2}

    void(staff, 2)

    assert states(mine) == ["void", "void"] and places(mine) == ["open", "open"]
    assert states(other) == ["submitted"] and places(other) == ["filled"]
    assert {staff.claim(staff.two).sample_id for _ in range(1)} <= {row.sample_id for row in mine}
    event = AuditEvent.objects.get(verb="bulk.void")
    assert event.actor == staff.admin and event.detail == {"person": staff.one.pk, "attempts": 2}


def test_undo_restores_only_where_nobody_went_on(staff):
    mine = staff.write(staff.one, 3)
    action = void(staff, 3)
    result = staff.write(staff.two, 1)
    assert result[0].sample_id == mine[0].sample_id

    assert release_and_void.undo_action(action=action, by=staff.admin) == 2

    assert states(mine) == ["void", "submitted", "submitted"] and places(mine) == ["filled"] * 3
    assert states(result) == ["submitted"]
    with pytest.raises(Conflict):
        release_and_void.undo_action(action=action, by=staff.admin)


def test_only_the_days_named_are_voided(staff):
    early, late = staff.write(staff.one, 2)
    Assignment.objects.filter(pk=early.pk).update(finished_at=timezone.now() - timedelta(days=10))
    until = date.today() - timedelta(days=5)

    void(staff, 1, Period(until=until))

    assert states([early, late]) == ["void", "submitted"]


def test_a_day_ends_at_midnight_of_the_projects_zone(staff):
    staff.project.timezone = "Asia/Tokyo"  # nine hours ahead of UTC
    start, end = Period(date(2026, 3, 2), date(2026, 3, 2)).bounds(staff.project)

    assert start.isoformat() == "2026-03-02T00:00:00+09:00" and end.isoformat() == "2026-03-03T00:00:00+09:00"
    with pytest.raises(BadInput):
        Period(date(2026, 3, 3), date(2026, 3, 2)).bounds(staff.project)


def test_releasing_gives_the_tasks_of_one_person_to_others_and_undo_gives_them_back(staff):
    result, other = staff.claim(staff.one), staff.claim(staff.two)

    action = release_and_void.run_action(
        project=staff.project, person=staff.one, kind=Kind.RELEASE, by=staff.admin, expect=1
    )

    assert states([result, other]) == ["released", "claimed"] and places([result]) == ["open"]
    assert Claim.objects.get(pk=result.claim_id).closed_at is not None
    assert release_and_void.undo_action(action=action, by=staff.admin) == 1
    assert states([result]) == ["claimed"] and places([result]) == ["taken"]
    again = claim.claim_next(project=staff.project, annotator=staff.one)
    assert again.assignment.pk == result.pk and not again.fresh
    submit.submit_task(
        assignment=assignments.get_own_assignment(staff.one, result.public_id), payload=payload(), idempotency_key="k"
    )
    assert states([result]) == ["submitted"]


def test_undoing_a_release_takes_nothing_from_who_holds_other_tasks_by_now(staff):
    result = staff.claim(staff.one)
    action = release_and_void.run_action(
        project=staff.project, person=staff.one, kind=Kind.RELEASE, by=staff.admin, expect=1
    )
    newer = staff.claim(staff.one)
    assert newer.pk != result.pk

    with pytest.raises(Conflict) as refused:
        release_and_void.undo_action(action=action, by=staff.admin)

    assert refused.value.code == "holds" and states([result, newer]) == ["released", "claimed"]


def test_what_changed_since_the_preview_is_refused_whole(staff):
    mine = staff.write(staff.one, 2)

    with pytest.raises(Conflict):
        void(staff, 1)

    assert states(mine) == ["submitted"] * 2 and not BulkAction.objects.exists()


def test_a_failing_audit_leaves_everything_as_it_was(staff, monkeypatch):
    mine = staff.write(staff.one, 2)

    def broken(**_given):
        raise RuntimeError("no audit")

    monkeypatch.setattr("annotation.services.core.audit.record_event", broken)
    with pytest.raises(RuntimeError):
        void(staff, 2)

    assert states(mine) == ["submitted"] * 2 and places(mine) == ["filled"] * 2


def test_frozen_no_new_task_and_held_ones_can_be_finished(staff, django_assert_max_num_queries):
    result = staff.claim(staff.one)
    release_and_void.freeze_project(project=staff.project, by=staff.admin)
    staff.project.refresh_from_db()

    assert claim.claim_next(project=staff.project, annotator=staff.one).assignment.pk == result.pk
    with django_assert_max_num_queries(3):
        assert claim.claim_next(project=staff.project, annotator=staff.two) == claim.ClaimResult(None, "frozen")
    submit.submit_task(assignment=result, payload=payload(), idempotency_key="k")
    assert claim.claim_next(project=staff.project, annotator=staff.one).reason == "frozen"

    release_and_void.unfreeze_project(project=staff.project, by=staff.admin)
    release_and_void.unfreeze_project(project=staff.project, by=staff.admin)

    assert claim.claim_next(project=staff.project, annotator=staff.one).fresh
    assert list(AuditEvent.objects.filter(verb__contains="freeze").order_by("id").values_list("verb", flat=True)) == [
        "project.freeze",
        "project.unfreeze",
    ]

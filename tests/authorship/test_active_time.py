"""Active time by step: only by the server's clock, capped, once for two tabs, and with consent only."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Annotation, Assignment, Claim, GuidelineReading
from annotation.services.tasks import active_time, assignments, claim, leases, revisions
from annotation.services.tasks.active_time import Sign
from tests.tasks.factories import payload

pytestmark = pytest.mark.django_db


def stored() -> dict:
    return Annotation.objects.latest("pk").timings


def test_what_lies_between_signs_counts_for_the_step_that_is_named(writer, clock):
    writer.beat("write", active=False)  # the page opens
    clock.pass_(60)
    writer.beat("write")
    clock.pass_(20)
    writer.draft(step="write")
    clock.pass_(30)
    writer.beat("mark")
    clock.pass_(12)
    assert writer.submit(writer.task, payload()).status_code == 201

    assert stored()["active_by_step"] == {"write": 80.0, "mark": 42.0}
    assert stored()["active_seconds"] == 122.0
    assert active_time.minutes_of(stored()) == (122 / 60, True)


def test_a_closed_lid_adds_no_more_than_the_cap(writer, clock):
    writer.beat("write", active=False)
    clock.pass_(3 * 3600)
    writer.draft(step="write")
    writer.submit(writer.task, payload())
    assert stored()["active_seconds"] == active_time.CAP


def test_who_was_away_is_not_counted(writer, clock):
    writer.beat("write", active=False)
    clock.pass_(60)
    writer.beat("write", active=False)  # nobody touched the page
    clock.pass_(40)
    writer.beat("write")
    writer.submit(writer.task, payload())
    assert stored()["active_seconds"] == 40.0


def test_two_tabs_count_a_second_once(writer, clock):
    other = writer.claim().data_out["unit"]["assignments"][1]["id"]
    writer.beat("write", active=False)
    for _ in range(6):  # both tabs of the unit say so, ten seconds apart
        clock.pass_(10)
        writer.beat("write")
        writer.beat("mark", task=other)
        writer.draft(f"Text {_}", step="write")
    seconds = Claim.objects.get().activity["seconds"]
    assert sum(sum(steps.values()) for steps in seconds.values()) == 60.0


def test_a_clock_that_is_set_back_takes_nothing_and_gives_nothing():
    now = timezone.now()
    begun = active_time.add_sign({}, attempt=1, sign=Sign("write", False), now=now)
    back = active_time.add_sign(begun, attempt=1, sign=Sign("write"), now=now - timedelta(hours=1))
    again = active_time.add_sign(back, attempt=1, sign=Sign("write"), now=now + timedelta(seconds=5))
    assert active_time.seconds_by_step(again, 1) == {"write": 5.0}


def test_what_the_browser_says_of_time_is_not_looked_at(writer, clock):
    writer.beat("write", active=False)
    clock.pass_(5)
    fields = {"step": "write", "seconds": 900, "at": "2030-01-01T00:00:00Z"}
    assert writer("POST", f"assignments/{writer.task}/heartbeat/", fields).status_code == 422
    writer.beat("write")
    writer.submit(writer.task, payload())
    assert stored()["active_seconds"] == 5.0


def test_without_consent_no_time_is_kept(writer, clock):
    GuidelineReading.objects.update(consent=False)
    writer.beat("write", active=False)
    clock.pass_(60)
    writer.draft(step="write")
    writer.submit(writer.task, payload())
    assert Claim.objects.get().activity == {}
    assert "active_seconds" not in stored() and stored()["seconds"] > 0
    assert active_time.minutes_of(stored())[1] is False  # wall time, and said so


def test_a_script_that_declares_no_step_has_no_active_time(writer, clock):
    writer("POST", f"assignments/{writer.task}/heartbeat/")
    writer.draft()
    writer.submit(writer.task, payload())
    assert "active_seconds" not in stored()


def test_a_revision_has_the_time_of_its_own(writer, clock):
    writer.beat("write", active=False)
    clock.pass_(50)
    writer.submit(writer.task, payload())
    task = Assignment.objects.get(public_id=writer.task)
    revisions.take_back(assignment=assignments.get_own_assignment(writer.person, task.public_id))
    clock.pass_(9000)
    writer.beat("review", active=False)
    clock.pass_(30)
    assert writer.submit(writer.task, payload(title="Later"), "key-2").status_code == 201
    assert [row.timings["active_seconds"] for row in Annotation.objects.order_by("pk")] == [50.0, 30.0]


def test_time_goes_along_when_a_task_is_taken_up_again(writer, clock):
    writer.beat("write", active=False)
    clock.pass_(40)
    writer.beat("write")
    Claim.objects.update(lease_until="2020-01-01T00:00:00Z")
    leases.expire_leases()
    claim.claim_next(project=Assignment.objects.first().project, annotator=writer.person)
    clock.pass_(500)
    writer.beat("write", active=False)
    clock.pass_(10)
    writer.submit(writer.task, payload())
    assert stored()["active_seconds"] == 50.0

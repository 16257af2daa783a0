"""Leases: kept by a heartbeat, given back, taken back when they run out."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.jobs import run_sweepers
from annotation.models import Assignment, AuditEvent, Claim, Slot
from annotation.services.core.errors import Conflict
from annotation.services.tasks import assignments, claim, leases, submit
from tests.tasks.factories import make_people, make_project, payload

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]


@pytest.fixture
def task():
    project = make_project(documents=1, groups=1, size=2, frozen=True, lease_minutes=30)
    return claim.claim_next(project=project, annotator=make_people(1, project)[0]).assignment


def fresh(task):
    return assignments.get_own_assignment(task.annotator, task.public_id)


def states():
    attempts = Assignment.objects.values_list("state", flat=True)
    return sorted(attempts), sorted(Slot.objects.values_list("state", flat=True))


def near(moment, minutes):
    return abs(moment - timezone.now() - timedelta(minutes=minutes)) < timedelta(minutes=1)


def test_a_claim_is_leased_for_the_projects_minutes(task):
    assert near(task.claim.lease_until, 30)


def test_a_heartbeat_starts_the_lease_afresh(task):
    Claim.objects.update(lease_until=timezone.now() + timedelta(minutes=1))
    assert near(leases.heartbeat(assignment=fresh(task)), 30)
    assert near(Claim.objects.get().lease_until, 30)


def test_a_lease_that_ran_out_gives_everything_back_once(task):
    assert leases.expire_leases() == 0
    assert leases.expire_leases(now=timezone.now() + timedelta(minutes=31)) == 1
    assert states() == (["expired", "expired"], ["open", "open"])
    assert Claim.objects.get().closed_at is not None
    assert AuditEvent.objects.filter(verb="claim.expire").count() == 1
    assert leases.expire_leases(now=timezone.now() + timedelta(minutes=31)) == 0


def test_what_was_handed_in_stays_when_the_rest_runs_out(task):
    submit.submit_task(assignment=task, payload=payload(), idempotency_key="k")
    leases.expire_leases(now=timezone.now() + timedelta(minutes=31))
    assert states() == (["expired", "submitted"], ["filled", "open"])


def test_the_sweeper_takes_back_what_ran_out(task):
    Claim.objects.update(lease_until="2020-01-01T00:00:00Z")
    run_sweepers()
    assert states() == (["expired", "expired"], ["open", "open"])


def test_a_lease_that_ran_out_unnoticed_lives_on(task):
    Claim.objects.update(lease_until="2020-01-01T00:00:00Z")
    assert near(leases.heartbeat(assignment=fresh(task)), 30)
    assert leases.expire_leases() == 0


def test_after_the_end_a_heartbeat_says_so(task):
    leases.expire_leases(now=timezone.now() + timedelta(minutes=31))
    for stale in (task, fresh(task)):
        with pytest.raises(Conflict) as refused:
            leases.heartbeat(assignment=stale)
        assert refused.value.code == "expired"


def test_one_task_or_the_whole_claim_is_given_back(task):
    leases.release_task(assignment=task)
    assert states() == (["claimed", "released"], ["open", "taken"])
    assert Claim.objects.get().closed_at is None
    leases.release_task(assignment=task)
    rest = claim.claim_next(project=task.project, annotator=task.annotator).assignment
    assert rest.pk != task.pk
    leases.release_task(assignment=rest, whole_unit=True)
    assert states() == (["released", "released"], ["open", "open"])
    assert Claim.objects.get().closed_at is not None


def test_the_whole_claim_at_once(task):
    leases.release_task(assignment=task, whole_unit=True)
    assert states() == (["released", "released"], ["open", "open"])

"""Tasks of the pilot first, ordinary ones for who qualified."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Assignment, Membership, PilotCandidate, Project, Sample
from annotation.services.core import access
from annotation.services.core.errors import NotFound
from annotation.services.pilot import decisions as pilot_decisions
from annotation.services.pilot import setup as pilot_setup
from annotation.services.tasks import assignments, claim, leases, pilot_gate, skip
from tests.pilot.factories import (
    candidate_state,
    decide_candidate,
    find_candidate,
    hand_in,
    next_task,
    with_pilot,
    write_pilot,
)
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db


def requests_of(person) -> list[tuple[str, dict, dict]]:
    rows = Assignment.objects.filter(annotator=person).order_by("pk").select_related("sample__group__document")
    return [(row.sample.group.document.external_id, row.sample.values, row.sample.group.chosen) for row in rows]


def test_every_candidate_writes_the_same_samples_once():
    project, people, _admin = with_pilot(annotators=3)
    written = [write_pilot(project, person) for person in people]
    assert [len(tasks) for tasks in written] == [2, 2, 2]
    assert requests_of(people[0]) == requests_of(people[1]) == requests_of(people[2])


def test_the_state_follows_what_was_written():
    project, (first, _second), _admin = with_pilot()
    pilot_decisions.invite_annotators(project=project, by=_admin)
    assert candidate_state(project, first) == "invited"
    task = next_task(project, first)
    assert candidate_state(project, first) == "in_pilot"
    hand_in(task)
    assert candidate_state(project, first) == "in_pilot"
    hand_in(next_task(project, first))
    assert candidate_state(project, first) == "submitted"


def test_after_the_pilot_a_candidate_waits_for_the_decision():
    project, (first, _second), _admin = with_pilot()
    write_pilot(project, first)
    assert claim.claim_next(project=project, annotator=first).reason == pilot_gate.WAITING


def test_only_the_qualified_are_given_ordinary_tasks():
    project, (first, second), admin = with_pilot()
    write_pilot(project, first)
    decide_candidate(project, first, admin)
    assert next_task(project, first).project_id == project.pk
    assert next_task(project, second).project.pilot_of_id == project.pk


def test_the_rejected_are_given_nothing():
    project, (first, _second), admin = with_pilot()
    write_pilot(project, first)
    decide_candidate(project, first, admin, "rejected")
    assert claim.claim_next(project=project, annotator=first).reason == pilot_gate.REJECTED


def test_a_taken_back_decision_closes_the_ordinary_work_again():
    project, (first, _second), admin = with_pilot()
    write_pilot(project, first)
    decided = decide_candidate(project, first, admin)
    pilot_decisions.reopen_candidate(candidate=decided, reason="The wrong person.", by=admin)
    assert claim.claim_next(project=project, annotator=first).reason == pilot_gate.WAITING


def test_what_is_held_can_be_finished_after_the_pilot_is_switched_on():
    project, (first, _second), admin = with_pilot(on=False)
    result = next_task(project, first)
    pilot_setup.set_pilot_required(project=project, on=True, by=admin)
    assert next_task(project, first).pk == result.pk
    hand_in(result)


def test_without_the_setting_nobody_is_asked_for_the_pilot():
    project, (first, _second), _admin = with_pilot(on=False)
    assert next_task(project, first).project_id == project.pk


def test_a_pilot_task_that_ran_out_comes_back_to_the_candidate():
    project, (other_first, second), _admin = with_pilot()
    first = next_task(project, other_first)
    next_task(project, second)
    leases.release_task(assignment=first)
    assert {task.sample_id for task in write_pilot(project, other_first)} == {
        row.sample_id for row in first_samples(project)
    }


def first_samples(project):
    return pilot_setup.pilot_samples(pilot_gate.pilot_of(project))


def test_a_skipped_pilot_sample_counts_as_answered():
    project, (first, _second), _admin = with_pilot()
    task = next_task(project, first)
    skip.skip_task(assignment=task, reason="nothing_fits")
    hand_in(next_task(project, first))
    assert candidate_state(project, first) == "submitted"


def test_who_is_no_annotator_any_more_loses_the_pilot_task():
    project, (first, _second), _admin = with_pilot()
    task = next_task(project, first)
    Membership.objects.filter(project=project, user=first).delete()
    with pytest.raises(NotFound):
        assignments.get_own_assignment(first, task.public_id)


def test_the_gate_is_that_of_the_project():
    project, _people, _admin = with_pilot(annotators=0)
    (newcomer,) = make_people(1, project, start=9)
    newcomer.guideline_readings.all().delete()
    assert claim.claim_next(project=project, annotator=newcomer).reason == "gate"
    assert not PilotCandidate.objects.filter(user=newcomer).exists()


def test_a_late_candidate_gets_a_place_in_every_sample():
    project, (first, second), _admin = with_pilot()
    write_pilot(project, first)
    write_pilot(project, second)
    (late,) = make_people(1, project, start=9)
    assert len(write_pilot(project, late)) == 2


def test_without_samples_the_pilot_is_not_ready():
    project, (first, _second), admin = with_pilot(samples=1)
    pilot_setup.remove_sample(row=first_samples(project)[0], by=admin)
    assert claim.claim_next(project=project, annotator=first).reason == pilot_gate.NOT_READY


def test_no_page_leads_into_the_pilot_itself():
    project, _people, admin = with_pilot()
    room = pilot_gate.pilot_of(project)
    site = type(admin).objects.create(username="site", is_superuser=True)
    assert room not in Project.objects.seen_by(site)
    with pytest.raises(NotFound):
        access.project_for(site, room.slug)
    with pytest.raises(NotFound):
        access.row_for(site, Sample.objects.all(), first_samples(project)[0].sample.public_id)


def queries_of_a_claim(project, person) -> int:
    with CaptureQueriesContext(connection) as capture_queries_context:
        assert next_task(project, person) is not None
    return sum(not row["sql"].startswith(("SAVEPOINT", "RELEASE", "BEGIN")) for row in capture_queries_context)


def test_a_claim_asks_a_constant_number_of_queries():
    of_the_pilot, ordinary = [], []
    for slug, samples, annotators, start in (("small", 1, 2, 1), ("large", 4, 6, 10)):
        project, people, admin = with_pilot(slug, samples=samples, annotators=annotators, start=start)
        pilot_decisions.invite_annotators(project=project, by=admin)
        for person in people[1:]:
            write_pilot(project, person)
            decide_candidate(project, person, admin)
        of_the_pilot.append(queries_of_a_claim(project, people[0]))
        ordinary.append(queries_of_a_claim(project, people[-1]))
    assert of_the_pilot[0] == of_the_pilot[1] <= 12
    assert ordinary[0] == ordinary[1] <= 12


def test_settings_of_the_project_reach_the_pilot():
    project, (first, _second), _admin = with_pilot()
    Project.objects.filter(pk=project.pk).update(lease_minutes=7)
    project.refresh_from_db()
    next_task(project, first)
    assert find_candidate(project, first).pilot.lease_minutes == 7

"""Qualifying and rejecting candidates, with reasons, once, and back."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.models import Assignment, AuditEvent, PilotDecision
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.pilot import decisions as pilot_decisions
from annotation.services.pilot import setup as pilot_setup
from annotation.services.tasks import claim, pilot_gate, revisions
from tests.pilot.factories import candidate_state, decide_candidate, find_candidate, next_task, with_pilot, write_pilot
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db


@pytest.fixture
def done():
    """(project, a candidate who has written everything, another, an admin)"""
    project, (first, second), admin = with_pilot()
    write_pilot(project, first)
    pilot_decisions.invite_annotators(project=project, by=admin)
    return project, first, second, admin


@pytest.mark.parametrize("verdict", ["qualified", "rejected"])
def test_a_decision_is_kept_with_who_and_why(done, verdict):
    project, first, _second, admin = done
    decide_candidate(project, first, admin, verdict, "Because.")
    candidate = find_candidate(project, first)
    assert (candidate_state(project, first), candidate.reason, candidate.decided_by) == (verdict, "Because.", admin)
    assert AuditEvent.objects.filter(verb=f"pilot.{verdict}", actor=admin).count() == 1


@pytest.mark.parametrize("reason", ["", "  \n", None, 7])
def test_a_decision_needs_a_reason(done, reason):
    project, first, _second, admin = done
    with pytest.raises(BadInput):
        decide_candidate(project, first, admin, reason=reason)
    assert candidate_state(project, first) == "submitted"


def test_a_second_decision_is_refused(done):
    project, first, _second, admin = done
    decide_candidate(project, first, admin)
    with pytest.raises(Conflict, match="Already decided"):
        decide_candidate(project, first, admin, "rejected")
    assert candidate_state(project, first) == "qualified"


def test_the_database_lets_one_of_two_decisions_in(done):
    project, first, _second, admin = done
    result = decide_candidate(project, first, admin)
    with pytest.raises(IntegrityError), transaction.atomic():
        PilotDecision.objects.create(
            candidate=result, number=1, kind="rejected", reason="x", by=admin, at=timezone.now()
        )


def test_taking_back_needs_a_reason_and_is_kept(done):
    project, first, _second, admin = done
    result = decide_candidate(project, first, admin)
    with pytest.raises(BadInput):
        pilot_decisions.reopen_candidate(candidate=result, reason=" ", by=admin)
    pilot_decisions.reopen_candidate(candidate=result, reason="Mixed up.", by=admin)
    assert candidate_state(project, first) == "submitted"
    newest = pilot_decisions.list_decisions(result)[0]
    assert (newest.kind, newest.reason) == ("reopened", "Mixed up.")
    decide_candidate(project, first, admin, "rejected")
    assert candidate_state(project, first) == "rejected"


def test_what_is_not_decided_cannot_be_taken_back(done):
    project, first, _second, admin = done
    with pytest.raises(Conflict, match="There is no decision"):
        pilot_decisions.reopen_candidate(candidate=find_candidate(project, first), reason="x", by=admin)


def test_nobody_decides_about_oneself(done):
    project, first, _second, _admin = done
    with pytest.raises(Conflict, match="cannot decide about yourself"):
        decide_candidate(project, first, first)


def test_after_the_decision_an_answer_stands(done):
    project, first, _second, admin = done
    answer = Assignment.objects.filter(annotator=first).first()
    assert revisions.can_take_back(answer)
    decide_candidate(project, first, admin)
    answer.refresh_from_db()
    with pytest.raises(Conflict):
        revisions.take_back(assignment=answer)


def test_an_answer_can_be_revised_before_the_decision(done):
    project, first, _second, _admin = done
    revisions.take_back(assignment=Assignment.objects.filter(annotator=first).first())
    assert candidate_state(project, first) == "in_pilot"


def test_a_decision_takes_back_what_the_candidate_holds(done):
    project, _first, second, admin = done
    task = next_task(project, second)
    decide_candidate(project, second, admin, "rejected")
    task.refresh_from_db()
    assert task.state == "released"
    assert claim.claim_next(project=project, annotator=second).reason == pilot_gate.REJECTED


def test_somebody_known_is_qualified_without_the_pilot(done):
    project, _first, second, admin = done
    decide_candidate(project, second, admin, reason="Wrote the last corpus.")
    assert next_task(project, second).project_id == project.pk


def test_only_annotators_are_invited():
    project, _people, admin = with_pilot()
    with pytest.raises(BadInput, match="not an annotator"):
        pilot_decisions.invite_annotators(project=project, by=admin, usernames=[admin.username])
    assert pilot_decisions.invite_annotators(project=project, by=admin) == 2
    assert pilot_decisions.invite_annotators(project=project, by=admin) == 0


def test_the_list_costs_the_same_for_many(django_assert_num_queries):
    project, people, admin = with_pilot(annotators=6)
    pilot_decisions.invite_annotators(project=project, by=admin)
    write_pilot(project, people[0])
    with django_assert_num_queries(3):
        rows = pilot_decisions.list_candidates(project)
    assert [row.state for row in rows] == ["submitted", *["invited"] * 5]


def test_starting_over_keeps_decisions_and_invites_the_others_anew(done):
    project, first, second, admin = done
    decide_candidate(project, first, admin)
    assert pilot_setup.start_over(project=project, by=admin) == 1
    assert claim.claim_next(project=project, annotator=second).reason == pilot_gate.NOT_READY
    free = pilot_setup.choosable_samples(project).order_by("pk")[0]
    pilot_setup.add_sample(project=project, sample=free, by=admin)
    assert len(write_pilot(project, second)) == 1
    assert (candidate_state(project, first), candidate_state(project, second)) == ("qualified", "submitted")
    assert next_task(project, first).project_id == project.pk


def test_a_newcomer_joins_the_new_pilot(done):
    project, _first, _second, admin = done
    pilot_setup.start_over(project=project, by=admin)
    pilot_setup.add_sample(project=project, sample=pilot_setup.choosable_samples(project)[0], by=admin)
    (late,) = make_people(1, project, start=9)
    assert len(write_pilot(project, late)) == 1

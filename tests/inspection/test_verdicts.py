"""A verdict changes the state once; the text comes back to its writer, or the place opens for another reviewer."""

import threading
from contextlib import nullcontext

import pytest
from django.db import connection

from annotation.models import (
    Annotation,
    Assignment,
    AuditEvent,
    Claim,
    Draft,
    GuidelineVersion,
    Inspection,
    InspectionSample,
    RefusedDraft,
    Role,
    Slot,
)
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.inspection import verdicts
from annotation.services.staff import reannotation
from annotation.services.tasks import assignments, claim, drafts, revisions
from annotation.transactions import write_transaction
from tests.inspection.factories import hand_in, make_small_project, save_inspection, submit_summaries, verdict
from tests.tasks.factories import make_people

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]
SUMMARY = "The ferry left late.\nA storm closed the channel."


@pytest.fixture
def scene():
    project, (writer,), (first, second) = make_small_project(groups=1, size=1)
    (annotation,) = submit_summaries(project, writer)
    return project, writer, first, second, annotation


def state(annotation):
    return Assignment.objects.get(pk=annotation.assignment_id).state


def slot(annotation):
    return Slot.objects.get(pk=Assignment.objects.get(pk=annotation.assignment_id).slot_id).state


def sampled_twice(annotation):
    for second in (False, True):
        InspectionSample.objects.create(
            project=annotation.project,
            annotation=annotation,
            annotator_id=annotation.assignment.annotator_id,
            week="2026-W10",
            seed="s",
            second=second,
        )


def test_all_parts_accepted_accepts_the_attempt(scene):
    _project, _writer, first, _second, annotation = scene
    stored = save_inspection(annotation, first)
    assert (stored.verdict, stored.second, state(annotation), slot(annotation)) == (
        "accept",
        False,
        "accepted",
        "filled",
    )
    assert AuditEvent.objects.filter(verb="inspection.accept", target=f"annotation:{annotation.public_id}").exists()


def test_the_strictest_part_decides(scene):
    _project, _writer, first, _second, annotation = scene
    fields = {"verdict": "accept", "topic": "revise", "comment": "The topic is missing."}
    assert save_inspection(annotation, first, **fields).verdict == "revise"
    assert state(annotation) == "returned"


def test_a_returned_text_comes_back_to_its_writer_and_nobody_else(scene):
    project, writer, first, _second, annotation = scene
    (other,) = make_people(1, project, start=7)
    save_inspection(annotation, first, verdict="revise", comment="Name the storm.")
    assert claim.claim_next(project=project, annotator=other).assignment is None
    task = assignments.get_own_assignment(writer, annotation.assignment.public_id)
    assert (task.state, task.draft.payload["summary"], slot(annotation)) == ("returned", SUMMARY, "filled")
    assert [row.comment for row in revisions.list_feedback(task)] == ["Name the storm."]

    drafts.save_draft(assignment=task, payload={"summary": "Storm Ann came."}, revision=task.draft.revision)
    again = hand_in(task, summary="Storm Ann came.")

    assert (again.revision, again.payload["summary"], state(annotation)) == (2, "Storm Ann came.", "submitted")
    save_inspection(again, first)
    assert state(annotation) == "accepted"
    assert Annotation.objects.count() == Inspection.objects.count() == 2


def test_the_draft_that_comes_back_is_what_was_handed_in(scene):
    _project, _writer, first, _second, annotation = scene
    Draft.objects.create(
        assignment=annotation.assignment,
        payload={"summary": "An older thought."},
        revision=4,
        started_at=annotation.created_at,
        updated_at=annotation.created_at,
    )
    save_inspection(annotation, first, verdict="revise")
    draft = Draft.objects.get()
    assert (draft.payload["summary"], draft.revision) == (SUMMARY, 5)
    assert RefusedDraft.objects.get().payload == {"summary": "An older thought."}


def test_returning_leaves_the_one_claim_of_the_writer_alone():
    project, (writer,), (first, _second) = make_small_project("held", groups=1, size=2)
    (annotation,) = submit_summaries(project, writer)
    other_claim = Claim.objects.get(project=project, closed_at=None)
    save_inspection(annotation, first, verdict="revise")
    again = claim.claim_next(project=project, annotator=writer).assignment
    assert again.claim_id == other_claim.pk
    hand_in(annotation.assignment)
    assert Claim.objects.filter(project=project, closed_at=None).count() == 1


def test_a_rejected_text_stays_and_its_place_opens_for_somebody_else(scene):
    project, writer, first, _second, annotation = scene
    save_inspection(annotation, first, verdict="reject", comment="It is copied from elsewhere.")
    assert (state(annotation), slot(annotation)) == ("rejected", "open")
    assert claim.claim_next(project=project, annotator=writer).assignment is None
    (other,) = make_people(1, project, start=7)
    (theirs,) = submit_summaries(project, other)
    assert theirs.assignment.slot_id == annotation.assignment.slot_id
    assert Annotation.objects.filter(pk=annotation.pk).exists()


def test_nobody_inspects_their_own_work(scene):
    _project, writer, _first, _second, annotation = scene
    with pytest.raises(Conflict) as refused:
        save_inspection(annotation, writer)
    assert refused.value.code == "own"
    assert state(annotation) == "submitted"


def test_a_second_verdict_is_refused_where_none_was_drawn(scene):
    _project, _writer, first, second, annotation = scene
    save_inspection(annotation, first)
    for person in (first, second):
        with pytest.raises(Conflict) as refused:
            save_inspection(annotation, person, verdict="reject")
        assert refused.value.code == "inspected"
    assert (Inspection.objects.count(), state(annotation)) == (1, "accepted")


def test_a_second_look_is_kept_and_changes_no_state(scene):
    project, _writer, first, other_second, annotation = scene
    (third,) = make_people(1, project, Role.REVIEWER, start=9)
    sampled_twice(annotation)
    save_inspection(annotation, first)
    second = save_inspection(annotation, other_second, verdict="reject")
    assert (second.second, second.verdict, state(annotation)) == (True, "reject", "accepted")
    with pytest.raises(Conflict):
        save_inspection(annotation, third)


def test_an_older_revision_is_not_inspected(scene):
    _project, writer, first, _second, annotation = scene
    revisions.take_back(assignment=assignments.get_own_assignment(writer, annotation.assignment.public_id))
    hand_in(annotation.assignment, summary="Newer.")
    with pytest.raises(Conflict) as refused:
        save_inspection(annotation, first)
    assert refused.value.code == "superseded"


def test_what_was_drawn_follows_the_revision_that_is_inspected(scene):
    _project, writer, first, second, annotation = scene
    sampled_twice(annotation)
    revisions.take_back(assignment=assignments.get_own_assignment(writer, annotation.assignment.public_id))
    newer = hand_in(annotation.assignment, summary="Newer.")
    save_inspection(newer, first)
    assert set(InspectionSample.objects.values_list("annotation_id", flat=True)) == {newer.pk}
    assert save_inspection(newer, second).second


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"verdicts": {}}, "verdicts.length"),
        ({"verdicts": []}, "verdicts"),
        ({"verdicts": {**verdict()["verdicts"], "fluency": {"verdict": "accept"}}}, "fluency"),
        ({"verdicts": {**verdict()["verdicts"], "topic": {"verdict": "fine"}}}, "verdicts.topic.verdict"),
        ({"verdicts": verdict("revise")["verdicts"]}, "comment"),
        ({"comment": "x" * 4001}, "comment"),
        ({"comments": [{"start": 0, "end": 3, "quote": "The"}]}, "comments[0].comment"),
        ({"comments": [{"start": 0, "end": 3, "quote": "the", "comment": "x"}]}, "comments[0].quote"),
        ({"comments": [{"start": 0, "end": 999, "quote": "The", "comment": "x"}]}, "comments[0].end"),
        ({"comments": [{"start": 3, "end": 3, "quote": "", "comment": "x"}]}, "comments[0].start"),
        ({"comments": [{"start": 0, "end": 3, "quote": "The", "comment": " "}]}, "comments[0].comment"),
    ],
)
def test_what_is_wrong_in_a_verdict_is_named(scene, changed, field):
    _project, _writer, first, _second, annotation = scene
    with pytest.raises(BadInput) as refused:
        verdicts.save_verdict(annotation=annotation, reviewer=first, data={**verdict(), **changed})
    assert refused.value.field == field
    assert (Inspection.objects.count(), state(annotation)) == (0, "submitted")


def test_comments_on_the_text_count_code_points():
    project, (writer,), (first, _second) = make_small_project("emoji", groups=1, size=1)
    text = "A \U0001f468\u200d\U0001f469\u200d\U0001f467 ferry \u0645\u0631\u062d\u0628\u0627 came."
    (annotation,) = submit_summaries(project, writer, summary=text)
    start = text.index("ferry")
    row = {"start": start, "end": start + 5, "quote": "ferry", "comment": "Which one?"}
    stored = verdicts.save_verdict(annotation=annotation, reviewer=first, data={**verdict(), "comments": [row]})
    assert stored.comments == [row]
    assert text[row["start"] : row["end"]] == "ferry"


def test_a_comment_on_the_text_is_reason_enough_to_return_it(scene):
    _project, _writer, first, _second, annotation = scene
    row = {"start": 0, "end": 3, "quote": "The", "comment": "Which ferry?"}
    fields = {"verdicts": verdict("revise")["verdicts"], "comments": [row]}
    assert verdicts.save_verdict(annotation=annotation, reviewer=first, data=fields).verdict == "revise"


def test_a_text_is_taken_back_until_it_is_inspected(scene):
    _project, writer, first, _second, annotation = scene
    task = assignments.get_own_assignment(writer, annotation.assignment.public_id)
    revisions.take_back(assignment=task)
    revisions.take_back(assignment=task)
    assert state(annotation) == "returned" and revisions.is_taken_back(Assignment.objects.get())
    with pytest.raises(Conflict):
        save_inspection(annotation, first)
    revisions.leave_as_is(assignment=task)
    assert state(annotation) == "submitted"
    save_inspection(annotation, first)
    with pytest.raises(Conflict):
        revisions.take_back(assignment=task)
    assert state(annotation) == "accepted"


def test_what_a_reviewer_returned_cannot_be_left_as_it_is(scene):
    _project, writer, first, _second, annotation = scene
    save_inspection(annotation, first, verdict="revise")
    with pytest.raises(Conflict):
        revisions.leave_as_is(assignment=assignments.get_own_assignment(writer, annotation.assignment.public_id))
    assert state(annotation) == "returned"


def test_what_new_rules_returned_cannot_be_left_as_it_is(scene):
    project, writer, first, _second, annotation = scene
    GuidelineVersion.objects.create(project=project, number=2, text="# New rule", change="rule")
    reannotation.carry_out(project=project, action="return", chosen=[annotation.assignment.public_id], by=first)
    task = assignments.get_own_assignment(writer, annotation.assignment.public_id)
    assert not revisions.is_taken_back(task)
    with pytest.raises(Conflict):
        revisions.leave_as_is(assignment=task)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("twice", [False, True])
def test_of_twenty_verdicts_at_once_one_decides(twice):
    project, (writer,), reviewers = make_small_project(groups=1, size=1, reviewers=20)
    (annotation,) = submit_summaries(project, writer)
    if twice:
        sampled_twice(annotation)
    words = ("accept", "revise", "reject", "reject")
    outcomes, start = [], threading.Barrier(20)

    def give(number, person):
        start.wait()
        # SQLite's test database is in memory, where even a reader may find a table locked: there they queue up.
        alone = write_transaction() if connection.vendor == "sqlite" else nullcontext()
        try:
            with alone:
                outcomes.append(save_inspection(annotation, person, verdict=words[number % 4]))
        except Conflict as error:
            outcomes.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=give, args=(n, person)) for n, person in enumerate(reviewers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    stored = Inspection.objects.order_by("pk")
    assert [item.second for item in stored] == ([False, True] if twice else [False])
    assert outcomes.count("inspected") == 20 - len(stored)
    becomes = {"accept": "accepted", "revise": "returned", "reject": "rejected"}
    assert state(annotation) == becomes[stored[0].verdict]
    assert slot(annotation) == ("open" if stored[0].verdict == "reject" else "filled")
    assert AuditEvent.objects.filter(verb__in=[f"inspection.{word}" for word in becomes]).count() == 1

"""The weekly sample: seeded, per annotator, in the project's week; and what becomes of the rest of a week."""

from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from annotation.jobs import run_sweepers
from annotation.models import Annotation, Assignment, AuditEvent, InspectionSample, InspectionWeek
from annotation.services.core import list_pages
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.exports import exporting
from annotation.services.inspection import acceptance, weekly_sample
from annotation.services.inspection import queue as inspection_queue
from annotation.services.inspection.weekly_sample import Piece, choose_sample
from annotation.services.tasks import assignments, revisions
from tests.inspection.factories import (
    MONDAY,
    WEEK,
    hand_in,
    make_small_project,
    save_inspection,
    submit_summaries,
    verdict,
)

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]
TEN = {"documents": 5, "groups": 1, "size": 2, "claim_unit": "group"}


@pytest.fixture
def scene():
    """Ten summaries of one annotator in one week."""
    project, (writer,), (first, second) = make_small_project(**TEN)
    return project, writer, first, second, submit_summaries(project, writer, 10, at=MONDAY + timedelta(hours=9))


def drawn(project, second=False):
    rows = InspectionSample.objects.filter(project=project, second=second)
    return {row.annotation_id: row for row in rows.select_related("annotation")}


@pytest.mark.parametrize(("n", "size", "twice"), [(0, 0, 0), (1, 1, 0), (4, 4, 1), (5, 5, 1), (50, 5, 1), (51, 6, 1)])
def test_ten_percent_and_at_least_five_are_drawn_a_fifth_of_them_twice(n, size, twice):
    first, second = choose_sample([Piece(i, 1, f"a#{i}") for i in range(n)], seed="s", week=WEEK)
    assert (len(first), len(second)) == (size, twice)
    assert set(second) <= set(first)


def test_the_share_is_of_each_annotator():
    pieces = [Piece(100 * who + i, who, f"a#{i}") for who, n in ((1, 100), (2, 3)) for i in range(n)]
    first, _second = choose_sample(pieces, seed="s", week=WEEK)
    assert [sum(piece.annotator == who for piece in first) for who in (1, 2)] == [10, 3]


def test_the_same_seed_draws_the_same_in_whatever_order_and_another_seed_another():
    pieces = [Piece(i, 1, f"a#{i}") for i in range(200)]
    sample = choose_sample(pieces, seed="s", week=WEEK)
    assert choose_sample(pieces[::-1], seed="s", week=WEEK) == sample
    assert choose_sample(pieces, seed="t", week=WEEK) != sample
    assert choose_sample(pieces, seed="s", week="2026-W11") != sample


def test_every_text_is_as_likely_as_any_other():
    pieces = [Piece(i, 1, f"a#{i}") for i in range(50)]
    hits = [0] * 50
    for seed in range(1000):
        for piece in choose_sample(pieces, seed=str(seed), week=WEEK)[0]:
            hits[piece.attempt] += 1
    # Five of fifty, a thousand times: 100 each, with a standard deviation of 9.5.
    assert min(hits) > 60 and max(hits) < 140


def test_drawing_twice_adds_nothing_and_a_seed_stays(scene):
    project, _writer, first, *_ = scene
    assert weekly_sample.draw_week(project=project, week=WEEK, by=first, seed="s") == 6
    assert weekly_sample.draw_week(project=project, week=WEEK, by=first, seed="t") == 0
    assert (len(drawn(project)), len(drawn(project, second=True))) == (5, 1)
    assert InspectionWeek.objects.values_list("week", "seed", "final").get() == (WEEK, "s", True)


def test_a_week_begins_on_monday_in_the_projects_time_zone():
    project, (writer,), _reviewers = make_small_project(groups=1, size=2, timezone="Pacific/Auckland")
    early, late = submit_summaries(project, writer, 2)
    # Sunday 11:00 UTC is Monday, 0:00 in Auckland, where it is summer.
    moments = [(early, datetime(2026, 3, 1, 10, 59, tzinfo=UTC)), (late, datetime(2026, 3, 1, 11, 0, tzinfo=UTC))]
    for annotation, at in moments:
        Annotation.objects.filter(pk=annotation.pk).update(created_at=at)
    weekly_sample.draw_week(project=project, week=WEEK)
    assert set(drawn(project)) == {late.pk}


@pytest.mark.parametrize("week", ["2026-W54", "2026-W00", "2026-10", "W10", "2026-W10'", "0000-W01", "9999-W53"])
def test_what_is_no_week_is_refused(week):
    project, *_ = make_small_project(groups=1, size=1)
    with pytest.raises(BadInput) as refused:
        weekly_sample.draw_week(project=project, week=week)
    assert refused.value.field == "week"


def test_surplus_and_void_work_is_not_drawn(scene):
    project, _writer, _first, _second, annotations = scene
    for annotation, state in zip(annotations, ("surplus", "void"), strict=False):
        Assignment.objects.filter(pk=annotation.assignment_id).update(state=state)
    weekly_sample.draw_week(project=project, week=WEEK)
    assert not {other_annotation.pk for other_annotation in annotations[:2]} & set(drawn(project))


def test_the_sweeper_draws_each_finished_week_once(scene):
    project, *_ = scene
    state_after = MONDAY + timedelta(days=8)
    assert weekly_sample.draw_finished_weeks(state_after) == 1
    assert weekly_sample.draw_finished_weeks(state_after) == 0
    assert len(drawn(project)) == 5
    assert run_sweepers() == 0


def test_an_empty_week_is_not_the_one_that_opens(scene):
    project, *_rest = scene
    weekly_sample.draw_week(project=project, week=WEEK)
    running = weekly_sample.week_of(datetime.now(UTC), project)
    later = weekly_sample.week_of(datetime.now(UTC) - timedelta(days=7), project)
    weekly_sample.draw_week(project=project, week=later)
    assert not InspectionSample.objects.filter(week=later).exists()
    assert inspection_queue.week_to_open(project, now_week=running) == WEEK
    InspectionSample.objects.all().delete()
    assert inspection_queue.week_to_open(project, now_week=running) == running


def test_a_running_week_drawn_early_only_grows():
    project, (writer,), _reviewers = make_small_project(**{**TEN, "documents": 35})
    week = weekly_sample.week_of(datetime.now(UTC), project)
    submit_summaries(project, writer, 10)
    weekly_sample.draw_week(project=project, week=week)
    values_before = set(drawn(project))
    submit_summaries(project, writer, 60)
    weekly_sample.draw_week(project=project, week=week)
    assert values_before <= set(drawn(project))
    assert InspectionWeek.objects.get().final is False


def test_the_queue_tells_what_is_open_for_whom(scene):
    project, writer, first, second, _annotations = scene
    weekly_sample.draw_week(project=project, week=WEEK)
    rows = list(inspection_queue.select_queue(project=project, reviewer=first, week=WEEK))
    assert [inspection_queue.can_inspect(row, first) for row in rows] == [True] * 6
    assert not any(
        inspection_queue.can_inspect(row, writer)
        for row in inspection_queue.select_queue(project=project, reviewer=writer)
    )
    (again,) = drawn(project, second=True)
    save_inspection(Annotation.objects.get(pk=again), first)
    open_for = {
        person: sum(
            inspection_queue.can_inspect(row, person)
            for row in inspection_queue.select_queue(project=project, reviewer=person)
        )
        for person in (first, second)
    }
    assert open_for == {first: 4, second: 5}
    assert inspection_queue.select_queue(project=project, reviewer=first, state="done").count() == 1


@pytest.mark.parametrize("keys_first", [1000, 1])
def test_pages_of_the_queue_are_parts_of_what_is_selected(scene, monkeypatch, keys_first):
    monkeypatch.setattr(list_pages, "KEYS_FIRST", keys_first)
    project, writer, first, second, _annotations = scene
    weekly_sample.draw_week(project=project, week=WEEK)
    for pk in sorted(drawn(project))[:3]:
        save_inspection(Annotation.objects.get(pk=pk), first, verdict="revise")
        for reviewer, week, annotator, state in product(
            (first, second), ("", WEEK, "2026-W01"), (None, writer.pk, 0), ("", "open", "done")
        ):
            rows = inspection_queue.select_queue(
                project=project, reviewer=reviewer, week=week, annotator=annotator, state=state
            )
            pages = list_pages.ListPaginator(rows, 4, project=project)
            assert [row for page in pages for row in page] == list(rows)
            assert pages.count == len(rows)


def test_progress_counts_for_each_reviewer_what_is_theirs_to_do(scene):
    project, _writer, first, second, _annotations = scene
    weekly_sample.draw_week(project=project, week=WEEK)
    assert (
        inspection_queue.count_inspected(project, WEEK, first)
        == inspection_queue.count_inspected(project, WEEK, second)
        == (0, 5)
    )
    for pk in drawn(project):
        save_inspection(Annotation.objects.get(pk=pk), first)
    assert inspection_queue.count_inspected(project, WEEK, first) == (5, 5)
    assert inspection_queue.count_inspected(project, WEEK, second) == (5, 6)
    (again,) = drawn(project, second=True)
    save_inspection(Annotation.objects.get(pk=again), second)
    assert (
        inspection_queue.count_inspected(project, WEEK, first)
        == inspection_queue.count_inspected(project, WEEK, second)
        == (6, 6)
    )


def test_the_next_one_is_what_was_sent_again_then_the_sample(scene):
    project, writer, other_first, second, _annotations = scene
    assert inspection_queue.next_to_inspect(project=project, reviewer=other_first) is None
    weekly_sample.draw_week(project=project, week=WEEK)
    (again,) = drawn(project, second=True)
    sample = [pk for pk in drawn(project) if pk != again]
    first = Annotation.objects.get(pk=sample[0])
    save_inspection(first, other_first, verdict="revise")
    newer = hand_in(first.assignment, summary="Better.")
    assert inspection_queue.next_to_inspect(project=project, reviewer=other_first) == str(newer.public_id)
    save_inspection(newer, other_first)
    for pk in [again, *sample[1:]]:
        save_inspection(Annotation.objects.get(pk=pk), other_first)
    assert inspection_queue.next_to_inspect(project=project, reviewer=other_first) is None
    assert inspection_queue.next_to_inspect(project=project, reviewer=second) == str(
        Annotation.objects.get(pk=again).public_id
    )
    assert inspection_queue.next_to_inspect(project=project, reviewer=writer) is None


def test_a_text_its_writer_has_taken_back_waits(scene):
    project, writer, other_first, _second, _annotations = scene
    weekly_sample.draw_week(project=project, week=WEEK)
    first = min(drawn(project))
    task = assignments.get_own_assignment(writer, Annotation.objects.get(pk=first).assignment.public_id)
    revisions.take_back(assignment=task)
    row = next(
        row
        for row in inspection_queue.select_queue(project=project, reviewer=other_first)
        if row.annotation_id == first
    )
    assert not inspection_queue.can_inspect(row, other_first)
    newer = hand_in(task, summary="Better.")
    row = next(
        row
        for row in inspection_queue.select_queue(project=project, reviewer=other_first)
        if row.annotation_id == first
    )
    assert inspection_queue.can_inspect(row, other_first) and row.newest == newer.public_id


def inspected(project, reviewer, accepted):
    """Inspect the whole sample: so many are accepted, the others returned."""
    weekly_sample.draw_week(project=project, week=WEEK)
    for n, pk in enumerate(sorted(drawn(project))):
        save_inspection(Annotation.objects.get(pk=pk), reviewer, verdict="accept" if n < accepted else "revise")
    (standing,) = inspection_queue.list_progress(project, WEEK)
    return standing


def test_a_passed_week_is_accepted_as_a_whole(scene):
    project, writer, first, _second, _annotations = scene
    standing = inspected(project, first, accepted=4)
    assert (standing.outcome, standing.share, standing.handed_in, standing.undecided) == ("passed", 0.8, 10, 5)
    with pytest.raises(Conflict) as refused:
        inspection_queue.accept_undecided(project=project, week=WEEK, annotator=writer.pk, expected=6, by=first)
    assert refused.value.code == "changed"
    assert inspection_queue.accept_undecided(project=project, week=WEEK, annotator=writer.pk, expected=5, by=first) == 5
    states = sorted(Assignment.objects.filter(project=project).values_list("state", flat=True))
    assert states == ["accepted"] * 9 + ["returned"]
    assert AuditEvent.objects.get(verb="inspection.accept_week").detail["accepted"] == 5
    lines = b"".join(exporting.export_lines(project=project, options=exporting.ExportOptions(state="accepted")))
    assert lines.count(b'"state":"accepted"') == 9


def test_what_was_sent_again_is_not_accepted_unseen(scene):
    project, writer, first, _second, _annotations = scene
    inspected(project, first, accepted=4)
    hand_in(Assignment.objects.get(state="returned"), summary="Better.")
    assert inspection_queue.undecided_in_week(project, WEEK, writer.pk).count() == 5
    assert inspection_queue.list_resubmitted(project).count() == 1


@pytest.mark.parametrize("accepted", [0, 3])
def test_a_failed_week_is_not_accepted_but_inspected_in_full(scene, accepted):
    project, writer, first, _second, _annotations = scene
    assert inspected(project, first, accepted=accepted).outcome == "failed"
    with pytest.raises(Conflict) as refused:
        inspection_queue.accept_undecided(project=project, week=WEEK, annotator=writer.pk, expected=5, by=first)
    assert refused.value.code == "not_passed"
    assert weekly_sample.inspect_in_full(project=project, week=WEEK, annotator=writer.pk, by=first) == 5
    assert weekly_sample.inspect_in_full(project=project, week=WEEK, annotator=writer.pk, by=first) == 0
    (standing,) = inspection_queue.list_progress(project, WEEK)
    assert (standing.outcome, standing.in_full, standing.to_inspect, standing.inspected) == ("failed", True, 10, 5)


def test_a_week_that_is_half_inspected_waits(scene):
    project, writer, first, *_ = scene
    weekly_sample.draw_week(project=project, week=WEEK)
    save_inspection(Annotation.objects.get(pk=min(drawn(project))), first)
    (standing,) = inspection_queue.list_progress(project, WEEK)
    assert (standing.outcome, standing.inspected, standing.drawn) == ("waiting", 1, 5)
    with pytest.raises(Conflict):
        inspection_queue.accept_undecided(project=project, week=WEEK, annotator=writer.pk, expected=5, by=first)


def test_agreement_of_two_looks_is_counted_by_part(scene):
    project, _writer, first, other_second, annotations = scene
    for annotation, other in zip(annotations, ("accept", "revise", "accept"), strict=False):
        for second in (False, True):
            InspectionSample.objects.create(
                project=project, annotation=annotation, annotator_id=_writer.pk, week=WEEK, seed="s", second=second
            )
        save_inspection(annotation, first)
        save_inspection(annotation, other_second, verdict="accept", topic=other, comment="Topic.")
    save_inspection(annotations[5], first)  # looked at once: no pair
    agreement = acceptance.count_agreement(project)
    assert agreement.overall == (2, 3)
    assert agreement.parts == {
        "length": (3, 3),
        "extractiveness": (3, 3),
        "specificity": (3, 3),
        "topic": (2, 3),
        "relevant_segments": (3, 3),
    }


def test_acceptance_is_told_per_annotator_part_and_week(scene):
    project, _writer, first, _second, annotations = scene
    save_inspection(annotations[0], first)
    save_inspection(annotations[1], first, verdict="accept", length="revise", comment="Too long.")
    save_inspection(annotations[2], first, verdict="reject", comment="Copied.")
    other_acceptance = acceptance.count_acceptance(project)
    ((week, _name, tally),) = other_acceptance.rows
    assert (week, tally.n, tally.accepted) == (WEEK, 3, 1)
    assert dict(tally.overall) == {"accept": 1, "revise": 1, "reject": 1}
    assert dict(tally.parts["length"]) == {"accept": 1, "revise": 1, "reject": 1}
    assert dict(tally.parts["topic"]) == {"accept": 2, "reject": 1}
    assert other_acceptance.keys == list(verdict()["verdicts"])


def test_lists_cost_the_same_number_of_queries_at_any_size(scene, django_assert_num_queries):
    project, _writer, first, *_ = scene
    inspected(project, first, accepted=4)
    with django_assert_num_queries(2):
        inspection_queue.list_progress(project, WEEK)
    with django_assert_num_queries(1):
        list(inspection_queue.select_queue(project=project, reviewer=first, week=WEEK))
    with django_assert_num_queries(2):
        acceptance.count_acceptance(project)
    with django_assert_num_queries(1):
        acceptance.count_agreement(project)

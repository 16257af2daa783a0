"""Which of several summaries is exported."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.models import Assignment, AuditEvent, OverlapMark, Role
from annotation.services.core.errors import Conflict, NotFound
from annotation.services.exports import releases
from annotation.services.overlap import marks as overlap_marks
from annotation.services.sources import splits
from tests.inspection.factories import save_inspection
from tests.overlap.factories import lines_of, newest_annotation, written_by
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db


def mark_one(sample, attempt, by):
    return overlap_marks.mark_sample(
        sample=sample, choice="one", annotation=newest_annotation(attempt).public_id, by=by
    )


def titles(project, **options):
    return sorted(line["title"] for line in lines_of(project, **options) if not line["skipped"])


def test_an_export_takes_all_unless_it_is_asked_for_what_is_marked():
    project, sample, attempts, (reviewer,) = written_by(3)
    mark_one(sample, attempts[1], reviewer)
    assert titles(project) == ["Title 0", "Title 1", "Title 2"]
    assert titles(project, overlap="marked") == ["Title 1"]


def test_a_sample_nobody_compared_is_exported_whole():
    project, _sample, _attempts, _reviewers = written_by(2)
    assert titles(project, overlap="marked") == ["Title 0", "Title 1"]


def test_all_can_be_marked():
    project, sample, _attempts, (reviewer,) = written_by(2)
    overlap_marks.mark_sample(sample=sample, choice="all", by=reviewer)
    assert titles(project, overlap="marked") == ["Title 0", "Title 1"]
    assert not overlap_marks.overlapping_samples(project, "waiting").exists()


def test_the_list_of_overlap_holds_what_is_selected_with_its_marks():
    project, sample, attempts, (reviewer,) = written_by(2)
    for n_marked in (0, 1):
        if n_marked:
            mark_one(sample, attempts[0], reviewer)
        for state in ("", *overlap_marks.STATES):
            rows = overlap_marks.list_overlap(project, state)
            selected = overlap_marks.overlapping_samples(project, state).order_by("pk")
            assert [(row.pk, row.n, row.document.external_id) for row in rows] == [
                (row.pk, row.n, sample.document.external_id) for row in selected
            ]
        marks = overlap_marks.marks_of(project, [sample])
        assert [(mark.by, mark.choice) for mark in marks.values()] == [(reviewer.username, "one")] * n_marked


def test_an_undone_mark_counts_no_more():
    project, sample, attempts, (reviewer,) = written_by(2)
    overlap_marks.undo_mark(mark=mark_one(sample, attempts[0], reviewer), by=reviewer)
    assert titles(project, overlap="marked") == ["Title 0", "Title 1"]
    assert overlap_marks.overlapping_samples(project, "waiting").get().pk == sample.pk


def test_a_mark_on_what_is_rejected_later_counts_no_more():
    project, sample, attempts, (reviewer,) = written_by(3)
    mark_one(sample, attempts[0], reviewer)
    save_inspection(newest_annotation(attempts[0]), reviewer, verdict="reject")
    assert "Title 1" in titles(project, overlap="marked")
    mark_one(sample, attempts[1], reviewer)
    assert titles(project, overlap="marked") == ["Title 1"]


def test_a_release_freezes_what_was_marked():
    project, sample, attempts, (reviewer,) = written_by(2)
    result = mark_one(sample, attempts[0], reviewer)
    releases.freeze_release(
        project=project,
        tag="v1",
        state="latest",
        overlap="marked",
        splits=splits.ImportedSplits(),
        split_seed=None,
        by=None,
    )
    overlap_marks.undo_mark(mark=result, by=reviewer)
    assert titles(project, release="v1") == ["Title 0"]
    with pytest.raises(Conflict):
        titles(project, release="v1", overlap="all")


def test_two_reviewers_cannot_both_mark():
    _project, sample, attempts, (first, second) = written_by(2, reviewers=2)
    mark_one(sample, attempts[0], first)
    with pytest.raises(Conflict, match="already been compared"):
        mark_one(sample, attempts[1], second)


def test_the_database_keeps_one_mark_per_sample():
    project, sample, _attempts, (reviewer,) = written_by(2)
    overlap_marks.mark_sample(sample=sample, choice="all", by=reviewer)
    with pytest.raises(IntegrityError), transaction.atomic():
        OverlapMark.objects.create(project=project, sample=sample, choice="all", by=reviewer, at=timezone.now())


def test_nobody_compares_their_own_work():
    project, sample, attempts, _reviewers = written_by(2)
    writer = attempts[0].annotator
    writer.memberships.create(project=project, role=Role.REVIEWER)
    with pytest.raises(Conflict, match="your own work"):
        mark_one(sample, attempts[1], writer)


def test_only_a_summary_that_counts_can_be_marked():
    _project, sample, attempts, (reviewer,) = written_by(3)
    Assignment.objects.filter(pk=attempts[0].pk).update(state="void")
    with pytest.raises(Conflict, match="no longer one of"):
        mark_one(sample, attempts[0], reviewer)


def test_one_summary_is_no_overlap():
    project, sample, attempts, _reviewers = written_by(2)
    Assignment.objects.filter(pk=attempts[0].pk).update(state="rejected")
    with pytest.raises(NotFound):
        overlap_marks.find_sample(project, sample.public_id)


def test_marking_and_undoing_are_in_the_audit_log():
    project, sample, attempts, (reviewer,) = written_by(2)
    overlap_marks.undo_mark(mark=mark_one(sample, attempts[0], reviewer), by=reviewer)
    events = AuditEvent.objects.filter(project=project, verb__startswith="overlap.").order_by("pk")
    other_events = events.values_list("verb", "actor")
    assert list(other_events) == [("overlap.mark", reviewer.pk), ("overlap.undo", reviewer.pk)]


def test_a_summary_that_came_after_the_comparison_is_told(django_assert_max_num_queries):
    project, sample, attempts, (reviewer,) = written_by(2)
    mark_one(sample, attempts[0], reviewer)
    from tests.overlap.factories import second_summary

    second_summary(newest_annotation(attempts[0]), make_people(1, project, start=9)[0])
    with django_assert_max_num_queries(14):
        later = [
            column.came_later
            for column in overlap_marks.compare_summaries(overlap_marks.find_sample(project, sample.public_id)).columns
        ]
    assert sorted(later) == [False, False, True]

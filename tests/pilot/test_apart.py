"""What is written in a pilot gets into nothing that tells of the project."""

import json
from dataclasses import asdict

import pytest

from annotation.models import Annotation, Question, Sample, Slot
from annotation.services.exports.exporting import export_lines
from annotation.services.inspection import queue as inspection_queue
from annotation.services.inspection import weekly_sample
from annotation.services.overlap import marks as overlap_marks
from annotation.services.scores import score_jobs
from annotation.services.staff import counts_cache, dashboard, ledger, pipeline_counts, skipped_samples
from annotation.services.staff.release_and_void import Period
from annotation.services.tasks import leases, pilot_gate, questions, skip
from annotation.services.tasks.assignments import list_unfillable
from evaluation.services.rounds import rater_eligibility
from tests.inspection.factories import WEEK
from tests.pilot.factories import hand_in, next_task, with_pilot, write_pilot
from tests.scores.conftest import FakeTagger

pytestmark = pytest.mark.django_db


def told(project) -> dict[str, object]:
    """Everything that counts, lists or exports the work of a project."""
    other_project = counts_cache.count_project(project)
    return {
        "export": b"".join(export_lines(project=project)),
        "counts": json.dumps(other_project.as_json(), default=str, sort_keys=True),
        "stages": dashboard.count_stages(project),
        "people": [
            (row.user.username, row.done, row.work.pace, row.skipped)
            for row in dashboard.list_people(project, other_project)
        ],
        "ledger": ledger.build_ledger(project, Period()),
        "skips": skipped_samples.skip_rates(project),
        "left": list(skipped_samples.list_pool_exits(project)),
        "handed in": list(weekly_sample.submitted_in_week(project, WEEK)),
        "sent again": list(inspection_queue.list_resubmitted(project)),
        "unfillable": list_unfillable(project),
        "overlap": list(overlap_marks.overlapping_samples(project)),
        "places": Slot.objects.filter(project=project).count(),
        "coverage": [asdict(cell) for cell in pipeline_counts.count_coverage(project)],
        "annotations": Annotation.objects.filter(project=project).count(),
    }


def test_pilot_answers_change_nothing_that_is_told_of_the_project():
    project, (first, second, third), _admin = with_pilot(annotators=3)
    state_before = told(project)
    write_pilot(project, first)
    hand_in(next_task(project, second))
    skip.skip_task(assignment=next_task(project, third), reason="other")
    Annotation.objects.update(created_at=weekly_sample.week_bounds(WEEK, project)[0])
    leases.expire_leases()
    skipped_samples.retire_skipped_samples()
    assert told(project) == state_before


def test_no_week_of_a_pilot_is_drawn_for_inspection():
    project, (first, _second), _admin = with_pilot()
    write_pilot(project, first)
    weekly_sample.draw_finished_weeks()
    assert not pilot_gate.pilot_of(project).inspection_weeks.exists()


def test_a_pilot_sample_is_out_of_the_ordinary_work():
    project, people, _admin = with_pilot(samples=1, annotators=1, size=1, on=False)
    (person,) = people
    reached = set()
    while (task := next_task(project, person)) is not None:
        reached.add(task.sample_id)
        hand_in(task)
    (row,) = pilot_gate.pilot_of(project).pilot_samples.all()
    assert reached and row.origin_id not in reached


def test_pilot_answers_are_measured_like_others():
    project, (first, _second), _admin = with_pilot()
    write_pilot(project, first)
    room = pilot_gate.pilot_of(project)
    assert score_jobs.score_project(project=room, tagger=FakeTagger())["annotations"] == 2


def test_a_question_from_a_pilot_task_reaches_the_team():
    project, (first, _second), _admin = with_pilot()
    questions.ask_question(assignment=next_task(project, first), text="May I?")
    assert Question.objects.get().project_id == project.pk


def test_whoever_wrote_the_pilots_copy_of_a_source_has_had_a_hand_in_it(db):
    project, (person, other), _admin = with_pilot(samples=1)
    write_pilot(project, person)
    (copied,) = Sample.objects.filter(project=project, state="pilot").values_list("document_id", flat=True)
    everything = list(project.documents.values_list("pk", flat=True))
    assert rater_eligibility.barred_pairs([person.pk, other.pk], everything) == {(person.pk, copied)}

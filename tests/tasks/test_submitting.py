"""Handing in: complete, in order, once; late work is kept; a skipped task goes to somebody else."""

import json

import pytest

from annotation.models import Annotation, Assignment, AuditEvent, Claim, GuidelineVersion, SchemaVersion, Slot
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.tasks import assignments, choose, claim, drafts, leases, skip
from annotation.services.tasks import submit as task_submit
from tests.tasks.factories import make_people, make_project, payload

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
SEGMENTS = [
    {"speaker": "", "text": f"Ann {FAMILY} said cafe\u0301 twice.\r\nThen \U0001f1eb\U0001f1f7 came."},
    {"speaker": "", "text": "Ten words stand in this sentence to be counted here."},
    {"speaker": "", "text": "Five more words are here."},
]


def claimed(project, person):
    return claim.claim_next(project=project, annotator=person).assignment


def fresh(task):
    return assignments.get_own_assignment(task.annotator, task.public_id)


@pytest.fixture
def task():
    project = make_project(documents=1, groups=1, size=2, frozen=True, segments=SEGMENTS)
    return claimed(project, make_people(1, project)[0])


def submit(task, key="k", **changed):
    return task_submit.submit_task(assignment=task, payload=payload(**changed), idempotency_key=key)


def run_out():
    Claim.objects.filter(closed_at=None).update(lease_until="2020-01-01T00:00:00Z")
    return leases.expire_leases()


def test_what_was_written_is_stored_with_what_it_was_written_under(task):
    drafts.save_draft(assignment=task, payload={"summary": "half"}, revision=0)
    task = fresh(task)
    submit(task)
    stored = Annotation.objects.get()
    assert stored.payload == {
        "summary": "The ferry left late.\nA storm closed the channel.",
        "title": "Late ferry",
        "relevant_segments": [0, [0, 1]],
        "spans": [],
    }
    assert (stored.origin, stored.revision, stored.surplus, stored.assistance) == ("person", 1, False, "minimal")
    assert stored.schema_version == SchemaVersion.objects.get()
    assert stored.guideline_version == GuidelineVersion.objects.get()
    assert stored.timings["claimed_at"] == task.claimed_at.isoformat()
    assert stored.timings["first_draft_at"] == task.draft.started_at.isoformat()
    assert stored.timings["seconds"] >= stored.timings["writing_seconds"] >= 0
    assert AuditEvent.objects.filter(verb="task.submit", target=f"annotation:{stored.public_id}").count() == 1


def test_the_band_of_the_marked_words_is_kept(task):
    submit(task, relevant_segments=[1], spans=[{"segment": 2, "start": 0, "end": 4, "quote": "Five"}])
    band = Annotation.objects.get().band_shown["length"]
    assert (band["value"], band["base"], band["words"]) == ("short", "marked", 15)
    assert (band["from"], band["to"]) == (1, 1)


def test_without_a_topic_the_band_is_of_the_whole_source():
    project = make_project(documents=1, frozen=True, asks=(), segments=SEGMENTS)
    submit(claimed(project, make_people(1, project)[0]), relevant_segments=[1])
    band = Annotation.objects.get().band_shown["length"]
    assert (band["base"], band["words"]) == ("source", 23)


def test_the_slot_is_filled_and_the_claim_closes_with_its_last_task(task):
    submit(task)
    assert Claim.objects.get().closed_at is None
    assert sorted(Slot.objects.values_list("state", flat=True)) == ["filled", "taken"]
    other = claimed(task.project, task.annotator)
    submit(other)
    assert Claim.objects.get().closed_at is not None
    assert set(Slot.objects.values_list("state", flat=True)) == {"filled"}


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"summary": ""}, "summary"),
        ({"summary": " \u200b\r\n\t"}, "summary"),
        ({"summary": "x" * 20_001}, "summary"),
        ({"title": "\u00a0"}, "title"),
        ({"title": "x" * 201}, "title"),
        ({"relevant_segments": []}, "relevant_segments"),
        ({"relevant_segments": [3]}, "relevant_segments[0]"),
        ({"relevant_segments": [[1, 3]]}, "relevant_segments[0][1]"),
        ({"confirmed_segments": False}, "confirmed_segments"),
        ({"reread": False}, "reread"),
        ({"id": 5}, "id"),
    ],
)
def test_what_is_missing_or_wrong_is_named(task, changed, field):
    with pytest.raises(BadInput) as refused:
        submit(task, **changed)
    assert refused.value.field == field
    assert not Annotation.objects.exists()
    assert fresh(task).state == "claimed"


def test_nothing_is_taken_before_the_group_is_chosen():
    project = make_project(documents=1)
    task = claimed(project, make_people(1, project)[0])
    with pytest.raises(BadInput) as refused:
        submit(task)
    assert refused.value.field == "chosen"
    choose.save_choice(assignment=task, chosen={"topic": [{"text": "a", "candidate": None}]})
    assert submit(fresh(task)).status == 201


@pytest.mark.parametrize("quote", [FAMILY, "cafe\u0301", "\U0001f1eb\U0001f1f7", "twice.\r\nThen", "Ann", "came."])
def test_spans_count_code_points(task, quote):
    start = SEGMENTS[0]["text"].index(quote)
    span = {"segment": 0, "start": start, "end": start + len(quote), "quote": quote}
    submit(task, spans=[span])
    assert Annotation.objects.get().payload["spans"] == [span]


@pytest.mark.parametrize(
    ("span", "field"),
    [
        ({"start": 1, "end": 4, "quote": "Ann"}, "spans[0].quote"),
        ({"start": 4, "end": 6, "quote": FAMILY}, "spans[0].quote"),
        ({"start": 15, "end": 19, "quote": "caf\u00e9"}, "spans[0].quote"),
        ({"start": 0, "end": 0, "quote": ""}, "spans[0].end"),
        ({"start": 3, "end": 3, "quote": ""}, "spans[0].start"),
        ({"start": 3, "end": 1, "quote": "nn"}, "spans[0].start"),
        ({"start": 0, "end": 999, "quote": "Ann"}, "spans[0].end"),
        ({"start": 0, "end": 3, "quote": "Ann", "segment": 3}, "spans[0].segment"),
        ({"start": 0.0, "end": 3, "quote": "Ann"}, "spans[0].start"),
        ({"start": 0, "end": 3, "quote": "An\ud83d"}, "spans[0].quote"),
        ({"start": 0, "end": 3, "quote": "Ann", "text": "Ann"}, "text"),
    ],
)
def test_a_span_that_does_not_hold_its_quote_is_refused(task, span, field):
    with pytest.raises(BadInput) as refused:
        submit(task, spans=[{"segment": 0, **span}])
    assert refused.value.field == field


def test_the_same_submit_again_gets_the_same_answer(task):
    first = submit(task)
    for again in (submit(task), submit(fresh(task))):
        assert json.dumps([again.status, again.body]) == json.dumps([first.status, first.body])
    assert Annotation.objects.count() == 1


def test_the_same_key_with_another_text_is_refused(task):
    submit(task)
    for stale in (task, fresh(task)):
        with pytest.raises(Conflict) as refused:
            submit(stale, title="Another")
        assert refused.value.code == "idempotency"
    assert Annotation.objects.get().payload["title"] == "Late ferry"


def test_another_key_does_not_open_a_closed_task(task):
    submit(task)
    with pytest.raises(Conflict) as refused:
        submit(fresh(task), key="other")
    assert refused.value.code == "closed"


@pytest.mark.parametrize("key", ["", "a b", "x" * 101, "\u00e9", "a\n", None])
def test_a_submit_needs_a_key(task, key):
    with pytest.raises(BadInput) as refused:
        submit(task, key=key)
    assert refused.value.field == "Idempotency-Key"


def test_late_work_counts_while_the_place_is_open(task):
    run_out()
    result = submit(fresh(task))
    assert result.body["state"] == "submitted"
    assert sorted(Slot.objects.values_list("state", flat=True)) == ["filled", "open"]
    assert not Annotation.objects.get().surplus


def test_late_work_is_kept_as_surplus_when_the_place_is_taken(task):
    run_out()
    (other,) = make_people(1, task.project, start=2)
    theirs = claimed(task.project, other)
    result = submit(fresh(task))
    assert result.body["state"] == "surplus"
    assert submit(fresh(task)) == result
    assert Annotation.objects.get().surplus
    submit(theirs)
    assert list(Annotation.objects.order_by("pk").values_list("surplus", flat=True)) == [True, False]
    assert Slot.objects.filter(state="filled").count() == 1


def test_late_work_takes_another_open_place_of_the_sample():
    project = make_project(documents=1, groups=1, size=1, overlap=2, frozen=True)
    first, second = make_people(2, project)
    task = claimed(project, first)
    run_out()
    theirs = claimed(project, second)
    assert theirs.slot_id == task.slot_id
    assert submit(fresh(task)).body["state"] == "submitted"
    assert Assignment.objects.get(pk=task.pk).slot_id != theirs.slot_id


def test_work_after_giving_back_is_not_lost_either(task):
    leases.release_task(assignment=task)
    assert submit(fresh(task)).body["state"] == "submitted"


def test_a_returned_summary_is_handed_in_as_the_next_revision(task):
    first = submit(task)
    Assignment.objects.filter(pk=task.pk).update(state="returned")
    assert submit(fresh(task)) == first
    second = submit(fresh(task), key="k2", title="Better")
    assert second.body["revision"] == 2
    assert list(Annotation.objects.order_by("revision").values_list("payload__title", flat=True)) == [
        "Late ferry",
        "Better",
    ]


def test_a_skipped_task_keeps_its_reason_and_opens_its_place(task):
    note = "no \r\n topic"
    assert skip.skip_task(assignment=task, reason="nothing_fits", note=note).endswith("/")
    skipped = Assignment.objects.get(pk=task.pk)
    assert (skipped.state, skipped.skip_reason, skipped.skip_note) == ("skipped", "nothing_fits", "no \n topic")
    assert skipped.finished_at is not None
    assert Slot.objects.get(pk=task.slot_id).state == "open"
    assert skip.skip_task(assignment=fresh(task), reason="other").endswith("/")
    assert Assignment.objects.get(pk=task.pk).skip_reason == "nothing_fits"


@pytest.mark.parametrize(
    ("reason", "note", "field"), [("", "", "reason"), ("lazy", "", "reason"), ("other", "\x00", "note")]
)
def test_a_skip_needs_a_reason_we_know(task, reason, note, field):
    with pytest.raises(BadInput) as refused:
        skip.skip_task(assignment=task, reason=reason, note=note)
    assert refused.value.field == field
    assert fresh(task).state == "claimed"


def test_a_finished_task_cannot_be_skipped(task):
    submit(task)
    with pytest.raises(Conflict):
        skip.skip_task(assignment=fresh(task), reason="other")

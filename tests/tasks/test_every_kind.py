"""What every kind of task can do, whatever its payload: no service knows the fields of one."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from annotation import kinds
from annotation.jobs import NoProgress
from annotation.models import Annotation, AssignmentState, Draft, Project, RefusedDraft, Role
from annotation.services.core.errors import BadInput, NotFound
from annotation.services.exports import exporting
from annotation.services.inspection import verdicts
from annotation.services.overlap.checks import build_answers
from annotation.services.people.projects import create_project, new_schema_version
from annotation.services.scores.measure_batches import Summaries
from annotation.services.sources.import_types import ImportRefused
from annotation.services.statistics import records
from annotation.services.tasks import assignments, claim, drafts, live_meters, own_work, revisions, submit
from annotation.services.withdrawal import withdraw as withdrawal
from annotation.views.inspection.messages import list_changes
from epitome.schema import preset_text
from evaluation.services.rounds.round_material import gold_annotations
from modelbridge.services.runs.references import references_of
from tests.export import factories as make
from tests.inspection.factories import verdict
from tests.people.conftest import signed_in
from tests.tasks.factories import make_people, make_project, payload
from tests.tasks.phrases_kind import PhrasesKind

pytestmark = pytest.mark.django_db


@dataclass
class Sketch:
    """A kind and two payloads of it; words: of the first one."""

    kind: kinds.Kind
    first: dict[str, Any]
    second: dict[str, Any]
    text: str


@pytest.fixture(params=["summary", "aggregation", "phrases"])
def sketch(request, monkeypatch) -> Sketch:
    if request.param == "aggregation":
        first = {"answers": ["the late ferries", "the ships"], "cannot": False}
        second = {"answers": ["the ferries"], "cannot": True}
        return Sketch(kinds.KINDS["aggregation"], first, second, "the late ferries\nthe ships")
    if request.param == "summary":
        first, second = payload(summary="The ferry left late."), payload(summary="The ferry never left.")
        return Sketch(kinds.KINDS["summary"], first, second, "The ferry left late.")
    kind = PhrasesKind()
    monkeypatch.setitem(kinds.KINDS, kind.key, kind)
    return Sketch(kind, {"phrase": "late ferries", "second": "ships"}, {"phrase": "ferries"}, "late ferries")


@pytest.fixture
def project(sketch) -> Project:
    return make_project(frozen=True, kind=sketch.kind.key, documents=1, groups=1, size=2)


@pytest.fixture
def writer(project):
    return make_people(1, project)[0]


def write(project, writer, given) -> Annotation:
    task = claim.claim_next(project=project, annotator=writer).assignment
    submit.submit_task(assignment=task, payload=given, idempotency_key=f"key-{task.pk}")
    return Annotation.objects.get(assignment=task)


def test_a_draft_is_kept_and_what_is_handed_in_is_the_kinds(sketch, project, writer):
    task = claim.claim_next(project=project, annotator=writer).assignment
    drafts.save_draft(assignment=task, payload=sketch.first, revision=0)
    assert sketch.kind.text_of(Draft.objects.get().payload) == sketch.text
    submit.submit_task(assignment=task, payload=sketch.first, idempotency_key="k")
    stored = Annotation.objects.get().payload
    assert sketch.kind.text_of(stored) == sketch.text
    assert not sketch.kind.is_empty(stored)
    assert sketch.kind.is_empty(sketch.kind.blank())
    with pytest.raises(BadInput):
        other = claim.claim_next(project=project, annotator=writer).assignment
        submit.submit_task(assignment=other, payload=sketch.kind.blank(), idempotency_key="k2")


def test_an_export_comes_back_byte_for_byte(sketch, tmp_path, django_user_model):
    project = create_project(slug="news", schema=sketch.kind.presets[0], kind=sketch.kind.key)
    make.import_rows(project, tmp_path, [make.row(1), make.row(2)])
    for document in project.documents.order_by("pk"):
        make.add_samples(document)
    ann = make.make_person(project, "annotator1", django_user_model)
    make.skip_one(project, ann)
    write(project, ann, sketch.first)
    write(project, ann, sketch.second)
    first = make.export(project, tmp_path, "first.jsonl")
    lines = make.of_task(first, sketch.kind.export_task)
    assert next(line["text"] for line in lines if not line["skipped"]) == sketch.text
    make.delete_all_rows()
    restored = make.restore_project(tmp_path, first)
    assert restored.kind == sketch.kind.key
    assert make.export(restored, tmp_path, "second.jsonl").read_bytes() == first.read_bytes()
    assert sketch.text in {sketch.kind.text_of(row.payload) for row in restored.annotations.all()}


def test_a_file_of_another_kind_or_with_a_wrong_field_is_refused_by_name(sketch, tmp_path, django_user_model):
    project = create_project(slug="news", schema=sketch.kind.presets[0], kind=sketch.kind.key)
    make.import_rows(project, tmp_path, [make.row(1)])
    make.add_samples(project.documents.get())
    write(project, make.make_person(project, "annotator1", django_user_model), sketch.first)
    path = make.export(project, tmp_path)
    lines = make.read_lines(path)
    for changed, field in (({"task": "other-task"}, "task"), ({"text": 7}, "text")):
        rows = [{**line, **changed} if line["task"] == sketch.kind.export_task else line for line in lines]
        broken = tmp_path / "broken.jsonl"
        broken.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        make.delete_all_rows()
        with pytest.raises(ImportRefused) as refused:
            make.restore_project(tmp_path, broken)
        assert field in str(refused.value.report.faults[0])


def test_a_withdrawal_empties_it_and_counts_it(sketch, project, writer, db):
    write(project, writer, sketch.first)
    admin = make_people(1, project, Role.ADMIN)[0]
    fields = {"project": project, "person": writer, "by": admin}
    withdrawal_scope = withdrawal.WithdrawalScope(remove_texts=True)
    total = withdrawal.preview_withdrawal(asked=withdrawal_scope, **fields).total
    row = withdrawal.withdraw_person(asked=withdrawal_scope, expect=total, **fields)
    assert row.counts["summaries"] == 1
    assert Annotation.objects.get().payload == sketch.kind.blank()
    state = [
        json.loads(line)["state"]
        for line in b"".join(exporting.export_lines(project=project)).splitlines()
        if json.loads(line)["task"] == sketch.kind.export_task
    ]
    assert state == ["withdrawn"]


def test_a_reviewer_returns_it_and_the_revision_is_compared_part_by_part(sketch, project, writer):
    annotation = write(project, writer, sketch.first)
    reviewer = make_people(1, project, Role.REVIEWER)[0]
    page = signed_in(reviewer).get(f"/p/{project.slug}/inspection/{annotation.public_id}/")
    assert sketch.text in page.content.decode()
    attempt = verdicts.load_attempt(annotation)
    keys = [piece["key"] for piece in verdicts.list_parts(attempt)]
    result = verdict("revise")
    result["verdicts"] = {key: {"verdict": "revise", "comment": ""} for key in keys}
    result["comments"] = [{"start": 0, "end": 3, "quote": sketch.text[:3], "comment": "No."}]
    verdicts.save_verdict(annotation=annotation, reviewer=reviewer, data=result)
    assert sketch.kind.parts_of(Draft.objects.get().payload) == sketch.kind.parts_of(annotation.payload)
    task = assignments.get_own_assignment(writer, annotation.assignment.public_id)
    submit.submit_task(assignment=task, payload=sketch.second, idempotency_key="again")
    changes = list_changes(sketch.kind, revisions.list_revisions(task))
    assert len(changes[0].parts) == len(sketch.kind.parts_of(annotation.payload))
    finished = signed_in(writer).get(f"/tasks/{task.public_id}/finished/").content.decode()
    assert sketch.kind.text_of(sketch.second) in finished


def test_a_newer_draft_is_not_lost_when_a_text_comes_back(sketch, project, writer):
    annotation = write(project, writer, sketch.first)
    attempt = annotation.assignment
    revisions.put_in_draft(attempt, annotation, sketch.kind)
    Draft.objects.update(payload=sketch.kind.draft(sketch.second))
    revisions.put_in_draft(attempt, annotation, sketch.kind)
    assert sketch.kind.text_of(RefusedDraft.objects.get().payload) == sketch.kind.text_of(sketch.second)
    revisions.put_in_draft(attempt, annotation, sketch.kind)
    assert RefusedDraft.objects.count() == 1


def test_systems_rounds_statistics_and_measures_ask_for_its_text(sketch, project, writer):
    annotation = write(project, writer, sketch.first)
    sample = annotation.sample
    assert references_of(project) == {sample.pk: (annotation.pk, sketch.text)}
    # The golds of instances are phrases that several people wrote; see tests/rounds/test_aggregation_rounds.py.
    assert gold_annotations(project) == ({} if sketch.kind.has_instances else {sample.pk: annotation.pk})
    assert Summaries().texts(project, [annotation.pk]) == {annotation.pk: sketch.text}
    assert build_answers(sample, [annotation])[0].text == sketch.text
    result, _samples = records.load_records(project, NoProgress())
    assert [row.words for row in result] == [len(sketch.text.split())]
    finished = own_work.list_finished(project, writer, before=None)[0]
    assert finished[0].title == sketch.first.get("title", "")


def test_only_a_metered_kind_is_measured_while_it_is_written(sketch, project, writer):
    Project.objects.update(assistance="full")
    task = claim.claim_next(project=Project.objects.get(), annotator=writer).assignment
    if sketch.kind.metered:
        job = live_meters.request_measurement(assignment=task, summary=sketch.text, revision=0)
        assert job.arguments["summary"] == sketch.text
    else:
        with pytest.raises(NotFound):
            live_meters.request_measurement(assignment=task, summary=sketch.text, revision=0)


def test_a_schema_without_attributes_is_for_kinds_that_need_none(sketch):
    text = preset_text("macsum-doc")
    bare = text[: text.index("[prompt]")].replace('key = "macsum-doc"', 'key = "bare"') if "[prompt]" in text else ""
    if sketch.kind.needs_attributes:
        with pytest.raises(BadInput) as refused:
            create_project(slug="bare", schema_text=bare, kind=sketch.kind.key)
        assert "[[attribute]]" in refused.value.message
    else:
        project = create_project(slug="bare", schema_text=bare, kind=sketch.kind.key)
        assert project.schema_version.schema.attributes == ()
        assert new_schema_version(project=project, text=bare + "# more\n", by=None).number == 2


def test_a_kind_and_its_preset_must_fit(sketch):
    with pytest.raises(BadInput) as refused:
        create_project(slug="a", schema="macsum-doc", kind="choosing")
    assert refused.value.field == "kind"
    if "ccsbench" not in sketch.kind.presets:
        with pytest.raises(BadInput) as refused:
            create_project(slug="a", schema="ccsbench", kind=sketch.kind.key)
        assert refused.value.field == "schema"


def test_a_state_of_a_late_attempt_is_as_for_every_kind(sketch, project, writer):
    task = claim.claim_next(project=project, annotator=writer).assignment
    type(task).objects.filter(pk=task.pk).update(state=AssignmentState.EXPIRED)
    task = assignments.get_own_assignment(writer, task.public_id)
    submit.submit_task(assignment=task, payload=sketch.first, idempotency_key="late")
    assert Annotation.objects.get().assignment.state in ("submitted", "surplus")

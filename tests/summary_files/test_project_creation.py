"""A project made of a table of summaries: all of it or nothing."""

import pytest
from django.contrib.auth.models import User

from annotation.models import Annotation, Project, Sample, SourceDocument
from annotation.services.core.errors import BadInput
from annotation.services.staff.pipeline_counts import count_pipeline
from epitome.formats.summary_tables import EvaluatedText, SummaryTable
from evaluation.services.summary_files import project_creation
from evaluation.services.summary_files.project_creation import create_project_from_table, find_obstacles
from modelbridge.models import Run, RunState, SystemOutput
from tests.summary_files.tables import text_of

pytestmark = pytest.mark.django_db
SETTINGS = {"name": "Three systems", "language": "en", "timezone": "Europe/Berlin"}


@pytest.fixture
def admin():
    return User.objects.create_user("admin")


def build_table(n_texts=4, *, references=True) -> SummaryTable:
    texts = {
        f"a{n}": EvaluatedText(f"a{n}", text_of(n), "", f"line {n + 2}", f"Reference {n}." if references else "")
        for n in range(n_texts)
    }
    outputs = {name: {key: f"{name} on {key}." for key in texts} for name in ("BART", "Lead 3")}
    return SummaryTable(texts, outputs)


def test_texts_references_and_systems_are_there(admin):
    project, runs = create_project_from_table(table=build_table(), file_name="table.csv", by=admin, **SETTINGS)

    assert (project.name, project.slug, project.preset) == ("Three systems", "three-systems", "short-articles")
    assert [row.revision.system.name for row in runs] == ["BART", "Lead 3"]
    assert {run.state for run in runs} == {RunState.DONE} and {run.n_samples for run in runs} == {4}
    outputs = SystemOutput.objects.filter(run=runs[0]).select_related("sample__document")
    assert {row.sample.document.external_id: row.text for row in outputs} == {
        f"a{n}": f"BART on a{n}." for n in range(4)
    }
    summaries = Annotation.objects.filter(project=project).select_related("sample__document")
    assert {row.sample.document.external_id: row.payload["summary"] for row in summaries} == {
        f"a{n}": f"Reference {n}." for n in range(4)
    }
    assert SourceDocument.objects.get(project=project, external_id="a2").n_words == len(text_of(2).split())


def test_texts_without_references_have_a_sample_each(admin):
    table = build_table(3)
    table.texts["a1"].reference = ""
    project, _runs = create_project_from_table(table=table, file_name="table.csv", by=admin, **SETTINGS)

    assert Annotation.objects.filter(project=project).count() == 2
    samples = Sample.objects.filter(project=project)
    assert sorted(samples.values_list("document__external_id", flat=True)) == ["a0", "a1", "a2"]
    assert not project.slots.exists()


def test_a_text_without_a_reference_counts_as_none(admin):
    table = build_table(3)
    table.texts["a1"].reference = ""
    project, _runs = create_project_from_table(table=table, file_name="table.csv", by=admin, **SETTINGS)

    counts = count_pipeline(project)

    assert (counts.references, counts.samples, counts.groups) == (2, 0, 0)


def test_references_alone_are_enough(admin):
    table = build_table(2)
    table.outputs.clear()
    project, runs = create_project_from_table(table=table, file_name="table.csv", by=admin, **SETTINGS)
    assert runs == [] and Annotation.objects.filter(project=project).count() == 2


def test_a_system_may_lack_texts(admin):
    table = build_table(3)
    del table.outputs["BART"]["a1"]
    _project, runs = create_project_from_table(table=table, file_name="table.csv", by=admin, **SETTINGS)
    assert [run.n_samples for run in runs] == [2, 3]


def test_nothing_is_stored_where_a_system_fails(admin, monkeypatch):
    stored = []

    def fail_at_second(**values):
        stored.append(values["system"])
        if len(stored) == 2:
            raise BadInput("This system cannot be stored.", field="system")
        return upload(**values)

    upload = project_creation.upload_predictions
    monkeypatch.setattr(project_creation, "upload_predictions", fail_at_second)
    with pytest.raises(BadInput, match="cannot be stored"):
        create_project_from_table(table=build_table(), file_name="table.csv", by=admin, **SETTINGS)
    counts = [model.objects.count() for model in (Project, SourceDocument, Sample, Run, SystemOutput)]
    assert stored == ["bart", "lead-3"] and counts == [0, 0, 0, 0, 0]


def test_a_text_that_cannot_be_stored_names_its_row(admin):
    table = build_table(3)
    table.texts["a1"].text = "A broken \x00 text."
    with pytest.raises(BadInput, match="line 3: "):
        create_project_from_table(table=table, file_name="table.csv", by=admin, **SETTINGS)
    assert not Project.objects.exists()


def test_what_cannot_be_is_said(monkeypatch):
    monkeypatch.setattr(project_creation, "MOST_TEXTS", 3)
    monkeypatch.setattr(project_creation, "MOST_SYSTEMS", 1)
    first, second = find_obstacles(build_table(4))
    assert "more texts than fit here (3)" in first and "more systems than fit here (1)" in second
    assert find_obstacles(SummaryTable()) == ["The table has no texts."]
    bare = build_table(2, references=False)
    bare.outputs.clear()
    assert find_obstacles(bare) == ["The columns of the summaries are empty."]
    assert find_obstacles(SummaryTable(faults=["line 3: has no text"])) == ["line 3: has no text"]

"""An export comes back into an empty project and goes out again byte for byte."""

import json

import pytest
from django.contrib.auth.models import User
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.models import (
    Annotation,
    Assignment,
    Group,
    Project,
    RestoredSkip,
    Sample,
    SourceDocument,
    SourceImport,
)
from annotation.services.core.errors import Conflict
from annotation.services.people.projects import create_project, new_guideline_version, new_schema_version
from annotation.services.sources.import_types import ImportRefused
from epitome.formats.epitome1 import dump_line
from epitome.schema import preset_text
from tests.export import factories as make
from tests.export.factories import delete_all_rows, restore_project

pytestmark = pytest.mark.django_db

ODD = (
    "RTL \u202eoverride\u202c, zero\u200bwidth, NEL\x85, LS\u2028PS\u2029, VT\x0b, tab\t, CR\rLF\nCRLF\r\n, "
    'emoji 👩‍👩‍👧 🇩🇪, NFD cafe\u0301, NFC café, Z̸̡̢͖̈́algo, BOM\ufeff, \\u0000 \\n "quotes" </script> \x7f'
)


@pytest.fixture
def full(tmp_path, django_user_model) -> Project:
    """Everything a project can hold: odd texts, topics, overlap, skips, states, flags, more versions."""
    project = create_project(slug="news", schema="macsum-doc", overlap=2)
    rows = [
        make.row(1, ODD, licence="CC BY 4.0", origin_id="o1", split="dev", title="Fl\u202eut",
                 page=[1, {"b": 1, "a": 2.50}]),
        make.row(2, "One.  Two \n three. " * 30, title="", n=10**15, x=1e-7),
        {"id": "p#3", "segments": [{"speaker": "Ann\u202e", "text": ODD}, {"speaker": "", "text": " "}]},
        make.row(4, may_release_text=False, highlights="secret"),
    ]  # fmt: skip
    make.import_rows(project, tmp_path, rows)
    new_schema_version(project=project, text=preset_text("macsum-doc") + "\n# second\n", by=None)
    new_guideline_version(
        project=project, text="# More\n\nWith \u202eexamples", by=None, change="wording", note="A word."
    )
    first, second, third, fourth = SourceDocument.objects.order_by("pk")
    make.add_samples(first, overlap=2)
    make.add_samples(first, asks=("topic",), overlap=2)
    make.add_samples(third, overlap=2)
    make.add_samples(fourth, overlap=2)
    SourceDocument.objects.filter(pk=second.pk).update(selected=False)
    SourceDocument.objects.filter(pk=third.pk).update(damaged=True, damaged_reason="half\nof it")
    ann, bo = (make.make_person(project, name, django_user_model) for name in ("annotator1", "annotator2"))
    text = first.source_text.segments[0]["text"]
    make.write_one(project, ann, ODD, title=ODD, spans=[{"segment": 0, "start": 0, "end": len(text), "quote": text}])
    make.skip_one(project, ann, "nothing_fits", ODD)
    make.write_one(project, ann, "With a topic.")
    make.accept_annotation(make.write_one(project, bo, "Bo's first."))
    make.skip_one(project, bo)
    for _ in range(3):
        make.write_one(project, bo, relevant_segments=[[0, 0]])
    return project


@pytest.mark.db_engine
def test_export_import_export_is_byte_identical(full, tmp_path):
    first = make.export(full, tmp_path, "first.jsonl").read_bytes()
    assert len([line for line in make.of_task(tmp_path / "first.jsonl", "summary") if line["skipped"]]) == 2
    delete_all_rows()
    project = restore_project(tmp_path, tmp_path / "first.jsonl")
    assert make.export(project, tmp_path, "second.jsonl").read_bytes() == first
    assert project.schema_versions.count() == 2
    assert project.guideline_version.text.endswith("\u202eexamples")
    guideline_versions = project.guideline_versions.order_by("number").values_list("change", "note")
    assert list(guideline_versions) == [
        ("rule", ""),
        ("wording", "A word."),
    ]  # nobody has to confirm a rule that did not change
    assert User.objects.count() == 0


@pytest.mark.db_engine
def test_a_second_import_adds_nothing(full, tmp_path):
    path = make.export(full, tmp_path)
    for project in (full, None):
        if project is None:
            delete_all_rows()
            project = restore_project(tmp_path, path)
        results_before = [
            model.objects.count() for model in (SourceDocument, Group, Sample, Annotation, RestoredSkip, SourceImport)
        ]
        report = make.import_project_file(project, path)
        assert (report.read, report.stored, report.duplicate, report.references) == (4, 0, 4, 0)
        results_after = [
            model.objects.count() for model in (SourceDocument, Group, Sample, Annotation, RestoredSkip, SourceImport)
        ]
        assert results_after == results_before


def test_restored_rows_can_be_read_like_others(full, tmp_path):
    path = make.export(full, tmp_path)
    delete_all_rows()
    project = restore_project(tmp_path, path)
    annotation = Annotation.objects.filter(project=project).order_by("pk")[0]
    assert annotation.origin == Annotation.Origin.RESTORED
    assert annotation.payload["summary"] == ODD.replace("\r\n", "\n")
    assert annotation.sample.values["length"] == "short"
    assert (annotation.sample.sampler, annotation.sample.seed, annotation.sample.combination) == ("uniform@1", 7, "snh")
    document = SourceDocument.objects.get(external_id="doc-1")
    assert "".join(s.get("before", "") + s["text"] + s.get("after", "") for s in document.source_text.segments) == ODD
    assert document.metadata == {"page": [1, {"b": 1, "a": 2.5}]}
    assert list(document.metadata["page"][1]) == ["b", "a"]
    assert document.licence == "CC BY 4.0"
    topical = Group.objects.get(asks=["topic"])
    assert topical.chosen == {"topic": ["bridge"]}
    assert topical.frozen_at
    hidden = SourceDocument.objects.get(external_id="doc-4")
    assert (hidden.source_text.segments, hidden.n_words > 0, hidden.may_release_text) == ([], True, False)


def test_accepted_lines_stay_accepted_and_split_stays_by_origin(full, tmp_path):
    path = make.export(full, tmp_path, "accepted.jsonl", state="accepted", split_seed=3)
    delete_all_rows()
    project = restore_project(tmp_path, path)
    assert make.export(project, tmp_path, "again.jsonl").read_bytes() == path.read_bytes()
    assert make.export(project, tmp_path, "more.jsonl", state="accepted").read_bytes() == path.read_bytes()


def test_under_another_slug_only_the_projects_name_changes(full, tmp_path):
    path = make.export(full, tmp_path)
    other = restore_project(tmp_path, path, slug="copy")
    lines = make.read_lines(make.export(other, tmp_path, "copy.jsonl"))
    assert {line.pop("project") for line in lines} == {"copy"}
    expected = make.read_lines(path)
    assert {line.pop("project") for line in expected} == {"news"}
    assert lines == expected


def test_times_pseudonyms_and_scores_of_a_foreign_line_are_kept_word_for_word(full, tmp_path):
    path = make.export(full, tmp_path)
    lines = make.read_lines(path)
    line = next(line for line in lines if line["task"] == "summary" and not line["skipped"])
    line["annotator"], line["times"] = "worker-A7", {"seconds": 12.5, "clock": "theirs"}
    line["metrics"] = {"extractiveness": {"value": 0.123456789012345678, "profile": "release"}}
    line["inspection"] = [{"reviewer": "r1", "verdict": "accept"}]
    line["our own key"] = {"z": [1, None]}
    path.write_bytes(b"".join(map(dump_line, lines)))
    delete_all_rows()
    project = restore_project(tmp_path, path)
    assert make.export(project, tmp_path, "again.jsonl").read_bytes() == path.read_bytes()


def test_new_work_in_a_restored_project_stands_beside_the_old(full, tmp_path, django_user_model):
    path = make.export(full, tmp_path)
    delete_all_rows()
    project = restore_project(tmp_path, path)
    document = SourceDocument.objects.get(external_id="doc-1")
    make.add_samples(document, asks=())
    ann = make.make_person(project, "annotator9", django_user_model)
    make.write_one(project, ann, "Later.")
    path = make.export(project, tmp_path, "more.jsonl")
    assert "Later." in path.read_text()
    bytes_then = path.read_bytes()
    delete_all_rows()
    project = restore_project(tmp_path, path)
    assert make.export(project, tmp_path, "again.jsonl").read_bytes() == bytes_then


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=60)


@pytest.mark.db_engine
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(body=texts.filter(lambda text: bool(text.split())), title=texts, summary=texts.filter(str.isalnum), note=texts)
def test_any_text_survives(db, tmp_path, django_user_model, body, title, summary, note):
    delete_all_rows()
    project = create_project(slug="news", schema="macsum-doc")
    make.import_rows(project, tmp_path, [make.row(1, body, title=title, extra=note)])
    make.add_samples(SourceDocument.objects.get())
    ann = make.make_person(project, "annotator1", django_user_model)
    make.write_one(project, ann, summary, relevant_segments=[0])
    make.skip_one(project, ann, note=note)
    first = make.export(project, tmp_path, "first.jsonl").read_bytes()
    delete_all_rows()
    project = restore_project(tmp_path, tmp_path / "first.jsonl")
    assert make.export(project, tmp_path, "second.jsonl").read_bytes() == first
    assert SourceDocument.objects.get().title == title


BREAKS = {
    "sample_id": ("doc-1#x", "sample_id"),
    "attributes": ({"length": "huge"}, "attributes.length"),
    "schema": ({"version": 9}, "schema.version"),
    "revision": (True, "revision"),
    "skipped": ("no", "skipped"),
    "spans": ([{"segment": 0, "start": 0, "end": 2, "quote": "??"}], "spans[0].quote"),
    "relevant_segments": ([3], "relevant_segments[0]"),
    "raw": ("{", "raw"),
    "group": ({"index": -1, "asked": [], "decisions": []}, "group.index"),
    "task": ("rating", "task"),
    "times": ([], "times"),
}


@pytest.mark.parametrize("key", BREAKS)
def test_a_broken_line_is_refused_with_its_place_and_nothing_is_stored(full, tmp_path, key):
    path = make.export(full, tmp_path)
    lines = make.read_lines(path)
    place = next(i for i, line in enumerate(lines) if line["task"] == "summary" and not line["skipped"])
    lines[place][key], field = BREAKS[key]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    delete_all_rows()
    project = create_project(slug="news", schema="macsum-doc")
    with pytest.raises(ImportRefused) as refused:
        make.import_project_file(project, path)
    assert f"line {place + 1}," in refused.value.message
    assert field in refused.value.message
    assert refused.value.report.stored == 0
    assert not SourceDocument.everything.exists()
    assert not Sample.objects.exists()
    report = make.import_project_file(project, path, partial=True)
    assert report.rejected == 1
    assert report.stored == 4
    assert report.read == report.stored + report.duplicate + report.left_out + report.rejected


def test_the_same_summary_twice_in_a_file_is_a_fault(full, tmp_path):
    path = make.export(full, tmp_path)
    path.write_bytes(path.read_bytes() + dump_line(make.of_task(path, "summary")[0]))
    delete_all_rows()
    with pytest.raises(ImportRefused, match="sample_id"):
        restore_project(tmp_path, path)


def test_a_line_that_says_something_else_by_now_is_refused(full, tmp_path):
    path = make.export(full, tmp_path)
    Assignment.objects.filter(state="submitted").update(state="accepted")
    count_before = Annotation.objects.count()
    with pytest.raises(ImportRefused, match="sample_id: the project has another line of this"):
        make.import_project_file(full, path)
    assert Annotation.objects.count() == count_before


def test_a_project_with_samples_keeps_its_schema(full, tmp_path):
    path = make.export(full, tmp_path)
    other = make.news(tmp_path, slug="other")
    with pytest.raises(ImportRefused, match="schemas"):
        make.import_project_file(other, path)
    assert other.schema_versions.count() == 1


def test_a_sample_in_the_way_refuses_the_whole_file(tmp_path, django_user_model):
    project = make.news(tmp_path)
    make.write_one(project, make.make_person(project, "annotator1", django_user_model))
    path = make.export(project, tmp_path)
    other = make.news(tmp_path, slug="other")
    Sample.objects.filter(project=other).update(values={"length": "long"})
    with pytest.raises(Conflict, match="doc-0#0"):
        make.import_project_file(other, path)
    assert not Annotation.objects.filter(project=other).exists()


def test_a_dry_run_stores_nothing(full, tmp_path):
    path = make.export(full, tmp_path)
    delete_all_rows()
    project = create_project(slug="news", schema="macsum-doc")
    report = make.import_project_file(project, path, dry_run=True)
    assert (report.read, report.stored, report.references) == (4, 4, 8)
    assert not SourceDocument.everything.exists()

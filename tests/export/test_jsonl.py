"""The lines of the JSONL export: every field of the dataset, sources before their summaries."""

import hashlib
import json

import pytest
from django.utils import timezone

from annotation.models import Annotation, Assignment, AssignmentState, Project, SourceDocument
from annotation.services.core.errors import BadInput
from annotation.services.core.pseudonyms import compute_pseudonym
from annotation.services.exports.exporting import ExportOptions, export_lines
from tests.export import factories as make

pytestmark = pytest.mark.django_db

FIELDS = {
    "task", "project", "source_id", "sample_id", "split", "schema", "attributes", "text", "title", "spans", "skipped",
    "skip_reason", "annotator", "times", "inspection", "metrics", "licence", "group", "sampler", "guideline",
    "assistance", "band_shown", "revision", "origin", "state", "relevant_segments", "format", "raw", "skip_note",
    "proposals",
}  # fmt: skip


@pytest.fixture
def project(tmp_path) -> Project:
    return make.news(tmp_path)


@pytest.fixture
def ann(project, django_user_model):
    return make.make_person(project, "annotator1", django_user_model)


@pytest.mark.db_engine
def test_a_summary_line_tells_all_of_its_sample_and_its_source_comes_first(project, ann, tmp_path):
    span = {"segment": 1, "start": 4, "end": 11, "quote": "council"}
    document = SourceDocument.objects.filter(project=project).order_by("pk")[0]
    text = document.source_text.segments[1]["text"]
    span["quote"] = text[4:11]
    make.write_one(project, ann, "Die Brücke 🌉.", spans=[span])
    lines = make.read_lines(make.export(project, tmp_path))
    assert [line["task"] for line in lines] == ["project", "source", "summary", "source", "source"]
    source, line = lines[1], lines[2]
    assert set(line) == FIELDS
    assert line["source_id"] == source["source_id"] == "doc-0"
    assert line["sample_id"] == "doc-0#0"
    assert line["attributes"] == {"length": "short", "extractiveness": "normal", "specificity": "high"}
    assert (line["text"], line["title"]) == ("Die Brücke 🌉.", "Bridge vote")
    assert line["relevant_segments"] == [[0, 0], [1, 2]]
    assert line["spans"] == [span]
    assert line["schema"] == {"preset": "macsum-doc", "version": 1}
    assert line["guideline"] == 1
    assert line["sampler"] == {"algorithm": "uniform@1", "seed": 7, "combination": "snh"}
    assert line["group"] == {"index": 0, "asked": [], "chosen_at": None, "chosen_by": None, "decisions": []}
    assert (line["state"], line["origin"], line["revision"], line["skipped"]) == ("submitted", "person", 1, False)
    assert line["times"]["seconds"] >= 0
    assert line["assistance"] == "minimal"
    assert "length" in line["band_shown"]
    assert source["segments"] == document.source_text.segments
    assert json.loads(source["metadata"]) == document.metadata
    assert source["flags"] == {"selected": True, "damaged": False, "damaged_reason": ""}
    assert lines[0]["schemas"][0]["text"] == project.schema_version.text


def test_topics_chosen_by_a_person_are_told_with_who_chose_and_what_was_decided(tmp_path, django_user_model):
    project = make.create_project(slug="p", schema="macsum-doc")
    make.import_rows(project, tmp_path, [make.row(1)])
    make.add_samples(SourceDocument.objects.get(), asks=("topic",))
    ann = make.make_person(project, "annotator1", django_user_model)
    make.write_one(project, ann)
    (line,) = make.of_task(make.export(project, tmp_path), "summary")
    assert line["attributes"]["topic"] == ["bridge"]
    assert line["group"]["asked"] == ["topic"]
    assert line["group"]["chosen_by"] == line["annotator"]
    assert line["group"]["chosen_at"]
    assert [row["action"] for row in line["group"]["decisions"]] == ["own"]


def test_a_skipped_request_is_a_line_with_its_reason(project, ann, tmp_path):
    make.skip_one(project, ann, "nothing_fits", "no\nway")
    path = make.export(project, tmp_path)
    (line,) = make.of_task(path, "summary")
    assert set(line) == FIELDS
    assert (line["skipped"], line["skip_reason"], line["skip_note"]) == (True, "nothing_fits", "no\nway")
    assert (line["text"], line["title"], line["state"]) == (None, None, "skipped")
    assert line["attributes"]["length"] == "short"
    assert line["sampler"]["combination"] == "snh"
    counts = make.read_manifest(path)["counts"]
    assert (counts["summaries"], counts["skipped"]) == (0, 1)
    assert counts["by_combination"] == {"snh": {"skipped": 1}}
    assert counts["by_split"] == {"": {"skipped": 1, "sources": 3}}
    assert counts["by_state"] == {"skipped": 1}


@pytest.mark.db_engine
def test_latest_is_the_newest_revision_and_accepted_leaves_the_rest_out(project, ann, tmp_path):
    first = make.write_one(project, ann, "First try.")
    second = make.write_one(project, ann, "Second summary.")
    make.accept_annotation(second)
    Assignment.objects.filter(pk=first.assignment_id).update(state=AssignmentState.RETURNED)
    Annotation.objects.create(
        project=project, sample_id=first.sample_id, assignment_id=first.assignment_id, revision=2,
        payload={**first.payload, "summary": "Better."}, schema_version_id=first.schema_version_id,
        idempotency_key="2", created_at=timezone.now(),
    )  # fmt: skip
    make.skip_one(project, ann)
    result = make.of_task(make.export(project, tmp_path), "summary")
    assert [(line["text"], line["state"], line["revision"]) for line in result] == [
        ("Better.", "returned", 2),
        ("Second summary.", "accepted", 1),
        (None, "skipped", 0),
    ]
    path = make.export(project, tmp_path, state="accepted")
    assert [line["text"] for line in make.of_task(path, "summary")] == ["Second summary.", None]
    assert make.read_manifest(path)["left_out"] == {"returned": 1}


def test_surplus_work_is_marked_and_never_counts_as_accepted(project, ann, tmp_path):
    result = make.write_one(project, ann)
    Assignment.objects.filter(pk=result.assignment_id).update(state=AssignmentState.SURPLUS)
    assert [line["state"] for line in make.of_task(make.export(project, tmp_path), "summary")] == ["surplus"]
    assert make.of_task(make.export(project, tmp_path, state="accepted"), "summary") == []


def test_pseudonyms_are_stable_in_a_project_and_differ_between_projects(project, ann, tmp_path, django_user_model):
    other = make.news(tmp_path, slug="other")
    make.make_person(other, "annotator1", django_user_model)
    make.write_one(project, ann)
    make.write_one(project, ann)
    make.write_one(other, ann)
    names = [line["annotator"] for line in make.of_task(make.export(project, tmp_path), "summary")]
    (elsewhere,) = [line["annotator"] for line in make.of_task(make.export(other, tmp_path), "summary")]
    assert names[0] == names[1] != elsewhere
    assert names[0] == compute_pseudonym(salt=project.export_salt, user_id=ann.pk)
    assert len(names[0]) == 12
    text = make.export(project, tmp_path).read_text()
    assert "annotator1" not in text


def test_no_text_of_a_source_without_permission_leaves_the_house(project, ann, tmp_path):
    document = SourceDocument.objects.filter(project=project).order_by("pk")[0]
    SourceDocument.objects.filter(pk=document.pk).update(
        may_release_text=False, metadata_json='{"highlights": "secret words"}'
    )
    quote = document.source_text.segments[1]["text"][4:11]
    make.write_one(project, ann, spans=[{"segment": 1, "start": 4, "end": 11, "quote": quote}])
    path = make.export(project, tmp_path)
    source, line = make.of_task(path, "source")[0], make.of_task(path, "summary")[0]
    assert source["segments"] is None
    assert "secret" not in path.read_text()
    assert "Report 0." not in path.read_text()
    assert (source["source_id"], source["n_segments"], source["n_words"]) == (
        "doc-0", document.n_segments, document.n_words,
    )  # fmt: skip
    assert line["spans"] == [{"segment": 1, "start": 4, "end": 11}]
    assert line["text"] == "The council voted."
    assert make.of_task(path, "source")[1]["segments"]
    assert make.read_manifest(path)["counts"]["sources_without_text"] == 1


def test_the_stream_gives_the_bytes_of_the_file(project, ann, tmp_path):
    make.write_one(project, ann)
    for format in ("jsonl", "macsum", "parquet"):
        streamed = b"".join(export_lines(project=project, options=ExportOptions(format=format)))
        assert streamed == make.export(project, tmp_path, format=format).read_bytes()


def test_the_manifest_describes_the_file(project, ann, tmp_path):
    make.write_one(project, ann)
    path = make.export(project, tmp_path)
    manifest = make.read_manifest(path)
    assert manifest["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert manifest["bytes"] == path.stat().st_size
    assert (manifest["file"], manifest["format"], manifest["software"]["name"]) == ("out.jsonl", "epitome-1", "epitome")
    assert manifest["counts"]["sources"] == 3
    assert manifest["counts"]["summaries"] == 1
    assert manifest["counts"]["by_split"] == {"": {"sources": 3, "summaries": 1}}
    assert manifest["counts"]["by_state"] == {"submitted": 1}
    assert manifest["sampling"]["used"] == [{"algorithm": "uniform@1", "seed": 7}]
    usual = {"state": "latest", "overlap": "all", "split": "keep", "split_seed": None, "shares": None}
    assert manifest["filters"] == {**usual, "release": None, "authorship": False}
    assert [row["version"] for row in manifest["schema_versions"]] == [1]
    again = make.read_manifest(make.export(project, tmp_path))
    assert {**again, "made_at": ""} == {**manifest, "made_at": ""}


def test_an_export_that_breaks_leaves_no_file_under_the_name(project, ann, tmp_path, monkeypatch):
    make.write_one(project, ann)
    path = make.export(project, tmp_path)
    content_before = path.read_bytes()
    make.write_one(project, ann)

    def broken(*args, **kwargs):
        yield b"half a li"
        raise RuntimeError("the disk went away")

    monkeypatch.setattr("annotation.services.exports.export_writers.write_jsonl", broken)
    with pytest.raises(RuntimeError):
        make.export(project, tmp_path)
    assert path.read_bytes() == content_before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out.jsonl", "out.jsonl.manifest.json", "rows.jsonl"]


@pytest.mark.parametrize(
    "options",
    [{"format": "csv"}, {"state": "all"}, {"split": "none"}, {"split": "keep", "split_seed": 1}, {"release": "a b"}],
)
def test_an_option_that_makes_no_sense_is_named(project, options):
    with pytest.raises(BadInput) as refused:
        export_lines(project=project, options=ExportOptions(**options))
    assert refused.value.field == list(options)[-1]


@pytest.mark.db_engine
def test_the_number_of_queries_does_not_grow_with_the_sources(
    tmp_path, django_user_model, django_assert_max_num_queries
):
    project = make.news(tmp_path, n=60)
    ann = make.make_person(project, "annotator1", django_user_model)
    for _ in range(20):
        make.write_one(project, ann)
    with django_assert_max_num_queries(17):
        assert sum(1 for _ in export_lines(project=project)) >= 2


def test_a_text_is_released_unless_its_row_or_the_import_says_no(tmp_path):
    project = make.create_project(slug="p", schema="macsum-doc")
    rows = [{"id": "a", "text": "It rained."}, {"id": "b", "text": "It snowed.", "may_release_text": False}]
    make.import_rows(project, tmp_path, rows)
    file = tmp_path / "more.jsonl"
    file.write_text('{"id": "c", "text": "It was dry."}\n{"id": "d", "text": "Fog.", "may_release_text": true}\n')
    make.import_project_file(project, file, may_release_text=False)
    result = make.of_task(make.export(project, tmp_path), "source")
    assert [line["source_id"] for line in result if line["segments"] is not None] == ["a", "d"]
    assert [line["n_words"] for line in result] == [2, 2, 3, 1]

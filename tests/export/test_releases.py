"""A release is a frozen list of rows: the same tag gives the same bytes, whatever comes later."""

import pytest
from django.utils import timezone

from annotation.models import (
    Annotation,
    Assignment,
    AssignmentState,
    Candidate,
    Release,
    SourceDocument,
)
from annotation.services.core.errors import Conflict, NotFound
from annotation.services.exports.exporting import ExportOptions, export_lines
from annotation.services.exports.releases import pack_ids, unpack_ids
from annotation.services.people.projects import new_guideline_version
from annotation.services.sources.damaged import flag_damaged
from tests.export import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(tmp_path, django_user_model):
    result = make.news(tmp_path, n=4)
    ann = make.make_person(result, "annotator1", django_user_model)
    make.write_one(result, ann, "One.")
    make.accept_annotation(make.write_one(result, ann, "Two."))
    make.skip_one(result, ann)
    result.ann = ann
    return result


def change_everything(project, folder) -> None:
    """What happens to a project after a release: new sources, summaries, revisions, skips, states, flags, versions."""
    make.write_one(project, project.ann, "Later.")
    make.skip_one(project, project.ann)
    old = Annotation.objects.get(payload__summary="One.")
    Annotation.objects.create(
        project=project, sample_id=old.sample_id, assignment_id=old.assignment_id, revision=2, idempotency_key="2",
        payload={**old.payload, "summary": "Revised."}, schema_version_id=old.schema_version_id,
        created_at=timezone.now(),
    )  # fmt: skip
    Assignment.objects.filter(state=AssignmentState.ACCEPTED).update(state=AssignmentState.REJECTED)
    Assignment.objects.filter(pk=old.assignment_id).update(state=AssignmentState.ACCEPTED)
    make.import_rows(project, folder, [make.row(100 + i) for i in range(30)], "more.jsonl")
    flag_damaged(document=SourceDocument.objects.order_by("pk")[0], reason="later found bad", by=None)
    SourceDocument.objects.filter(external_id="doc-1").update(selected=False)
    new_guideline_version(project=project, text="# Newer", by=None)


@pytest.mark.db_engine
@pytest.mark.parametrize("format", ["jsonl", "macsum", "parquet"])
@pytest.mark.parametrize("options", [{}, {"state": "accepted", "split_seed": 5}])
def test_a_release_rebuilds_byte_for_byte(project, tmp_path, format, options):
    first = make.export(project, tmp_path, "first", format=format, release="v1", **options)
    assert make.read_manifest(first)["release"]["same_as_first"]
    change_everything(project, tmp_path)
    again = make.export(project, tmp_path, "again", format=format, release="v1")
    assert again.read_bytes() == first.read_bytes()
    streamed = b"".join(export_lines(project=project, options=ExportOptions(format=format, release="v1")))
    assert streamed == first.read_bytes()
    assert make.export(project, tmp_path, "now", format=format, **options).read_bytes() != first.read_bytes()
    manifest_before, manifest_after = make.read_manifest(first), make.read_manifest(again)
    assert manifest_after["release"]["same_as_first"]
    assert manifest_after["release"]["missing_rows"] == 0
    for key in ("counts", "filters", "schema_versions", "guideline_versions", "sha256"):
        assert manifest_before[key] == manifest_after[key]


def test_the_release_keeps_its_first_hash_per_format(project, tmp_path):
    path = make.export(project, tmp_path, "a", release="v1")
    make.export(project, tmp_path, "b", release="v1", format="macsum")
    release = Release.objects.get()
    assert release.content_hash == make.read_manifest(path)["sha256"] == release.filters["hashes"]["jsonl"]
    assert set(release.filters["hashes"]) == {"jsonl", "macsum"}


def test_a_withdrawn_text_is_gone_and_the_next_build_says_so(project, tmp_path, capsys):
    make.export(project, tmp_path, "a", release="v1")
    annotation = Annotation.objects.get(payload__summary="One.")
    Annotation.objects.filter(pk=annotation.pk).update(payload={**annotation.payload, "summary": ""})
    from django.core.management import call_command

    call_command("export", "news", "--output", str(tmp_path / "b"), "--release", "v1")
    assert "release v1 differs from its first build" in capsys.readouterr().err
    report = make.read_manifest(tmp_path / "b")["release"]
    assert not report["same_as_first"]
    assert report["missing_rows"] == 0


def test_rows_that_are_gone_are_counted(project, tmp_path):
    make.export(project, tmp_path, "a", release="v1")
    Annotation.objects.get(payload__summary="One.").delete()
    report = make.read_manifest(make.export(project, tmp_path, "b", release="v1"))["release"]
    assert (report["same_as_first"], report["missing_rows"]) == (False, 1)


def test_other_options_need_another_tag(project, tmp_path):
    make.export(project, tmp_path, "a", release="v1", state="accepted")
    for options in ({"state": "latest"}, {"split": "origin"}, {"split_seed": 2}):
        with pytest.raises(Conflict) as refused:
            make.export(project, tmp_path, "b", release="v1", **options)
        assert refused.value.field == next(iter(options))
    make.export(project, tmp_path, "c", release="v1", state="accepted", split="keep")
    assert Release.objects.count() == 1


def test_a_stream_never_freezes(project):
    with pytest.raises(NotFound):
        export_lines(project=project, options=ExportOptions(release="v1"))
    assert not Release.objects.exists()


def test_a_release_of_restored_lines_rebuilds(project, tmp_path):
    path = make.export(project, tmp_path)
    other = make.create_project(slug="other", schema="macsum-doc")
    make.import_project_file(other, path)
    for options in ({}, {"state": "accepted"}):
        tag = options.get("state", "all")
        first = make.export(other, tmp_path, "a", release=tag, **options).read_bytes()
        plain = make.export(other, tmp_path, "b", **options).read_bytes()
        assert first == plain
        make.add_samples(SourceDocument.objects.filter(project=other)[0])
        make.write_one(other, make.make_person(other, "annotator1", type(project.ann)), "More.")
        assert make.export(other, tmp_path, "c", release=tag).read_bytes() == first


def test_candidates_extracted_anew_are_told(project, tmp_path):
    Candidate.objects.create(
        document=SourceDocument.objects.order_by("pk")[0], kind="topic", text="a", rank=1, extractor="x"
    )
    make.export(project, tmp_path, "a", release="v1")
    Candidate.objects.update(text="b")
    assert not make.read_manifest(make.export(project, tmp_path, "b", release="v1"))["release"]["same_as_first"]


@pytest.mark.parametrize("ids", [[], [1], [3, 4, 900, 2**40]])
def test_packed_ids_come_back(ids):
    from array import array

    assert unpack_ids(pack_ids(array("q", ids))).tolist() == ids

"""Lines tell their scores; a release keeps its own, and an export comes back with them, byte for byte."""

import json

import pytest

from annotation.models import Annotation, Score
from annotation.services.exports.exporting import ExportOptions, export_lines
from annotation.services.scores import score_jobs, score_queries
from annotation.services.sources.import_types import ImportRefused
from tests.export import factories as make
from tests.export.factories import delete_all_rows, restore_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(tmp_path, django_user_model, fake_tagger):
    result = make.news(tmp_path, n=3)
    ann = make.make_person(result, "annotator1", django_user_model)
    make.write_one(result, ann, "The council voted.")
    make.accept_annotation(make.write_one(result, ann, "Work begins in May."))
    make.skip_one(result, ann)
    result.ann = ann
    return result


def another_definition(project, fake_tagger, monkeypatch):
    """All that needs a tagger is measured again, with other results."""
    monkeypatch.setattr(fake_tagger, "id", "fake@2")
    monkeypatch.setattr(fake_tagger, "tag", lambda batch: [["CD"] * len(words) for words in batch])
    assert score_jobs.score_project(project=project)["scores"] > 0


def test_a_line_tells_its_scores_and_how_they_came_about(project, tmp_path):
    make.export(project, tmp_path, "before.jsonl")
    assert [line["metrics"] for line in make.of_task(tmp_path / "before.jsonl", "summary")] == [{}, {}, {}]
    score_jobs.score_project(project=project)
    lines = make.of_task(make.export(project, tmp_path), "summary")
    match = next(line for line in lines if line["text"] == "The council voted.")
    stored = {row.measure: row for row in Score.objects.filter(target_id=Annotation.objects.order_by("pk")[0].pk)}
    assert match["metrics"] == {
        "profile": "release",
        "eps_policy": "release",
        "length": {"value": 4.0, "signature": stored["length"].signature},
        "extractiveness": {"value": 0.25, "signature": stored["extractiveness"].signature},  # 1 of 2, 0 of 1
        "specificity": {"value": pytest.approx(1.5), "signature": stored["specificity"].signature},
        "topic": {"undefined": "no topic requested", "signature": stored["topic"].signature},
    }
    assert "fake@1" in match["metrics"]["specificity"]["signature"]
    assert next(line for line in lines if line["skipped"])["metrics"] == {}


@pytest.mark.db_engine
def test_an_export_with_scores_comes_back_byte_for_byte(project, tmp_path, fake_tagger, monkeypatch):
    score_jobs.score_project(project=project)
    first = make.export(project, tmp_path, "first.jsonl").read_bytes()
    assert b'"value":1.5' in first
    delete_all_rows()
    again = restore_project(tmp_path, tmp_path / "first.jsonl")
    assert make.export(again, tmp_path, "second.jsonl").read_bytes() == first
    another_definition(again, fake_tagger, monkeypatch)  # measured here too, by a definition of this site
    assert score_queries.latest_scores(again)
    assert make.export(again, tmp_path, "third.jsonl").read_bytes() == first


def test_scores_of_a_foreign_line_are_told_as_they_came(project, tmp_path):
    path = make.export(project, tmp_path)
    lines = make.read_lines(path)
    fields = {"extractiveness": {"value": 0.12345678901234568, "profile": "theirs"}, "mood": [1, None]}
    next(line for line in lines if line["task"] == "summary" and not line["skipped"])["metrics"] = fields
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    delete_all_rows()
    again = restore_project(tmp_path, path)
    score_jobs.score_project(project=again)
    assert fields in [line["metrics"] for line in make.of_task(make.export(again, tmp_path, "b.jsonl"), "summary")]


@pytest.mark.db_engine
@pytest.mark.parametrize("format", ["jsonl", "parquet"])
@pytest.mark.parametrize("state", ["latest", "accepted"])
def test_a_release_keeps_its_scores_when_all_is_measured_again(
    project, tmp_path, fake_tagger, monkeypatch, format, state
):
    score_jobs.score_project(project=project)
    make.write_one(project, project.ann, "Not measured when the list was frozen.")
    options = {"format": format, "state": state}
    first = make.export(project, tmp_path, "first", release="v1", **options).read_bytes()
    another_definition(project, fake_tagger, monkeypatch)
    again = make.export(project, tmp_path, "again", release="v1", **options)
    assert again.read_bytes() == first
    assert make.read_manifest(again)["release"]["same_as_first"]
    streamed = b"".join(export_lines(project=project, options=ExportOptions(format=format, release="v1")))
    assert streamed == first
    assert make.export(project, tmp_path, "now", **options).read_bytes() != first


def test_a_release_frozen_half_way_through_a_new_definition_rebuilds(project, tmp_path, fake_tagger, monkeypatch):
    score_jobs.score_project(project=project)
    another_definition(project, fake_tagger, monkeypatch)
    late = Annotation.objects.order_by("pk")[0]
    Score.objects.filter(target_id=late.pk, signature__contains="fake@2").delete()
    first = make.export(project, tmp_path, "first", release="v1").read_bytes()
    assert b"fake@1" in first
    assert b"fake@2" in first
    score_jobs.score_project(project=project)
    assert make.export(project, tmp_path, "again", release="v1").read_bytes() == first
    assert b"fake@1" not in make.export(project, tmp_path, "now").read_bytes()


def test_a_release_from_before_there_were_scores_still_rebuilds(project, tmp_path):
    first = make.export(project, tmp_path, "first", release="v1").read_bytes()
    release = project.releases.get()
    del release.rows["scores"]
    release.save()
    score_jobs.score_project(project=project)
    assert make.export(project, tmp_path, "again", release="v1").read_bytes() == first


def test_an_older_export_is_the_same_work_after_measuring(project, tmp_path):
    path = make.export(project, tmp_path)
    score_jobs.score_project(project=project)
    for file in (path, make.export(project, tmp_path, "measured.jsonl")):
        report = make.import_project_file(project, file)
        assert (report.references, report.duplicate) == (0, 3)
    lines = make.read_lines(path)
    next(line for line in lines if line["task"] == "summary")["title"] = "Another"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(ImportRefused, match="another line of this"):
        make.import_project_file(project, path)


def test_reading_scores_costs_one_query_per_part(project, tmp_path, django_assert_num_queries):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    def queries():
        with CaptureQueriesContext(connection) as seen:
            b"".join(export_lines(project=project))
        return len(seen)

    score_queries.signatures_now(project)
    state_before = queries()
    score_jobs.score_project(project=project)
    assert queries() == state_before + 1


def test_another_projects_scores_stay_out(project, tmp_path, django_user_model):
    other = make.news(tmp_path, slug="other")
    make.write_one(other, make.make_person(other, "annotator2", django_user_model), "Elsewhere.")
    make.write_one(project, project.ann, "After the other.")
    score_jobs.score_project(project=other)
    lines = make.of_task(make.export(project, tmp_path), "summary")
    assert {json.dumps(line["metrics"]) for line in lines} == {"{}"}
    assert len(score_queries.latest_scores(other)) == 1
    assert score_queries.latest_scores(project) == {}

"""Verdicts in the export: on the line of their revision, kept by a round trip, and fixed in a release."""

import json

import pytest

from annotation.models import Annotation, Inspection, InspectionSample
from annotation.services.exports import exporting
from annotation.services.exports.exporting import ExportOptions
from annotation.services.people.projects import create_project
from tests.export import factories as make
from tests.export.factories import delete_all_rows
from tests.inspection.factories import WEEK, hand_in, make_small_project, save_inspection, submit_summaries, verdict

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]


@pytest.fixture
def scene():
    project, (writer,), (first, second) = make_small_project(groups=1, size=2)
    (annotation,) = submit_summaries(project, writer)
    return project, writer, first, second, annotation


def lines(project, **options):
    text = b"".join(exporting.export_lines(project=project, options=ExportOptions(**options)))
    return [row for row in map(json.loads, text.splitlines()) if row["task"] == "summary"]


def test_a_line_tells_the_verdicts_on_its_revision(scene):
    project, _writer, first, _second, annotation = scene
    assert lines(project)[0]["inspection"] == []
    save_inspection(annotation, first, verdict="revise", topic="accept", comment="Say it in numbers.")
    (answer,) = lines(project)[0]["inspection"]
    assert answer["verdicts"] == verdict("revise", topic="accept")["verdicts"]
    assert (answer["verdict"], answer["second"], answer["comment"], answer["comments"]) == (
        "revise",
        False,
        "Say it in numbers.",
        [],
    )
    assert answer["reviewer"] != lines(project)[0]["annotator"] and first.username not in json.dumps(answer)
    hand_in(annotation.assignment, summary="Better.")
    assert [(row["revision"], row["inspection"]) for row in lines(project)] == [(2, [])]


def test_both_looks_are_told_the_deciding_one_first(scene):
    project, writer, first, other_second, annotation = scene
    for second in (False, True):
        InspectionSample.objects.create(
            project=project, annotation=annotation, annotator=writer, week=WEEK, seed="s", second=second
        )
    save_inspection(annotation, first)
    save_inspection(annotation, other_second, verdict="reject")
    inspection = lines(project, state="accepted")[0]["inspection"]
    assert [(row["verdict"], row["second"]) for row in inspection] == [("accept", False), ("reject", True)]


def test_a_release_keeps_the_verdicts_it_was_frozen_with(scene, tmp_path):
    project, writer, first, other_second, annotation = scene
    for second in (False, True):
        InspectionSample.objects.create(
            project=project, annotation=annotation, annotator=writer, week=WEEK, seed="s", second=second
        )
    save_inspection(annotation, first)
    path = tmp_path / "one.jsonl"
    exporting.export_to(project=project, path=path, options=ExportOptions(release="v1"))
    save_inspection(annotation, other_second, verdict="reject")
    assert len(lines(project)[0]["inspection"]) == 2
    again = b"".join(exporting.export_lines(project=project, options=ExportOptions(release="v1")))
    assert again == path.read_bytes()


def test_verdicts_survive_the_way_through_an_empty_database(scene, tmp_path):
    project, _writer, first, _second, annotation = scene
    save_inspection(annotation, first, verdict="revise", comment="Ж 🚢 “quoted”")
    path = tmp_path / "news.jsonl"
    exporting.export_to(project=project, path=path)
    Inspection.objects.all().delete()
    delete_all_rows()
    other = create_project(slug="news", schema="macsum-doc")
    make.import_project_file(other, path)
    assert Annotation.objects.get().origin == "restored"
    assert Inspection.objects.count() == 0  # their reviewers are people of another site
    # The first line tells of the project and its versions; all others come back byte for byte.
    again = b"".join(exporting.export_lines(project=other))
    assert again.split(b"\n")[1:] == path.read_bytes().split(b"\n")[1:]

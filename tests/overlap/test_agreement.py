"""How far the annotators of one sample agree: on its page, in the API and in the statistics."""

from unittest.mock import patch

import pytest
from django.urls import reverse

from annotation.jobs import run_job
from annotation.models import Annotation, Slot, SourceDocument
from annotation.services import statistics as statistics_service
from annotation.services.overlap import marks as overlap_marks
from annotation.services.sources.import_types import ImportRefused
from annotation.services.statistics.building import build_statistics
from epitome.formats.epitome1 import dump_line
from tests.export import factories as make
from tests.overlap.factories import newest_annotation, written_by

pytestmark = pytest.mark.django_db


def mark(attempt, segments, spans=(), text="The ferry left late."):
    annotation = newest_annotation(attempt)
    Annotation.objects.filter(pk=annotation.pk).update(
        payload={**annotation.payload, "relevant_segments": segments, "spans": list(spans), "summary": text}
    )


def values_of(sample):
    compared = overlap_marks.compare_summaries(overlap_marks.find_sample(sample.project, sample.public_id))
    return {value.key: value for value in compared.agreement}


def span(segment, start, end):
    return {"segment": segment, "start": start, "end": end, "quote": "x"}


def test_a_sample_says_how_far_its_annotators_marked_the_same():
    _project, sample, attempts, _reviewers = written_by(2)
    mark(attempts[0], [0, 1], [span(0, 0, 3)], "the boat left")
    mark(attempts[1], [1, 2], [span(0, 0, 3)], "the late boat")
    values = values_of(sample)
    assert values["segments_f1"].value == pytest.approx(0.5)
    assert values["words_f1"].value == 1
    assert values["words_alpha"].value == 1
    assert values["rouge_l"].value == pytest.approx(2 / 3)


def test_a_span_marks_every_word_that_it_touches():
    _project, sample, attempts, _reviewers = written_by(2)
    words = sample.document.source_text.segments[0]["text"].split()
    assert len(words[0]) > 1
    mark(attempts[0], [0], [span(0, 0, 1)])
    mark(attempts[1], [0], [span(0, 0, len(words[0]) + 2)])
    assert values_of(sample)["words_f1"].value == pytest.approx(2 / 3)


def test_what_nobody_marked_is_undefined_with_a_reason():
    _project, sample, attempts, _reviewers = written_by(2)
    for attempt in attempts:
        mark(attempt, [0], [])
    assert values_of(sample)["words_f1"].undefined == "nobody marked anything"


def test_a_text_requested_because_of_disagreement_does_not_count():
    project, sample, attempts, _reviewers = written_by(3)
    mark(attempts[0], [0])
    mark(attempts[1], [0])
    mark(attempts[2], [1])
    assert values_of(sample)["segments_f1"].value == pytest.approx(1 / 3)
    Slot.objects.filter(pk=attempts[2].slot_id).update(extra=True)
    assert values_of(sample)["segments_f1"].value == 1
    row = rows_of(build_statistics(project))["Segments, pairwise F1"]
    assert (row["value"], row["n"]) == (1, 1)


def test_a_requested_text_is_marked_in_exports_and_does_not_count_in_a_restored_project_either(
    tmp_path, django_user_model
):
    project = make.create_project(slug="news", schema="macsum-doc", overlap=3)
    make.import_rows(project, tmp_path, [make.row(1, "It rained.\n\nA storm closed the channel.")])
    make.add_samples(SourceDocument.objects.get(project=project), n=1, overlap=3)
    for number, segment in enumerate((0, 0, 1), 1):
        person = make.make_person(project, f"annotator{number}", django_user_model)
        written = make.write_one(project, person, relevant_segments=[segment])
    Slot.objects.filter(pk=written.assignment.slot_id).update(extra=True)
    first = make.export(project, tmp_path, "first.jsonl")
    lines = make.of_task(first, "summary")
    marks = [(line["relevant_segments"], line.get("extra", "absent")) for line in lines]
    assert marks == [([[0, 0]], "absent"), ([[0, 0]], "absent"), ([[1, 1]], True)]
    copy = make.restore_project(tmp_path, first, slug="copy")
    row = rows_of(build_statistics(copy))["Segments, pairwise F1"]
    assert (row["value"], row["n"]) == (1, 1)
    again = make.of_task(make.export(copy, tmp_path, "again.jsonl"), "summary")
    assert [{**line, "project": "news", "metrics": {}} for line in again] == lines


def test_whether_a_text_was_requested_must_be_true_or_false(tmp_path):
    project, _sample, _attempts, _reviewers = written_by(2)
    path = make.export(project, tmp_path)
    lines = make.read_lines(path)
    lines[-1]["extra"] = "yes"
    path.write_bytes(b"".join(map(dump_line, lines)))
    with pytest.raises(ImportRefused, match="extra: must be true or false"):
        make.restore_project(tmp_path, path, slug="copy")


def rows_of(result):
    view = result["views"][result["which"][statistics_service.Filter().key]]
    table = next(section["table"] for section in view["sections"] if section["table"]["key"] == "markings")
    return {row[0]["value"]: row[1] for row in table["rows"]}


def test_the_statistics_have_means_over_samples_and_say_how_many():
    project, _sample, attempts, _reviewers = written_by(2)
    mark(attempts[0], [0, 1])
    mark(attempts[1], [1, 2])
    rows = rows_of(build_statistics(project))
    assert (rows["Segments, pairwise F1"]["value"], rows["Segments, pairwise F1"]["n"]) == (pytest.approx(0.5), 1)
    assert rows["Words in spans, pairwise F1"]["undefined"] == "nobody marked anything"


def test_statistics_without_overlap_have_no_such_table():
    project, _sample, _attempts, _reviewers = written_by(1)
    result = build_statistics(project)
    view = result["views"][result["which"][statistics_service.Filter().key]]
    assert "markings" not in [section["table"]["key"] for section in view["sections"]]


def test_page_and_api_show_the_agreement(client, settings):
    project, sample, attempts, (reviewer,) = written_by(2)
    mark(attempts[0], [0, 1])
    mark(attempts[1], [1, 2])
    client.force_login(reviewer)
    page = client.get(reverse("overlap-compare", args=[project.slug, sample.public_id])).content.decode()
    assert "Segments, pairwise F1" in page
    assert ".50" in page
    assert "nobody marked anything" in page
    body = client.get(reverse("api-overlap", args=[sample.public_id])).json()
    assert body["agreement"]["segments_f1"] == {"value": pytest.approx(0.5), "undefined": ""}
    assert body["agreement"]["words_alpha"] == {"value": None, "undefined": "nobody marked anything"}


def test_the_list_shows_the_table_of_the_newest_statistics(client):
    project, _sample, attempts, (reviewer,) = written_by(2)
    mark(attempts[0], [0, 1])
    mark(attempts[1], [1, 2])
    client.force_login(reviewer)
    address = reverse("overlap", args=[project.slug])
    assert "Segments, pairwise F1" not in client.get(address).content.decode()
    with patch("annotation.jobs.running.close_old_connections"):
        assert run_job(statistics_service.start_statistics(project=project, by=None).pk)
    assert "Segments, pairwise F1" in client.get(address).content.decode()

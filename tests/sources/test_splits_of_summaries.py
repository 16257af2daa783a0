"""Datasets that are split by summary: a paper in train may have a summary in test, and each keeps its own split."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.jobs import NoProgress
from annotation.models import Role, Sample, SourceDocument
from annotation.services.exports.exporting import ExportOptions, export_to
from annotation.services.people.projects import create_project
from annotation.services.sources.splits import ImportedSplits, find_crossings
from annotation.services.statistics.records import load_records
from modelbridge.models import SystemOutput
from modelbridge.services.construction.set_tables import count_sets
from modelbridge.services.runs.sample_selection import list_samples, splits_of
from modelbridge.services.training.training import count_summaries
from tests.sources.ccsbench_files import write_files
from tests.tasks.factories import make_people, make_tokens

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]
ALL_FOUR = "focus,keywords,length,readability"


@pytest.fixture
def papers(tmp_path):
    """Three files, imported one after the other: the first paper is in train and test, the second in train and dev."""
    project = create_project(slug="papers", schema="ccsbench")
    files = write_files(tmp_path)
    for name in ("readability/train.csv", "focus/val.csv", "compositional/test.csv"):
        call_command(
            "import_sources", "papers", str(files[name]), "--with-references", "--map", "auto", "--add-summaries",
            "--text-from", str(files["documents.jsonl"]),
        )  # fmt: skip
    return project


def splits_by_source(project):
    rows = Sample.objects.filter(project=project).order_by("document__external_id", "position")
    return [(sample.document.external_id, sample.split_name) for sample in rows.select_related("document")]


def test_a_run_over_a_split_takes_the_summaries_of_that_split(papers):
    assert splits_by_source(papers) == [
        *[("2401.00001", split) for split in ("train", "train", "test", "test")],
        *[("2401.00002", split) for split in ("train", "dev", "dev")],
    ]
    assert splits_of(papers) == ["dev", "test", "train"]
    assert [len(list_samples(papers, split)) for split in ("train", "dev", "test")] == [3, 2, 2]
    assert len(list_samples(papers, "test", ALL_FOUR)) == 2 and list_samples(papers, "train", ALL_FOUR) == []


def test_sizes_training_and_statistics_count_each_summary_in_its_own_split(papers):
    assert {place: count.summaries for place, count in count_sets(papers).items()} == {
        ("readability", "train"): 3,
        ("focus", "dev"): 2,
        ("compositional", "test"): 2,
    }
    assert count_summaries(papers) == {"train": 3, "dev": 2}
    records, _samples = load_records(papers, NoProgress())
    assert sorted(record.sample.split for record in records) == ["dev"] * 2 + ["test"] * 2 + ["train"] * 3


def test_papers_in_two_splits_are_reported(papers):
    assert find_crossings(project=papers, splits=ImportedSplits()) == {
        "origins": 2,
        "listed": [
            {"origin_id": "2401.00001", "splits": ["test", "train"]},
            {"origin_id": "2401.00002", "splits": ["dev", "train"]},
        ],
    }


def test_an_export_has_the_split_of_each_line_and_comes_back_the_same(papers, tmp_path):
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    manifest = export_to(project=papers, path=first, options=ExportOptions())
    lines = [json.loads(line) for line in first.read_text().splitlines()]
    assert [line["split"] for line in lines if line["task"] == "summary"] == [
        "train", "train", "test", "test", "train", "dev", "dev",
    ]  # fmt: skip
    assert manifest["counts"]["by_split"] == {
        "dev": {"summaries": 2},
        "test": {"summaries": 2},
        "train": {"sources": 2, "summaries": 3},
    }
    copy = create_project(slug="copy", schema="ccsbench")
    call_command("import_sources", "copy", str(first))
    export_to(project=copy, path=second, options=ExportOptions())
    assert second.read_bytes().replace(b'"project":"copy"', b'"project":"papers"') == first.read_bytes()
    assert splits_by_source(copy) == splits_by_source(papers)


def test_splits_drawn_by_origin_put_a_paper_with_all_its_summaries_into_one(papers, tmp_path):
    path = tmp_path / "drawn.jsonl"
    export_to(project=papers, path=path, options=ExportOptions(split_seed=1))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    split_of_source = {line["source_id"]: line["split"] for line in lines if line["task"] == "source"}
    assert all(line["split"] == split_of_source[line["source_id"]] for line in lines if line["task"] == "summary")


@pytest.fixture
def predictions(tmp_path):
    def write(*lines):
        path = tmp_path / "predictions.jsonl"
        path.write_text("".join(json.dumps({"prediction": "A text.", **line}) + "\n" for line in lines))
        return path

    return write


def named_file(path):
    return SimpleUploadedFile("predictions.jsonl", path.read_bytes())


def upload(capsys, path, *arguments):
    call_command("upload_predictions", "papers", str(path), "--system", "abs", "--json", *arguments)
    return json.loads(capsys.readouterr().out)


def test_predictions_for_a_file_are_never_taken_for_summaries_of_another_split(papers, predictions, capsys, client):
    """By the test file alone its first paper has the samples 0 and 1; in the project these are samples of train."""
    by_file = predictions({"sample_id": "2401.00001#0"}, {"sample_id": "2401.00001#1"})
    with pytest.raises(CommandError, match=r"splits of their own.*Choose the split of the file"):
        upload(capsys, by_file)
    with pytest.raises(CommandError, match="is no sample of the list"):
        upload(capsys, by_file, "--split", "test")
    (researcher,) = make_people(1, papers, Role.RESEARCHER)
    client.force_login(researcher)
    values = {"system": "abs", "split": "", "name": "", "label": ""}
    answer = client.post("/p/papers/runs/upload/", {**values, "file": named_file(by_file)})
    assert answer.status_code == 422
    assert "Choose the split of the file" in answer.content.decode()
    token = make_tokens([researcher])[0]
    answer = Client(headers={"Authorization": f"Token {token}"}).post(
        reverse("api-run-upload", args=["papers"]), {"file": named_file(by_file), "system": "abs"}
    )
    assert answer.status_code == 422
    assert "Choose the split of the file" in answer.content.decode()

    result = predictions({"sample_id": "2401.00001#0", "split": "test"})
    with pytest.raises(CommandError, match="not that of the sample, which is in the split train"):
        upload(capsys, result)
    assert not SystemOutput.objects.exists()


def test_predictions_with_their_split_are_stored_by_id_or_by_place(papers, predictions, capsys):
    by_id = predictions({"sample_id": "2401.00001#2", "split": "test"}, {"sample_id": "2401.00002#0", "split": "train"})
    assert upload(capsys, by_id)["samples"] == 2
    rows = SystemOutput.objects.order_by("pk").values_list("sample__document__external_id", "sample__position")
    assert list(rows) == [("2401.00001", 2), ("2401.00002", 0)]
    by_place = predictions({}, {"prediction": "Another."})
    assert upload(capsys, by_place, "--split", "test")["samples"] == 2
    assert list(rows.all())[2:] == [("2401.00001", 2), ("2401.00001", 3)]


def test_places_over_several_splits_are_refused_where_they_leave_samples_out(papers, predictions, capsys):
    Sample.objects.update(split="")
    SourceDocument.objects.filter(external_id="2401.00001").update(split="train")
    SourceDocument.objects.filter(external_id="2401.00002").update(split="test")
    with pytest.raises(CommandError, match="several splits: choose the split of the file"):
        upload(capsys, predictions({"position": 0}))
    assert upload(capsys, predictions({"position": 0}), "--split", "test")["samples"] == 1
    assert SystemOutput.objects.get().sample.document.external_id == "2401.00002"

"""MACSum's JSON: what was imported goes out value for value, what was written here in the same shape."""

import json
from pathlib import Path

import pytest

from annotation.models import Assignment, AssignmentState, SourceDocument
from annotation.services.people.projects import create_project
from tests.export import factories as make

pytestmark = pytest.mark.django_db


@pytest.mark.db_engine
@pytest.mark.parametrize(("folder", "schema"), [("macdoc", "macsum-doc"), ("macdial", "macsum-dial")])
def test_the_released_dev_files_come_out_as_they_went_in(shared, tmp_path, folder, schema):
    file: Path = shared / "data" / "macsum" / folder / "val.json"
    project = create_project(slug="p", schema=schema)
    make.import_project_file(project, file, with_references=True)
    data = json.loads(file.read_bytes())
    path = make.export(project, tmp_path, "out.json", format="macsum")
    payload = json.loads(path.read_bytes())
    assert payload == data
    assert [[list(r["control_attribute"].items()) for r in item["references"]] for item in payload] == [
        [list(r["control_attribute"].items()) for r in item["references"]] for item in data
    ]
    report = make.import_project_file(project, file, with_references=True)
    assert (report.stored, report.references) == (0, 0)
    assert make.read_manifest(path)["counts"]["summaries"] == sum(len(item["references"]) for item in data)


@pytest.mark.parametrize(("folder", "schema"), [("macdoc", "macsum-doc"), ("macdial", "macsum-dial")])
def test_they_survive_jsonl_on_the_way(shared, tmp_path, folder, schema):
    file: Path = shared / "data" / "macsum" / folder / "val.json"
    project = create_project(slug="p", schema=schema)
    make.import_project_file(project, file, with_references=True)
    first = make.export(project, tmp_path, "first.jsonl")
    lines = make.of_task(first, "summary")
    assert {(line["state"], line["origin"], line["annotator"]) for line in lines} == {("imported", "import", None)}
    project.slug = "old"
    project.save(update_fields=["slug"])
    again = create_project(slug="p", schema=schema)
    make.import_project_file(again, first)
    assert make.export(again, tmp_path, "second.jsonl").read_bytes() == first.read_bytes()
    macsum = make.export(again, tmp_path, "out.json", format="macsum")
    assert json.loads(macsum.read_bytes()) == json.loads(file.read_bytes())
    report = make.import_project_file(again, file, with_references=True)
    assert (report.stored, report.references) == (0, 0)


def test_summaries_written_here_take_the_released_shape(tmp_path, django_user_model):
    project = create_project(slug="meetings", schema="macsum-dial")
    turns = [{"speaker": name, "text": f"Turn {i}."} for i, name in enumerate(["Ann", "Bo", "Ann"])]
    make.import_rows(project, tmp_path, [{"id": "m1", "segments": turns, "split": "test", "may_release_text": True}])
    document = SourceDocument.objects.get()
    make.add_samples(document, n=2)
    (expected,) = {sample.group for sample in document.samples.all()}
    expected.chosen = {"topic": ["the bridge", "costs"], "speaker": ["Ann"]}
    expected.save(update_fields=["chosen"])
    ann = make.make_person(project, "annotator1", django_user_model)
    make.write_one(project, ann, "Ann spoke.", relevant_segments=[0, [1, 2], [2, 2]])
    make.write_one(project, ann, "Again.")
    expected.chosen = {}
    expected.save(update_fields=["chosen"])
    (entry,) = json.loads(make.export(project, tmp_path, "a.json", format="macsum").read_bytes())
    assert list(entry["references"][0]["control_attribute"]) == [
        "length", "extractiveness", "specificity", "topic", "speaker",
    ]  # fmt: skip
    assert entry["references"][0]["control_attribute"]["speaker"] == ""
    expected.chosen = {"topic": ["the bridge", "costs"], "speaker": ["Ann"]}
    expected.save(update_fields=["chosen"])
    (entry,) = json.loads(make.export(project, tmp_path, "b.json", format="macsum").read_bytes())
    assert entry == {
        "metadata": {"dataset": "meetings", "split": "test", "file_id": "m1"},
        "references": [
            {
                "control_attribute": {
                    "length": "short",
                    "extractiveness": "normal",
                    "specificity": "high",
                    "topic": "the bridge , costs",
                    "speaker": "Ann",
                },
                "summary": "Ann spoke.",
                "title": "Bridge vote",
                "relevant_turns": [0, [1, 2], 2],
            },
            {
                "control_attribute": {
                    "length": "long",
                    "extractiveness": "fully",
                    "specificity": "normal",
                    "topic": "the bridge , costs",
                    "speaker": "Ann",
                },
                "summary": "Again.",
                "title": "Bridge vote",
                "relevant_turns": [0, [1, 2]],
            },
        ],
        "source": ["Ann : Turn 0.", "Bo : Turn 1.", "Ann : Turn 2."],
    }


def test_what_the_format_cannot_tell_is_left_out(tmp_path, django_user_model):
    project = make.news(tmp_path, n=4)
    ann = make.make_person(project, "annotator1", django_user_model)
    make.write_one(project, ann, "Good.")
    rejected = make.write_one(project, ann, "Rejected.")
    Assignment.objects.filter(pk=rejected.assignment_id).update(state=AssignmentState.REJECTED)
    make.skip_one(project, ann)
    ids = list(SourceDocument.objects.order_by("pk").values_list("pk", flat=True))
    SourceDocument.objects.filter(pk=ids[2]).update(damaged=True, damaged_reason="cut")
    SourceDocument.objects.filter(pk=ids[3]).update(selected=False)
    data = json.loads(make.export(project, tmp_path, "a.json", format="macsum").read_bytes())
    assert [entry["metadata"]["file_id"] for entry in data] == ["doc-0", "doc-1"]
    assert [r["summary"] for entry in data for r in entry["references"]] == ["Good."]


def test_a_withheld_text_keeps_the_ids_that_find_it_again(tmp_path):
    ids = {"dataset": "qmsum", "split": "train", "file_id": 2, "turns": [0, 1]}
    control = {"length": "short", "extractiveness": "normal", "specificity": "normal", "topic": "", "speaker": ""}
    entry = {
        "metadata": {**ids, "abstract": "Secret words."},
        "references": [{"control_attribute": control, "summary": "S.", "title": "T", "relevant_turns": [0]}],
        "source": ["Ann : Secret words.", "Bo : More of them."],
    }
    file = tmp_path / "train.json"
    file.write_text(json.dumps([entry]))
    project = create_project(slug="p", schema="macsum-dial")
    make.import_project_file(project, file, with_references=True)
    SourceDocument.objects.update(may_release_text=False)
    path = make.export(project, tmp_path, "out.json", format="macsum")
    (written,) = json.loads(path.read_bytes())
    assert (written["metadata"], written["source"]) == (ids, [])
    assert "Secret" not in path.read_text()


def test_metadata_that_only_have_the_names_of_ids_are_withheld(tmp_path):
    rows = [{"id": "m1", "text": "A text of words.", "file_id": "It is a sentence of the text.", "turns": ["A turn."]}]
    project = create_project(slug="p", schema="macsum-doc")
    make.import_rows(project, tmp_path, rows)
    SourceDocument.objects.update(may_release_text=False)
    assert json.loads(make.of_task(make.export(project, tmp_path, "a.jsonl"), "source")[0]["metadata"]) == {}

"""Other programs load what the export writes: pandas and pyarrow, JSON lines and Parquet."""

import json

import pytest

from annotation.models import SourceDocument
from epitome.schema import preset_text
from tests.export import factories as make

pytestmark = pytest.mark.django_db

SIXTH = """
[[attribute]]
key = "formality"
label = "Formality"
code = "For"
kind = "ordinal"
values = ["plain", "formal"]
guide = "How formal the summary is."
"""


@pytest.fixture
def project(tmp_path, django_user_model):
    other_project = make.create_project(slug="news", schema_text=preset_text("macsum-doc") + SIXTH)
    make.import_rows(
        other_project, tmp_path, [make.row(i, f"Report {i}, 🌉 cafe\u0301. It rained.", split="dev") for i in range(3)]
    )
    first, second, third = SourceDocument.objects.order_by("pk")
    for sample in make.add_samples(first):
        sample.values["formality"] = "formal"
        sample.save(update_fields=["values"])
    make.add_samples(second, asks=("topic",))
    make.add_samples(third)
    SourceDocument.objects.filter(pk=third.pk).update(may_release_text=False)
    ann = make.make_person(other_project, "annotator1", django_user_model)
    make.write_one(other_project, ann, "Ünïcode\nsummary 🌉.", relevant_segments=[0, [0, 1]])
    make.skip_one(other_project, ann)
    make.write_one(other_project, ann, "Second.", relevant_segments=[1])
    return other_project


def test_pandas_loads_the_json_lines(project, tmp_path):
    import pandas

    path = make.export(project, tmp_path)
    frame = pandas.read_json(path, lines=True)
    assert frame["task"].tolist() == ["project", "source", "summary", "summary", "source", "summary", "source"]
    value = frame[(frame["task"] == "summary") & (frame["skipped"] == 0)]
    assert value["text"].tolist() == ["Ünïcode\nsummary 🌉.", "Second."]
    sources = frame[frame["task"] == "source"].merge(value, on="source_id", suffixes=("", "_of_summary"))
    assert len(sources) == 2


def test_pyarrow_loads_the_json_lines(project, tmp_path):
    import pyarrow.json

    table = pyarrow.json.read_json(make.export(project, tmp_path))
    assert table.num_rows == 7
    rows = table.select(["task", "text", "relevant_segments", "attributes"]).to_pylist()
    assert rows[2]["relevant_segments"] == [[0, 0], [0, 1]]
    assert rows[2]["attributes"]["formality"] == "formal"
    assert rows[5]["attributes"]["topic"] == ["bridge"]


@pytest.mark.db_engine
def test_parquet_holds_the_same_lines(project, tmp_path):
    import pandas
    import pyarrow.parquet

    lines = make.read_lines(make.export(project, tmp_path))[1:]
    path = make.export(project, tmp_path, "out.parquet", format="parquet")
    rows = pyarrow.parquet.read_table(path).to_pylist()
    assert len(rows) == len(lines) == make.read_manifest(path)["counts"]["sources"] + 3
    for line, row in zip(lines, rows, strict=True):
        for key in ("task", "source_id", "split", "text", "title", "annotator", "revision", "state", "n_words"):
            assert row[key] == line.get(key)
        for key in ("segments", "relevant_segments", "spans", "group", "times", "flags"):
            assert (json.loads(row[key]) if row[key] is not None else None) == line.get(key)
    summaries = [row for row in rows if row["task"] == "summary"]
    assert [row["attribute_length"] for row in summaries] == ["short", "long", "short"]
    assert [row["attribute_formality"] for row in summaries] == ["formal", "formal", None]
    assert [row["attribute_topic"] for row in summaries] == [None, None, ["bridge"]]
    frame = pandas.read_parquet(path)
    assert frame["task"].tolist() == [line["task"] for line in lines]
    assert frame[frame["task"] == "summary"]["skipped"].tolist() == [False, True, False]


def test_a_sixth_attribute_comes_back_with_its_schema(project, tmp_path):
    path = make.export(project, tmp_path)
    project.slug = "old"
    project.save(update_fields=["slug"])
    again = make.create_project(slug="news", schema="macsum-doc")
    make.import_project_file(again, path)
    assert again.schema_version.schema.attribute("formality").values == ("plain", "formal")
    assert make.export(again, tmp_path, "again.jsonl").read_bytes() == path.read_bytes()

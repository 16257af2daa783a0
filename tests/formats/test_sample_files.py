"""One reader of samples: any schema, in MACSum's shape, Epitome's own export, and tables with mapped columns."""

import json

import pytest

from epitome.formats.reading import input_file
from epitome.formats.sample_files import SampleFault, SampleFileOptions, load_schema_option, read_samples
from epitome.schema import load_preset, preset_text
from tests.formats import papers_tables as papers

CCSBENCH = load_preset("ccsbench")
SHAPES = {
    "test.csv": papers.as_csv(),
    "test.jsonl": papers.as_json_lines(),
    "test.json": papers.as_macsum(),
    "export.jsonl": papers.as_epitome1(),
}


def read(tmp_path, name, text, **options):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return list(read_samples(input_file(path), SampleFileOptions(**options)))


def samples_of(groups):
    return [sample for group in groups for sample in group.samples]


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_gives_the_same_requests_and_summaries(tmp_path, name):
    groups = read(tmp_path, name, SHAPES[name], schema=CCSBENCH)
    samples = {sample.reference.summary: dict(sample.values) for sample in samples_of(groups)}
    expected = {row["summary"]: request for row, request in zip(papers.ROWS, papers.REQUESTS, strict=True)}
    assert samples == expected
    assert {group.schema.key for group in groups} == {"ccsbench"}
    assert {group.record.external_id.rpartition("-")[2] for group in groups} == {"p1", "p2"}


def test_parquet_is_read_as_other_tables_are(tmp_path):
    from epitome.formats.parquet import write_parquet

    path = tmp_path / "test.parquet"
    rows = [{"keywords": None, **row} for row in papers.rows()]
    write_parquet(path, [{**dict.fromkeys(papers.COLUMNS), **row} for row in rows])
    groups = list(read_samples(input_file(path), SampleFileOptions(CCSBENCH, mapping=papers.MAPPING)))
    assert [dict(sample.values) for sample in samples_of(groups)] == papers.REQUESTS


def test_the_order_of_a_table_is_kept_and_its_sources_come_again(tmp_path):
    groups = read(tmp_path, "test.csv", SHAPES["test.csv"], schema=CCSBENCH, mapping=papers.MAPPING)
    assert [group.number for group in groups] == [0, 1, 0]
    assert [sample.sample_id for sample in samples_of(groups)] == ["p1#0", "p2#0", "p1#1"]
    assert [sample.split for sample in samples_of(groups)] == ["test"] * 3


def test_an_export_names_its_preset_and_leaves_out_what_nobody_uses(tmp_path):
    groups = read(tmp_path, "export.jsonl", papers.as_epitome1())
    assert [sample.reference.summary for sample in samples_of(groups)] == [row["summary"] for row in papers.ROWS]
    with pytest.raises(SampleFault, match=r"own\.jsonl, line 3.*schema\.preset.*--preset"):
        read(tmp_path, "own.jsonl", papers.as_epitome1("mine"))


def test_an_id_with_another_text_is_a_fault_with_both_lines(tmp_path):
    text = papers.as_csv() + "p1,Another text.,A summary.,0,,,\n"
    with pytest.raises(SampleFault, match=r"test\.csv, line 5, id: has the id of line 2 with another text"):
        read(tmp_path, "test.csv", text, schema=CCSBENCH, mapping=papers.MAPPING)


@pytest.mark.parametrize(
    ("name", "text", "options", "said"),
    [
        ("t.csv", SHAPES["test.csv"], {}, "is a table: say with --preset"),
        ("t.csv", "id,text\n1,Some words.\n", {"schema": CCSBENCH}, "no column that is read as the summary"),
        ("t.csv", SHAPES["test.csv"].replace("0-50", "many"), {"schema": CCSBENCH, "mapping": papers.MAPPING},
         r"line 2, length: .*many.* is not one of"),
        ("t.csv", SHAPES["test.csv"], {"schema": CCSBENCH, "mapping": {"gist": "summary"}}, "'gist' is no field"),
        ("t.csv", SHAPES["test.csv"], {"schema": CCSBENCH, "mapping": {**papers.MAPPING, "attribute:lenght": "x"}},
         "'lenght' is no attribute of the schema; it has length, keywords, readability, focus"),
        ("t.json", SHAPES["test.json"].replace("0-50", "many"), {"schema": CCSBENCH},
         r"line 1, column \d+, references\[0\]\.control_attribute\.length: .*many"),
        ("t.json", SHAPES["test.json"].replace('"budgets , towns"', "7"), {"schema": CCSBENCH},
         r"control_attribute\.keywords: must be text"),
        ("t.jsonl", SHAPES["export.jsonl"].replace('"high"', '"none"'), {}, r"line 4.*attributes\.readability"),
        ("m.jsonl", json.dumps({"meeting_transcripts": [], "topic_list": []}), {}, "only meetings"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_line_with_its_place(tmp_path, name, text, options, said):
    with pytest.raises(SampleFault, match=said) as fault:
        read(tmp_path, name, text, **options)
    assert str(fault.value).startswith(name)


@pytest.mark.parametrize(
    ("cell", "keywords"),
    [
        ('["budgets", "towns, roofs"]', ("budgets", "towns, roofs")),
        ("['budgets', 'towns']", ("budgets", "towns")),
        ("budgets;towns", ("budgets", "towns")),
        ("budgets, towns", ("budgets, towns",)),
        ("[broken", ("[broken",)),
    ],
)
def test_lists_in_a_cell(tmp_path, cell, keywords):
    row = {"id": "a", "text": "Some words.", "summary": "Words.", "keywords": cell}
    (sample,) = samples_of(read(tmp_path, "t.jsonl", json.dumps(row) + "\n", schema=CCSBENCH))
    assert sample.values["keywords"] == keywords


def test_numbers_of_tables_and_other_letters_are_the_schema_s_values(tmp_path):
    lines = "id,text,summary,length,readability\na,Some words.,Words.,0.0,High\n"
    (sample,) = samples_of(read(tmp_path, "t.csv", lines, schema=CCSBENCH))
    assert dict(sample.values) == {"length": "0", "readability": "high"}


def test_a_schema_is_a_preset_or_a_file(tmp_path):
    result = tmp_path / "own.toml"
    result.write_text(preset_text("ccsbench").replace('key = "ccsbench"', 'key = "own"'))
    assert load_schema_option("macsum-doc").key == "macsum-doc"
    assert load_schema_option(str(result)).key == "own"
    for name in ("led", str(tmp_path / "none.toml")):
        with pytest.raises(ValueError, match="neither one of macsum-doc"):
            load_schema_option(name)

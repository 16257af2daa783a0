"""`measure` for other schemas than MACSum's: CCSBench's columns, and what a sample does not ask for is left out."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from epitome.metrics.ccsbench_scores import length_bin, n_words
from epitome.schema import preset_text
from tests.formats import papers_tables as papers
from tests.metrics.macsum_small import entries, write

SHAPES = {
    "test.csv": papers.as_csv(),
    "test.jsonl": papers.as_json_lines(),
    "test.json": papers.as_macsum(),
    "export.jsonl": papers.as_epitome1(),
}
SUMMARIES = [row["summary"] for row in papers.ROWS]


def measured(*words):
    out = io.StringIO()
    call_command("measure", *map(str, words), stdout=out)
    return out.getvalue()


def as_object(*words):
    return json.loads(measured(*words, "--json"))


@pytest.fixture(params=SHAPES)
def file(request, tmp_path):
    path = tmp_path / request.param
    path.write_text(SHAPES[request.param], encoding="utf-8")
    return path


def test_every_shape_gives_the_same_numbers(file, tmp_path):
    table = tmp_path / "same.csv"
    table.write_text(SHAPES["test.csv"])
    expected = as_object(table, "--preset", "ccsbench")
    report = as_object(file, "--preset", "ccsbench")
    assert {**report, "signature": ""} == {**expected, "signature": ""}
    assert (report["samples"], report["sources"]) == (3, 2)
    assert report["sr"] == 1  # both keywords of the one sample that asks for some
    assert set(report["f"]) == {"length", "keywords", "readability"}
    assert "mad" not in report and "f1" not in report
    assert "schema:ccsbench" in report["signature"]


def test_a_table_that_is_not_utf8_is_measured_and_its_encoding_is_said(tmp_path, capsys):
    table = tmp_path / "t.csv"
    text = "Die Bürger von Köln müssen für die Straße zahlen, sagte der Bürgermeister am Montag."
    content = f"Kennung;Text;Zusammenfassung;length\r\na;{text};Köln zahlt für die Straße.;short\r\n"
    table.write_bytes(content.encode("cp1252"))
    report = as_object(table, "--preset", "macsum-doc")
    said = capsys.readouterr().err
    assert report["samples"] == 1
    assert "t.csv: read as Windows-1252; name another with --encoding if letters are wrong" in said
    as_object(table, "--preset", "macsum-doc", "--encoding", "windows-1252")
    assert "read as" not in capsys.readouterr().err
    table.write_text(content, encoding="utf-8")
    assert as_object(table, "--preset", "macsum-doc")["f"] == report["f"]


def test_predictions_have_the_columns_of_the_paper(tmp_path):
    file = write(tmp_path, SHAPES["test.csv"], "test.csv")
    texts = [SUMMARIES[0], "word " * 120, SUMMARIES[2]]
    predictions = write(tmp_path, "".join(json.dumps(text) + "\n" for text in texts), "p.jsonl")
    report = as_object(file, "--preset", "ccsbench", "--predictions", predictions)
    # Two samples ask for a length, the longer text for the longer bin.
    assert report["mad"] == pytest.approx(length_bin(n_words(texts[1])) / 2)
    assert report["pcc"] == pytest.approx(1)
    assert report["sr"] == 1
    assert report["rouge"]["rougeL"] == pytest.approx(2 / 3)
    assert {"f_normal", "f_high", "f_gap"} <= set(report)
    assert "uniform" in report["signature"]  # keywords and readability have no released epsilon
    gold = as_object(
        file, "--preset", "ccsbench", "--predictions",
        write(tmp_path, "".join(json.dumps(text) + "\n" for text in SUMMARIES), "g.jsonl"),
    )  # fmt: skip
    assert gold["mad"] == 0 and set(gold["cer"].values()) == {0}


def test_numbers_of_an_attribute_are_of_the_samples_that_ask_for_it(tmp_path):
    file = write(tmp_path, SHAPES["test.csv"], "test.csv")
    lines = [SUMMARIES[0], SUMMARIES[1], "word " * 240]  # the third sample asks for no length
    predictions = write(tmp_path, "".join(json.dumps(text) + "\n" for text in lines), "p.jsonl")
    report = as_object(file, "--preset", "ccsbench", "--predictions", predictions, "--bootstrap", "10")
    assert report["mad"] == 0 and report["cer"]["length"] == 0
    assert report["n"]["cer"] == {"length": 2, "keywords": 1, "readability": 2}
    assert report["n"]["papers"] == {
        "mad": 2, "pcc": 2, "sr": 1, "f_normal": 1, "f_high": 1, "f_gap": 2,
    }  # fmt: skip


def test_labels_of_a_judge_give_f1(tmp_path):
    file = write(tmp_path, SHAPES["test.csv"], "test.csv")
    labels = write(tmp_path, 'null\n"low"\n{"label": "empirical"}\n', "labels.jsonl")
    text = measured(file, "--preset", "ccsbench", "--labels", labels)
    assert "F1 of focus, macro" in text and "F1 of focus, low" in text
    report = as_object(file, "--preset", "ccsbench", "--labels", labels)
    assert report["f1_high"] == 1 and "f1_low" not in report and "f1" not in report  # nobody asks for low
    beside = write(
        tmp_path,
        "".join(json.dumps({"prediction": "Text.", "judged_focus": "low"}) + "\n" for _ in SUMMARIES),
        "p.jsonl",
    )
    assert "F1 of focus" in measured(file, "--preset", "ccsbench", "--predictions", beside)
    wrong = write(tmp_path, '"low"\n"never"\nnull\n', "wrong.jsonl")
    with pytest.raises(CommandError, match=r"wrong\.jsonl, line 2.*low, high"):
        measured(file, "--preset", "ccsbench", "--labels", wrong)
    few = write(tmp_path, '"low"\n', "few.jsonl")
    with pytest.raises(CommandError, match=r"1 labels, but .* has 3 samples"):
        measured(file, "--preset", "ccsbench", "--labels", few)


def test_the_table_names_the_schema_and_its_values(file):
    text = measured(file, "--preset", "ccsbench")
    assert "Schema: CCSBench papers." in text
    assert "Length 0 to 50 words" in text
    assert "SR of keywords" in text
    assert "nan" not in text.lower() and "MACSum" not in text


def test_a_schema_file_and_mapped_columns(tmp_path):
    schema = write(tmp_path, preset_text("ccsbench").replace('key = "ccsbench"', 'key = "own"'), "own.toml")
    renamed = SHAPES["test.csv"].replace("paper,body,summary,length", "doc,content,gist,bin")
    file = write(tmp_path, renamed, "own.csv")
    columns = "id=doc,text=content,summary=gist,attribute:length=bin"
    report = as_object(file, "--preset", schema, "--map", columns)
    assert report["samples"] == 3 and list(report["f"]) == ["length"]
    with pytest.raises(CommandError, match="not FIELD=COLUMN") as refusal:
        measured(file, "--preset", schema, "--map", "doc")
    assert refusal.value.returncode == 2
    with pytest.raises(CommandError, match="neither one of macsum-doc"):
        measured(file, "--preset", "led")


def test_macsum_s_own_preset_is_the_default(tmp_path):
    small = write(tmp_path, entries())
    assert as_object(small, "--preset", "macsum-doc") == as_object(small)


def test_files_of_one_schema_are_pooled(tmp_path):
    first, second = write(tmp_path, SHAPES["test.csv"], "a.csv"), write(tmp_path, SHAPES["test.json"], "b.json")
    report = as_object(first, second, "--preset", "ccsbench")
    assert report["pooled"]["samples"] == 6
    assert report["pooled"]["sr"] == 1

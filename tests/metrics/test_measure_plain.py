"""`measure` of tables in which nothing is requested: texts, summaries, outputs, in any combination."""

import csv
import io
import json

import pytest

from epitome.cli.main import main
from epitome.measures import SourceIndex, measure_summary, spacy_tagger
from epitome.metrics import rouge

TEXTS = (
    "The council met on Monday. It raised the budget for roads by 3 percent. Two members voted against it.",
    "A storm hit the coast on Friday night. Forty houses lost power. Crews repaired the lines by noon.",
)
SUMMARIES = ("The council raised the budget.", "A storm cut power to 40 houses; crews repaired it by noon.")
OUTPUTS = ("The council met on Monday.", "A storm hit the coast.")


@pytest.fixture
def measured(capsys):
    """measured(words) -> (status, stdout, the last line of stderr)"""

    def run(*words):
        status = main(["measure", *map(str, words)])
        out, err = capsys.readouterr()
        return status, out, err.splitlines()[-1] if err else ""

    return run


def write_table(path, **columns):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


def test_texts_and_summaries_have_every_measure_without_a_request(measured, tmp_path):
    table = write_table(tmp_path / "news.csv", id=("a", "b"), text=TEXTS, summary=SUMMARIES)
    status, out, _ = measured(table, "--json")
    numbers = json.loads(out)
    keys = ["length", "extractiveness", "specificity", "readability"]
    single = [
        measure_summary(summary, SourceIndex.from_lines([text], "document"), {}, measures=keys, tagger=spacy_tagger())
        for text, summary in zip(TEXTS, SUMMARIES, strict=True)
    ]
    assert status == 0
    assert numbers["f"] == {key: pytest.approx(sum(float(one[key]) for one in single) / 2) for key in keys}
    assert (numbers["samples"], numbers["sources"], "rouge" in numbers) == (2, 2, False)
    shown = measured(table)[1]
    assert "news.csv: 2 summaries of 2 sources" in shown
    assert "No column asks for anything, so there is no CER and no CC." in shown


@pytest.mark.parametrize("preset", [[], ["--preset", "macsum-doc"]])
def test_outputs_in_a_column_are_compared_with_the_summaries(measured, tmp_path, preset):
    table = write_table(tmp_path / "runs.csv", text=TEXTS, summary=SUMMARIES, prediction=OUTPUTS)
    numbers = json.loads(measured(table, *preset, "--json", "--bootstrap", 20)[1])
    expected = rouge(SUMMARIES, OUTPUTS)
    assert numbers["rouge"] == {kind: pytest.approx(score.value) for kind, score in expected.items()}
    assert numbers["references"]["length"] == 10
    assert numbers["f"]["length"] == 6
    assert numbers["n"]["rouge"] == {"rouge1": 2, "rouge2": 2, "rougeL": 2}
    assert len(numbers["ci95"]["f"]["length"]) == 2
    text = measured(table, *preset)[1]
    assert "Mean of the outputs" in text and "references" in text and "ROUGE-L F" in text


def test_predictions_of_a_file_are_those_of_a_column(measured, tmp_path):
    with_column = write_table(tmp_path / "column.csv", text=TEXTS, summary=SUMMARIES, prediction=OUTPUTS)
    without = write_table(tmp_path / "plain.csv", text=TEXTS, summary=SUMMARIES)
    lines = tmp_path / "p.jsonl"
    lines.write_text("".join(json.dumps(text) + "\n" for text in OUTPUTS))
    first = json.loads(measured(with_column, "--json")[1])
    assert json.loads(measured(without, "--predictions", lines, "--json")[1]) == first
    lines.write_text('"one"\n')
    status, out, err = measured(without, "--predictions", lines)
    assert (status, out) == (1, "")
    assert "p.jsonl, line 1: holds 1 predictions, but plain.csv has 2 samples" in err


def test_summaries_and_outputs_alone_have_no_extractiveness_and_it_is_said(measured, tmp_path):
    table = write_table(tmp_path / "pairs.csv", reference=SUMMARIES, prediction=OUTPUTS)
    numbers = json.loads(measured(table, "--json")[1])
    assert set(numbers["f"]) == {"length", "specificity", "readability"}
    assert numbers["rouge"]["rouge1"] > 0.3
    assert (
        "Extractiveness: the table has no column of source texts (--map text=COLUMN names one)." in measured(table)[1]
    )


def test_rows_of_one_text_are_one_source(measured, tmp_path):
    table = write_table(tmp_path / "t.csv", text=(TEXTS[0], TEXTS[0], TEXTS[1]), summary=(*SUMMARIES, "A storm."))
    assert "3 summaries of 2 sources" in measured(table)[1]


def test_what_is_empty_counts_where_it_is_an_output_and_is_left_out_where_it_is_a_summary(measured, tmp_path):
    table = write_table(tmp_path / "t.csv", text=TEXTS, summary=(SUMMARIES[0], ""), prediction=("", OUTPUTS[1]))
    numbers = json.loads(measured(table, "--json", "--bootstrap", 10)[1])
    assert numbers["n"] == {
        "f": dict.fromkeys(("length", "extractiveness", "specificity", "readability"), 2) | {"readability": 1},
        "references": dict.fromkeys(("length", "extractiveness", "specificity", "readability"), 1),
        "rouge": dict.fromkeys(("rouge1", "rouge2", "rougeL"), 1),
    }
    assert "Empty outputs, which count as such: 1." in measured(table)[1]


def test_columns_are_named_with_map(measured, tmp_path):
    table = write_table(tmp_path / "t.csv", a=TEXTS, b=SUMMARIES, c=OUTPUTS)
    numbers = json.loads(measured(table, "--map", "text=a,summary=b,prediction=c", "--json")[1])
    assert numbers["f"]["extractiveness"] == pytest.approx(1)
    status, _, err = measured(table, "--map", "text=a,summary=d")
    assert (status, err) == (1, "epitome: t.csv, line 1: column mapping: there is no column 'd'; there are a, b, c")


def test_one_line_says_what_is_missing(measured, tmp_path):
    texts = write_table(tmp_path / "texts.csv", id=("a", "b"), text=TEXTS)
    assert measured(texts) == (
        1, "", "epitome: texts.csv, line 1: has no column that is read as the summary: id, text; name it with "
        "--map summary=COLUMN",
    )  # fmt: skip
    plain = write_table(tmp_path / "plain.csv", text=TEXTS, summary=SUMMARIES)
    assert measured(plain, "--labels", plain)[2].startswith("epitome: --labels needs requests, and plain.csv has none")
    assert measured(plain, "--language", "de")[0] == 0


def test_columns_that_could_be_requests_are_named(measured, tmp_path):
    columns = {"length": ("short", "long"), "extractiveness": ("normal", "normal")}
    table = write_table(tmp_path / "t.csv", text=TEXTS, summary=SUMMARIES, **columns)
    out = measured(table)[1]
    assert "--preset macsum-doc would read: length, extractiveness." in out
    assert "Length Short" in measured(table, "--preset", "macsum-doc")[1]


def test_several_tables_are_measured_each(measured, tmp_path):
    first = write_table(tmp_path / "a.csv", text=TEXTS, summary=SUMMARIES)
    second = write_table(tmp_path / "b.csv", text=TEXTS, summary=OUTPUTS)
    files = json.loads(measured(first, second, "--json")[1])["files"]
    assert [(file["file"], file["f"]["length"]) for file in files] == [("a.csv", 10), ("b.csv", 6)]

"""`measure` as a script runs it, without a database: hand-worked numbers, and what its table shows."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.metrics.macsum_small import entries, write

ROOT = Path(__file__).resolve().parent.parent.parent


def measured(*words: object) -> str:
    out = io.StringIO()
    call_command("measure", *map(str, words), stdout=out)
    return out.getvalue()


def as_object(*words: object) -> dict:
    return json.loads(measured(*words, "--json"))


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("small"), entries())


@pytest.fixture(scope="module")
def plain(small) -> dict:
    return as_object(small)


def predictions(folder: Path, *texts: str) -> Path:
    return write(folder, "".join(json.dumps(text) + "\n" for text in texts), "predictions.jsonl")


def gold_texts() -> list[str]:
    return [reference["summary"] for entry in entries() for reference in entry["references"]]


def test_one_object_with_the_numbers_of_the_file(plain):
    assert (plain["samples"], plain["sources"], plain["profile"]) == (6, 2, "release")
    assert plain["f"]["length"] == pytest.approx({"short": 25, "normal": (10 + 36 + 12) / 3, "long": 80})
    assert list(plain["f"]["extractiveness"]) == ["normal", "full"]
    # Of the first source 2 of 19, 2 of 79 and 2 of 9 distinct pairs of words, and 1 of 18, 78 and 8 triples.
    shares = [(2 / n + 1 / (n - 1)) / 2 for n in (19, 79, 9)]
    assert plain["f"]["extractiveness"]["normal"] == pytest.approx(sum(shares) / 5)
    assert plain["f"]["topic"] == 0.5  # "word" stands inside "word0", "absent" nowhere
    assert set(plain) == {"samples", "sources", "profile", "f", "cc", "signature"}
    assert "speaker" not in plain["f"]


def test_cc_pairs_neighbours_of_one_topic(plain, small):
    assert plain["cc"]["length"] == {"value": (30 + 6) / 2, "pairs": 2}
    every = as_object(small, "--pairs", "all")["cc"]["length"]
    assert every == {"value": pytest.approx((30 + 6 - 18) / 3), "pairs": 3}
    assert as_object(small, "--pairs", "strict")["cc"]["length"]["pairs"] == 2
    assert plain["cc"]["specificity"]["value"] is None
    assert plain["cc"]["specificity"]["pairs"] == 0
    assert "different values" in plain["cc"]["specificity"]["undefined"]


def test_the_signature_says_what_was_done(plain, small):
    words = plain["signature"].split("|")
    assert {"macsum", "n:6", "sources:2", "pairs:neighbours", "profile:release", "domain:document"} <= set(words)
    assert any(item.startswith("tagger:en_epitome_sm@") for item in words)
    assert as_object(small, "--profile", "literal")["signature"] != plain["signature"]


def test_gold_as_prediction_is_without_error(small, tmp_path, plain):
    result = as_object(small, "--predictions", predictions(tmp_path, *gold_texts()))
    assert result["cer"] == dict.fromkeys(("length", "extractiveness", "specificity", "topic", "average"), 0)
    assert result["rouge"] == {"rouge1": 1, "rouge2": 1, "rougeL": 1}
    assert (result["f"], result["cc"]) == (plain["f"], plain["cc"])


def test_predictions_are_what_is_measured(small, tmp_path):
    texts = gold_texts()
    texts[0] = " ".join(texts[0].split()[:15])
    lines = [json.dumps(texts[0])] + [json.dumps({"prediction": text, "system": "x"}) for text in texts[1:]]
    result = as_object(small, "--predictions", write(tmp_path, "\n".join(lines) + "\n\n", "p.jsonl"))
    assert result["f"]["length"]["short"] == (15 + 30) / 2
    assert result["cc"]["length"]["value"] == ((80 - 15) / 2 + 6) / 2
    assert result["cer"]["length"] == pytest.approx(0.25 / 6)
    assert result["rouge"]["rouge1"] == pytest.approx((5 + 2 * 0.75 / 1.75) / 6)


def test_empty_predictions_measure_0(small, tmp_path):
    result = as_object(small, "--predictions", predictions(tmp_path, *[""] * 6))
    assert result["f"]["length"] == {"short": 0, "normal": 0, "long": 0}
    assert result["cer"]["length"] == 1
    assert result["rouge"] == {"rouge1": 0, "rouge2": 0, "rougeL": 0}


def test_a_reference_too_short_for_rouge_is_left_out(small, tmp_path):
    content = entries()
    content[0]["references"][0]["summary"] = "once"
    content[0]["references"][1]["summary"] = "一度"
    texts = [reference["summary"] for entry in content for reference in entry["references"]]
    words = (write(tmp_path, content), "--predictions", predictions(tmp_path, *texts))
    assert as_object(*words)["rouge"] == {"rouge1": 1, "rouge2": 1, "rougeL": 1}
    assert as_object(*words, "--bootstrap", "10")["n"]["rouge"] == {"rouge1": 5, "rouge2": 4, "rougeL": 5}
    assert "ROUGE-2: 2 samples whose reference has too few words" in measured(*words)


def test_epsilons_are_chosen_for_the_whole_table(small, tmp_path):
    texts = predictions(tmp_path, *[""] * 6)
    result = as_object(small, "--predictions", texts, "--eps-policy", "uniform:0.1")
    lengths = (20, 80, 10, 30, 36, 12)
    assert result["cer"]["length"] == pytest.approx(sum(n / (n + 0.1) for n in lengths) / 6)
    assert "cer:uniform:0.1" in result["signature"]
    assert "CER (uniform:0.1)" in measured(small, "--predictions", texts, "--eps-policy", "uniform:0.1")


def test_intervals_on_request(small):
    result = as_object(small, "--bootstrap", "200", "--seed", "7")
    low, high = result["ci95"]["f"]["length"]["normal"]
    assert low <= result["f"]["length"]["normal"] <= high
    assert result["n"]["f"]["length"] == {"short": 2, "normal": 3, "long": 1}
    assert result["ci95"]["f"]["length"]["long"] is None  # one source only
    assert {"replicates:200", "seed:7"} <= set(result["signature"].split("|"))
    assert result == as_object(small, "--bootstrap", "200", "--seed", "7")


def test_dialogues_have_speakers_and_documents_have_none(tmp_path):
    result = entries()[:1]
    result[0]["metadata"]["turns"] = [0, 1]
    result[0]["source"] = ["Ann : word0 word1 rest", "Bob : word19"]
    for number, reference in enumerate(result[0]["references"]):
        key = "speaker" if number else "Speaker"
        reference["control_attribute"][key] = "Ann" if number == 0 else ""
    report = as_object(write(tmp_path, result))
    assert report["f"]["speaker"] == pytest.approx(2 / 20)
    assert "as_published" not in report["cc"]["specificity"]
    assert "domain:dialogue" in report["signature"]


def test_the_table_names_what_is_left_out_and_what_is_undefined(small):
    text = measured(small)
    assert "small.json: 6 samples of 2 sources, profile release" in text
    assert "Not a published split of MACSum" in text
    assert "Topic: 5 samples without topic are left out." in text
    assert "Specificity: undefined, no two comparable samples were asked for different values." in text
    row = next(line.split() for line in text.splitlines() if line.startswith("Length short"))
    assert row[2:4] == ["2", "25.00"]
    assert "nan" not in text.lower()
    assert "as published" not in text  # these are no documents of MACSum
    assert "Table 4" not in text


def test_documents_of_macsum_have_the_published_column_where_there_are_pairs(tmp_path):
    result = entries()
    for entry in result:
        entry["metadata"]["dataset"] = "cnndm"
    assert "as published" not in measured(write(tmp_path, result))  # no two ask for different values
    result[0]["references"][0]["control_attribute"]["specificity"] = "high"
    text = measured(write(tmp_path, result))
    assert next(line for line in text.splitlines() if line.startswith("Specificity, as published *"))
    assert "* MACSum's Table 4" in text


def test_it_runs_without_a_database_or_any_setting(small, tmp_path):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("EPITOME_", "DJANGO_", "DATABASE"))}
    env["DATABASE_URL"] = "sqlite:////nowhere/at/all.sqlite3"
    env["EPITOME_DATA_DIR"] = str(tmp_path / "data")
    run = subprocess.run(
        [sys.executable, "manage.py", "measure", str(small), "--json"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["samples"] == 6
    broken = subprocess.run(
        [sys.executable, "manage.py", "measure", str(tmp_path)], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert (broken.returncode, broken.stdout, broken.stderr.count("\n")) == (1, "", 1)


@pytest.mark.parametrize("words", [("--eps-policy", "uniform:0"), ("--bootstrap", "0"), ("--seed", "-1")])
def test_wrong_usage_ends_with_2(small, words):
    with pytest.raises(CommandError) as caught:
        call_command("measure", str(small), *words)
    assert caught.value.returncode == 2
    assert words[1] in str(caught.value)

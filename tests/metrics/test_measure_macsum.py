"""`measure` on MACSum's dev files: Table 3, CC with its pairs, and the gold summaries as predictions."""

import io
import json
from itertools import pairwise
from pathlib import Path

import pytest
from django.core.management import call_command

from epitome.metrics.published import find_table

FOLDERS = {"macsum-doc": "macdoc", "macsum-dial": "macdial"}


def run(*words: object) -> str:
    out = io.StringIO()
    call_command("measure", *map(str, words), stdout=out)
    return out.getvalue()


def dev_file(shared: Path, dataset: str) -> Path:
    return shared / "data" / "macsum" / FOLDERS[dataset] / "val.json"


def references(shared: Path, dataset: str) -> list[list[dict]]:
    return [entry["references"] for entry in json.loads(dev_file(shared, dataset).read_text(encoding="utf-8"))]


@pytest.fixture(scope="module")
def dev(shared, tmp_path_factory) -> dict[str, dict]:
    """The object printed for each dev file with its own summaries as predictions."""
    fields = {}
    for dataset in FOLDERS:
        texts = tmp_path_factory.mktemp(dataset) / "gold.jsonl"
        summaries = [json.dumps(item["summary"]) for group in references(shared, dataset) for item in group]
        texts.write_text("\n".join(summaries), encoding="utf-8")
        fields[dataset] = json.loads(run(dev_file(shared, dataset), "--predictions", texts, "--json"))
    return fields


@pytest.mark.parametrize(("dataset", "samples", "sources"), [("macsum-doc", 554, 94), ("macsum-dial", 292, 41)])
def test_all_samples_are_measured(dataset, samples, sources, dev):
    assert (dev[dataset]["samples"], dev[dataset]["sources"]) == (samples, sources)


@pytest.mark.parametrize("dataset", FOLDERS)
def test_f_is_that_of_table_3(dataset, dev):
    f = dev[dataset]["f"]
    cells = {
        f"{name}-{value}": mean for name, entry in f.items() if isinstance(entry, dict) for value, mean in entry.items()
    }
    cells |= {name: mean for name, mean in f.items() if not isinstance(mean, dict)}
    assert len(cells) == (10 if dataset == "macsum-dial" else 9)
    for row, mean in cells.items():
        printed = find_table("macsum/table_3").cell(row, f"{dataset}-dev")
        near = {"length": {"rel": 0.005}, "specificity": {"rel": 0.07}}.get(row.partition("-")[0], {"abs": 0.006})
        assert mean == pytest.approx(printed, **near), row
    assert f["specificity"]["high"] > f["specificity"]["normal"]


@pytest.mark.parametrize("dataset", FOLDERS)
def test_pairs_are_neighbours_with_one_topic_and_speaker(dataset, dev, shared):
    for attribute, value in dev[dataset]["cc"].items():
        pairs = 0
        for group in references(shared, dataset):
            for first, second in pairwise(item["control_attribute"] for item in group):
                same = all(first.get(name) == second.get(name) for name in ("topic", "speaker"))
                pairs += same and first[attribute] != second[attribute]
        assert value["pairs"] == pairs


@pytest.mark.parametrize(
    ("dataset", "attribute", "slope", "pairs"),
    [
        ("macsum-doc", "length", 31.137, 255),
        ("macsum-doc", "extractiveness", 0.12839, 75),
        ("macsum-dial", "length", 40.143, 77),
        ("macsum-dial", "extractiveness", 0.07722, 64),
    ],
)
def test_cc_of_the_dev_files(dataset, attribute, slope, pairs, dev):
    """Computed from the released file by a plain loop with PyPI `rouge`; the paper prints CC of the test split only."""
    assert dev[dataset]["cc"][attribute] == {"value": pytest.approx(slope, rel=1e-3), "pairs": pairs}


def test_the_published_slip_stands_beside_the_true_value(dev, shared):
    specificity = dev["macsum-doc"]["cc"]["specificity"]
    assert specificity["as_published"] == pytest.approx(0.07613, abs=5e-5)
    assert specificity["value"] > 0.5
    assert "as_published" not in dev["macsum-dial"]["cc"]["specificity"]


@pytest.mark.parametrize("dataset", FOLDERS)
def test_gold_as_prediction_is_without_error(dataset, dev):
    assert set(dev[dataset]["cer"].values()) == {0}
    assert dev[dataset]["rouge"] == {"rouge1": 1, "rouge2": 1, "rougeL": 1}
    assert ("speaker" in dev[dataset]["cer"]) == (dataset == "macsum-dial")


def test_the_literal_profile_counts_more_and_is_said(dev, shared):
    text = run(dev_file(shared, "macsum-dial"), "--profile", "literal")
    high = next(line.split() for line in text.splitlines() if line.startswith("Specificity high"))
    assert float(high[3]) > dev["macsum-dial"]["f"]["specificity"]["high"] + 1
    assert "published" not in text.splitlines()[3]  # printed numbers are of the other profile


def test_the_table_shows_the_printed_values(shared):
    text = run(dev_file(shared, "macsum-doc"))
    rows = {line.split("  ")[0]: line.split() for line in text.splitlines() if line}
    assert "MAC-Doc dev (recognised by its content" in text
    assert rows["Length short"][2] == "121"
    assert rows["Length short"][-1] == "33.37"
    assert rows["Topic"][-1] == "0.98"
    assert "Topic: 282 samples without topic are left out." in text
    assert rows["Specificity, as published *"][4:6] == ["71", "0.076"]
    assert max(map(len, text.split("\n\n")[1].splitlines())) < 100

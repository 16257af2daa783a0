"""`epitome.metrics`, `.agreement`, `.measures`: plain texts and labels give the numbers of the rooms beneath."""

import json
import math

import numpy as np
import pytest

from epitome import metrics
from epitome.agreement import agreement
from epitome.agreement.gwet import gwet_ac2
from epitome.agreement.kappa import cohen_kappa
from epitome.formats.reading import input_file
from epitome.measures import Undefined, measure, spacy_tagger
from epitome.metrics.macsum_samples import read_macsum_file
from epitome.metrics.report import make_report
from tests.formats import papers_tables as papers
from tests.metrics.macsum_small import entries, sample, write

# Gwet (2014), table 4.10: four raters, twelve subjects, five categories, with ratings missing.
GWET_2014 = [
    *([1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4]),
    *([4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1], [None, None, 3, None]),
]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return write(tmp_path_factory.mktemp("small"), entries())


@pytest.fixture(scope="module")
def lists():
    """The small file as lists: sources, requests, references."""
    rows = [(entry["source"], sample) for entry in entries() for sample in entry["references"]]
    requests = [sample["control_attribute"] for _, sample in rows]
    return [source for source, _ in rows], requests, [sample["summary"] for _, sample in rows]


def test_lists_give_the_numbers_of_the_file(small, lists):
    sources, requests, references = lists
    predictions = [text.upper() + " And more." for text in references]
    report = make_report(read_macsum_file(input_file(small)), predictions, tagger=spacy_tagger())

    scores = metrics.macsum(sources, requests, references, predictions)

    assert {name: scores[f"cer.{name}"].value for name in report.cer} == {
        name: cell.value.value for name, cell in report.cer.items()
    }
    assert scores["cer.average"].value == report.average.value
    assert {name: scores[f"cc.{name}"].value for name in report.scores.cc} == {
        name: cell.value.value for name, cell in report.scores.cc.items()
    }
    assert scores["rouge1"].interval == (report.content["rouge1"].interval.low, report.content["rouge1"].interval.high)
    assert scores["gold.cc.length"].value == report.gold.cc["length"].value.value
    assert scores["f.topic"].value == report.scores.shares["topic"].value.value
    assert scores.signature.startswith(str(report.signature)[:12])
    alone, together = metrics.cer("length", references, predictions, sources=sources), scores["cer.length"]
    assert (alone.value, alone.interval, alone.n) == (together.value, together.interval, together.n)
    extra = {"sources": sources, "requests": requests}
    assert metrics.cer("topic", references, predictions, **extra).value == scores["cer.topic"].value
    assert metrics.cer("extractiveness", references, predictions, **extra).value == scores["cer.extractiveness"].value
    slope = metrics.cc("length", predictions, requests, sources)
    assert (slope.value, slope.n) == (scores["cc.length"].value, scores["cc.length"].n)


def test_a_file_gives_what_its_report_says(small, tmp_path):
    report = make_report(read_macsum_file(input_file(small)), tagger=spacy_tagger())
    scores = metrics.macsum_file(small)
    assert scores["f.length.long"].value == report.scores.f["length"]["long"].value.value == 80
    assert "cer.length" not in scores
    with pytest.raises(ValueError, match=r"PRED.jsonl.*holds 1 predictions"):
        metrics.macsum_file(small, write(tmp_path, '"one"\n', "PRED.jsonl"))


@pytest.mark.parametrize("name", ["test.csv", "test.jsonl", "test.json", "export.jsonl"])
def test_a_file_of_any_shape_under_another_preset_gives_what_its_report_says(name, tmp_path):
    shapes = {"test.csv": papers.as_csv, "test.jsonl": papers.as_json_lines, "test.json": papers.as_macsum}
    file = write(tmp_path, shapes.get(name, papers.as_epitome1)(), name)
    rows = sorted(papers.ROWS, key=lambda row: row["paper"]) if name == "test.json" else papers.ROWS
    predictions = [json.dumps({"prediction": row["summary"], "judged_focus": "high"}) for row in rows]
    scores = metrics.macsum_file(
        file, write(tmp_path, "\n".join(predictions) + "\n", "PRED.jsonl"), preset="ccsbench", replicates=10
    )
    assert str(scores).startswith("CCSBench papers") and scores.details == {"samples": 3, "sources": 2}
    assert (scores["mad"].value, scores["mad"].n) == (0, 2)
    assert (scores["sr"].value, scores["rougeL"].value, scores["f1_high"].value) == (1, 1, 1)
    assert {"pcc", "f_normal", "f_high", "f_gap", "cer.length", "f.length.0"} <= set(scores.keys())


def test_columns_texts_and_labels_of_a_table_are_named_as_for_the_command(tmp_path):
    table = "doc;gist;bin;focus\np1;A text.;0-50;low\n".replace(";", ",")
    texts = write(tmp_path, json.dumps({"id": "p1", "text": "We study budgets."}) + "\n", "texts.jsonl")
    columns = {"id": "doc", "summary": "gist", "attribute:length": "bin", "attribute:focus": "focus"}
    scores = metrics.macsum_file(
        write(tmp_path, table, "own.csv"),
        preset="ccsbench",
        mapping=columns,
        text_from=texts,
        labels=write(tmp_path, '"conceptual"\n', "labels.jsonl"),
    )
    assert scores["f1_low"].value == 1 and "mad" not in scores
    with pytest.raises(ValueError, match="neither one of macsum-doc"):
        metrics.macsum_file(texts, preset="led")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"predictions": ["a"]}, "2 references, 1 predictions: give one of each per sample"),
        ({"requests": [{"length": "tiny"}, {}]}, "request 0: length is 'tiny'; give one of short, normal, long"),
        ({"references": "a text"}, "texts is one text: give a list"),
        ({"sources": ["a"]}, "1 sources, 2 requests, 2 texts: give one of each"),
        ({"eps_policy": "none"}, "eps policy 'none' is neither"),
    ],
)
def test_what_cannot_be_measured_is_said_with_its_place(change, message):
    lists = {"sources": ["A text.", "B"], "requests": [{}, {}], "references": ["a", "b"], "predictions": ["a", "b"]}
    with pytest.raises((ValueError, TypeError), match=message):
        metrics.macsum(**{**lists, **change})


def test_turns_are_a_dialogue_where_a_speaker_is_requested():
    meeting = "Chair : We need a budget.\nBuilder : The roof leaks."
    scores = metrics.macsum([meeting], [{"speaker": "Chair"}], ["We need a budget."], ["The roof leaks."])
    assert "domain:dialogue" in scores.signature
    assert (scores["gold.f.speaker"].value, scores["f.speaker"].value) == (1.0, 0.0)


def test_an_undefined_number_has_a_reason_and_no_interval():
    slope = metrics.cc("length", ["a b", "c"], [{}, {}], ["x", "x"])
    assert (slope.value, slope.interval) == (None, None)
    assert "asked for different values" in slope.undefined
    with pytest.raises(Undefined, match="different values"):
        float(slope)
    assert "n/a" in repr(slope)
    assert slope.to_dict()["undefined"] == slope.undefined


def test_a_table_as_frame_latex_html_and_json():
    scores = metrics.rouge(["a b & c", "d"], ["a b", "d"], kinds=["rouge1"])
    frame = scores.to_frame()
    assert list(frame.columns) == ["name", "value", "low", "high", "n", "left_out", "undefined", "signature"]
    assert frame.loc[0, "value"] == scores["rouge1"].value == pytest.approx(0.9)
    latex = scores.to_latex()
    assert r"\toprule" in latex and "rouge1 & .900" in latex and f"% {scores.signature}" in latex
    page = scores._repr_html_()
    assert "<th>rouge1</th><td>0.900</td>" in page
    assert json.loads(json.dumps(scores.to_dict()))["scores"]["rouge1"]["n"] == 2
    assert scores["rouge1"].to_frame().loc[0, "n"] == 2
    with pytest.raises(KeyError, match="there are rouge1"):
        scores["rouge2"]


def test_agreement_takes_labels_as_they_are():
    words = [[None if answer is None else "abcde"[answer - 1] for answer in row] for row in GWET_2014]
    scores = agreement(words)
    assert scores["gwet_ac1"].value == pytest.approx(0.77544, abs=5e-6)  # as published
    assert scores["fleiss_kappa"].value == pytest.approx(0.76117, abs=5e-6)
    assert scores["krippendorff_alpha"].value == pytest.approx(0.743, abs=5e-4)
    assert agreement(GWET_2014, "quadratic")["gwet_ac2"].value == pytest.approx(0.914, abs=5e-4)  # as irrCAC 0.4
    assert agreement(GWET_2014)["gwet_ac1"].value == scores["gwet_ac1"].value
    assert scores["gwet_ac1"].interval[0] < scores["gwet_ac1"].value < scores["gwet_ac1"].interval[1]


def test_the_same_judgements_in_every_shape():
    import pandas

    wide = [["yes", "no"], ["no", "no"], ["yes", None], ["yes", "yes"]]
    long = [
        {"item_id": item, "rater": rater, "answer": answer}
        for item, row in enumerate(wide)
        for rater, answer in enumerate(row)
    ]
    shapes = [wide, long, pandas.DataFrame(long), pandas.DataFrame(wide, columns=["rater1", "rater2"])]
    values = [agreement(shape)["cohen_kappa"] for shape in shapes]
    assert len({(value.value, value.interval, value.n) for value in values}) == 1
    assert values[0].value == cohen_kappa(np.array([1, 0, 1, 1]), np.array([0, 0, -1, 1])).value


def test_weights_follow_the_order_of_the_labels():
    rows = [["low", "mid"], ["high", "high"], ["low", "high"], ["mid", "mid"]]
    in_order = agreement(rows, "quadratic", order=["low", "mid", "high"])
    first, second = np.array([0, 2, 0, 1]), np.array([1, 2, 2, 1])
    assert in_order["cohen_kappa"].value == cohen_kappa(first, second, weights="quadratic").value
    counts = np.array([[1, 1, 0], [0, 0, 2], [1, 0, 1], [0, 2, 0]])
    assert in_order["gwet_ac2"].value == gwet_ac2(counts, weights="quadratic").value
    assert agreement(rows, "quadratic")["cohen_kappa"].value != in_order["cohen_kappa"].value  # high, low, mid
    with pytest.raises(ValueError, match="the answer 'mid' is not in order: low, high"):
        agreement(rows, "linear", order=["low", "high"])


def test_a_file_of_documents_has_the_published_slip_as_the_command_has_it(tmp_path):
    rows = [{**entry, "metadata": {**entry["metadata"], "dataset": "cnndm"}} for entry in entries()]
    for row in rows:
        row["references"] += [sample("normal", 12), sample("normal", 12, specificity="high")]
    path = write(tmp_path, rows)
    report = make_report(read_macsum_file(input_file(path)), tagger=spacy_tagger())
    scores = metrics.macsum_file(path)
    slip = report.scores.cc_as_published
    assert slip is not None
    assert scores["cc.specificity.as_published"].value == slip.value.value
    assert scores["cc.specificity.as_published"].n == scores["cc.specificity"].n > 0


def test_groups_and_sources_of_judgements():
    rows = [
        {
            "item": item,
            "rater": rater,
            "answer": answer,
            "question": "fluent",
            "system": "ab"[item % 2],
            "source": item // 2,
        }
        for item, answers in enumerate(["yy", "yn", "nn", "yy", "ny", "nn"])
        for rater, answer in enumerate(answers)
    ]
    scores = agreement(rows, by="system")
    assert scores["a.percent"].value == pytest.approx(2 / 3)
    assert scores["b.percent"].value == pytest.approx(2 / 3)
    assert scores.details == {"judgements": 12, "items": 6, "raters": 2}
    assert "clusters:sources" in scores.signature
    with pytest.raises(ValueError, match="rater '0' answers question 'fluent' about item '0' twice"):
        agreement([*rows, rows[0]])
    with pytest.raises(ValueError, match="row 0 has no 'judge'"):
        agreement(rows, by="judge")


@pytest.mark.parametrize("rows", [[], [{"item": 1, "rater": 1, "answer": None}], [[None, float("nan")]]])
def test_no_judgement_at_all_is_said(rows):
    with pytest.raises(ValueError, match="no judgements"):
        agreement(rows)


def test_one_rater_has_no_agreement():
    assert "only one rater" in agreement([["a"], ["b"]])["gwet_ac1"].undefined


def test_the_other_protocols_by_hand():
    ranked = metrics.rank([{"scores": [5, 4, 3, 2, 1], "gold": [True, False, True, False, True]}], k=3)
    assert ranked["map"].value == pytest.approx((1 + 2 / 3 + 3 / 5) / 3)
    assert ranked["recall@3"].value == pytest.approx(2 / 3)
    cases = [
        {"id": 1, "gold": -1.0, "contrastives": [("G-N", -2.0), ("G-N", -1.0)]},
        {"id": 2, "gold": -1.0, "contrastives": [{"rule": "S-V", "score": -3.0}]},
    ]
    result = metrics.contrastive(cases)
    assert (result["escaped"].value, result["dodged.G-N"].value) == (50.0, 50.0)
    assert result.details["rules"]["G-N"] == {"cases": 1, "failed": 1}
    rows = [
        {"prediction": "w " * 60, "reference": "w " * 10, "requested": {"length": "51-100", "focus": "empirical"}},
        {"prediction": "w", "reference": "w " * 120, "requested": {"length": 0, "focus": "low"}, "judged_focus": None},
    ]
    table = metrics.ccsbench([{**rows[0], "judged_focus": "high"}, rows[1]])
    assert (table["mad"].value, table["pcc"].value) == (1.5, pytest.approx(1.0))
    assert (table["focus.high"].value, table["focus.low"].value) == (1.0, 0.0)
    assert "sr" not in table


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.rank([{"scores": [1], "gold": [True]}, {"scores": "1", "gold": []}]), "list 1: scores is '1'"),
        (lambda: metrics.contrastive([{"gold": "x", "contrastives": []}]), "case 0: gold is 'x', not a number"),
        (lambda: metrics.ccsbench([{"prediction": "a", "requested": {"length": "300"}}]), "row 0: length is '300'"),
        (lambda: metrics.ccsbench([{"prediction": "a"}]), "nothing to measure"),
        (lambda: measure("a", measures=["fluency"]), "there is no measure 'fluency'"),
        (lambda: measure("a", measures=["extractiveness"]), "give its SourceIndex"),
        (lambda: metrics.cer("topic", ["a"], ["b"]), "give requests, one per sample"),
    ],
)
def test_faults_name_the_entry(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_one_summary_is_measured_as_far_as_it_can_be():
    alone = measure("Three words here.", measures=None)
    assert set(alone) == {"length", "specificity", "readability"}
    assert alone["length"].value == 4 and alone["length"].signature.startswith("length:release|v:")
    assert math.isclose(measure("a b c", "a b c. d", measures=["extractiveness"])["extractiveness"].value, 1.0)

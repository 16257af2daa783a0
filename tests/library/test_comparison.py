"""Several systems in one table: means with intervals, paired tests with Holm's correction, stars."""

import json

import pytest

from epitome import metrics
from epitome.metrics.public.comparison import COLUMNS
from epitome.metrics.rouge_scores import rouge_f
from epitome.metrics.significance import holm, paired_permutation

REFERENCES = [f"The council of town {n} raised the budget for roads by {n} percent." for n in range(30)]
SYSTEMS = {
    "lead": [f"The council of town {n} met{' on the roads' if n % 5 else ''}." for n in range(30)],
    "good": [text.replace("raised", "increased") for text in REFERENCES],
    "like lead": [f"The council of town {n} sat{' on the roads' if n % 5 else ''}." for n in range(30)],
}


@pytest.fixture(scope="module")
def compared():
    return metrics.compare(SYSTEMS, REFERENCES)


def test_the_cells_are_those_of_rouge(compared):
    for name, predictions in SYSTEMS.items():
        alone = metrics.rouge(REFERENCES, predictions)
        assert {kind: (one.value, one.interval) for kind, one in compared[name].items()} == {
            kind: (one.value, one.interval) for kind, one in alone.items()
        }


def test_the_p_values_are_those_of_the_paired_test_corrected_within_a_column(compared):
    shares = {name: rouge_f(REFERENCES, texts, ["rouge2"])["rouge2"] for name, texts in SYSTEMS.items()}
    plain = [paired_permutation(shares[name], shares["lead"]).p_value.value for name in ("good", "like lead")]
    tests = [compared.find_test(name, "rouge2") for name in ("good", "like lead")]
    assert [test.p for test in tests] == plain
    assert [test.p_holm for test in tests] == holm(plain)
    assert [test.stars for test in tests] == ["***", ""]
    assert tests[0].difference.value == pytest.approx(
        compared["good"]["rouge2"].value - compared["lead"]["rouge2"].value
    )


def test_it_is_one_table_in_every_form(compared):
    printed = repr(compared).splitlines()
    assert printed[0] == "ROUGE F of 3 systems, pairs: 30"
    assert [line.split()[0] for line in printed[2:5]] == ["lead", "good", "like"]
    assert f"{compared['good']['rouge1'].value:.3f}*** [" in printed[3]
    assert "differs from lead by a paired permutation test over pairs" in printed[5]
    latex = compared.to_latex()
    assert r"\toprule" in latex and f"good & {compared['good']['rouge1'].value:.3f}***" in latex
    assert compared._repr_html_().count("<tr>") == 4
    values = json.loads(json.dumps(compared.to_dict()))
    assert values["tests"]["good"]["rouge1"]["stars"] == "***"
    assert values["scores"]["lead"]["rougeL"]["n"] == 30
    frame = compared.to_frame()
    assert list(frame.columns) == list(COLUMNS) and len(frame) == 9


def test_another_baseline_and_clusters_are_drawn(compared):
    other = metrics.compare(SYSTEMS, REFERENCES, ["rougeL"], against="good", clusters=[n // 3 for n in range(30)])
    assert {test.system for test in other.tests} == {"lead", "like lead"}
    assert other.find_test("lead", "rougeL").difference.value < 0
    assert "over clusters" in repr(other)
    assert other["lead"]["rougeL"].interval != compared["lead"]["rougeL"].interval


@pytest.mark.parametrize(
    ("systems", "more", "message"),
    [
        ({"one": ["a"]}, {}, "1 systems: give at least two"),
        ({"one": ["a"], "two": ["a", "b"]}, {}, "1 references, 2 predictions of two"),
        ({"one": ["a"], "two": "a"}, {}, "the predictions of two are one text"),
        ({"one": ["a"], "two": ["a"]}, {"against": "three"}, "there is no system 'three'; there are one, two"),
        ({"one": ["a"], "two": ["a"]}, {"kinds": ["bleu"]}, "'bleu' is no kind of ROUGE"),
    ],
)
def test_what_cannot_be_compared_is_said(systems, more, message):
    with pytest.raises((ValueError, TypeError), match=message):
        metrics.compare(systems, ["a"], **more)


def test_ten_thousand_pairs_show_progress_on_standard_error(capsys):
    metrics.rouge(["a b"] * 10_000, ["a b"] * 10_000, ["rouge1"], replicates=2)
    out, err = capsys.readouterr()
    assert out == ""
    assert "ROUGE: 0 of 10000" in err and "ROUGE: 10000 of 10000" in err
    metrics.rouge(["a b"] * 100, ["a b"] * 100, ["rouge1"], replicates=2)
    assert capsys.readouterr().err == ""

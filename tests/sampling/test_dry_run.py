"""What a plan will give, before anyone is hired."""

import json
import math
from itertools import pairwise

import pytest

from epitome.sampling import (
    GroupPlan,
    SamplePlan,
    SamplerError,
    SamplerOptions,
    SourcePlan,
    chi_square,
    dry_run,
    plan_project,
)
from epitome.sampling.dryrun import chi_square_tail
from epitome.schema import load_preset

DOC = load_preset("macsum-doc")
LETTERS = {
    "length": {"s": "short", "n": "normal", "l": "long"},
    "extractiveness": {"n": "normal", "h": "high", "f": "full"},
    "specificity": {"n": "normal", "h": "high"},
}


def plan(external_id: str, *groups: str) -> SourcePlan:
    """A plan written as codes: "snn lnh" is a group of two samples."""
    items, position = [], 0
    for number, codes in enumerate(groups):
        samples = []
        for code in codes.split():
            values = {key: LETTERS[key][letter] for key, letter in zip(LETTERS, code, strict=True)}
            samples.append(SamplePlan(position, values, code))
            position += 1
        items.append(GroupPlan(number, (), False, samples))
    return SourcePlan(external_id, 1000, "uniform@1", 0, items)


def test_chi_square_by_hand():
    """60, 50, 40 against 50 each: (100 + 0 + 100) / 50 = 4; with two degrees of freedom p = exp(-4 / 2)."""
    test = chi_square({"a": 60, "b": 50, "c": 40}, {"a": 1, "b": 1, "c": 1})
    assert test.statistic == pytest.approx(4.0) and test.df == 2
    assert test.p == pytest.approx(math.exp(-2))


@pytest.mark.parametrize("df", [1, 2, 3, 8, 17, 60])
@pytest.mark.parametrize("statistic", [0.0, 1e-9, 0.3, 4.0, 40.0, 900.0])
def test_the_tail_of_chi_square_is_that_of_scipy(statistic, df):
    from scipy.special import chdtrc

    assert chi_square_tail(statistic, df) == pytest.approx(float(chdtrc(df, statistic)), rel=1e-9, abs=1e-12)


def test_chi_square_against_weights():
    """40 and 60 against 1 : 3 of 100: 15 squared over 25, and over 75."""
    test = chi_square({"a": 40, "b": 60}, {"a": 1, "b": 3}, "the weights")
    assert test.statistic == pytest.approx(225 / 25 + 225 / 75) and test.df == 1
    assert test.p == pytest.approx(math.erfc(math.sqrt(12 / 2)))
    assert test.against == "the weights"


@pytest.mark.parametrize(
    ("counts", "weights", "why"),
    [
        ({}, {"a": 1, "b": 1}, "no sample"),
        ({"a": 3}, {"a": 1}, "fewer than two"),
        ({"a": 1, "b": 1}, {"a": 1, "b": 0}, "without weight"),
    ],
)
def test_chi_square_that_is_not_defined_says_why(counts, weights, why):
    test = chi_square(counts, weights)
    assert test.statistic is None and test.p is None and why in test.undefined


def test_counts_and_pairs_of_a_plan_by_hand():
    plans = [plan("a", "snn nnn lnn", "nnn nhh"), plan("b", "lfh lfn", "sfn")]
    run = dry_run(plans, DOC, 6, SamplerOptions(overlap=3))
    assert (run.sources, run.groups, run.samples, run.summaries) == (2, 4, 8, 24)
    assert run.values["length"] == {"short": 2, "normal": 3, "long": 3}
    assert run.values["specificity"] == {"normal": 6, "high": 2}
    # a: short-normal, normal-long; then Ext and Spe; b: Spe. Neighbours across a group's end do not count.
    assert run.pairs == {"length": 2, "extractiveness": 1, "specificity": 2}
    assert run.combinations["nnn"] == 2 and run.combinations["shh"] == 0
    assert len(run.combinations) == 18 and sum(run.combinations.values()) == 8
    assert run.hours == pytest.approx(2.4)


def test_pairs_are_those_that_control_correlation_counts():
    """Independent count: neighbours of one source with equal topic whose value differs, over the flat list."""
    plans = plan_project([(f"s{n}", 1500) for n in range(50)], DOC, SamplerOptions(seed=8))
    expected = dict.fromkeys(LETTERS, 0)
    for other_plan in plans:
        flat = [(group.position, sample.values) for group in other_plan.groups for sample in group.samples]
        for (topic_a, a), (topic_b, b) in pairwise(flat):
            for key in expected:
                expected[key] += topic_a == topic_b and a[key] != b[key]
    assert dry_run(plans, DOC, 5).pairs == expected


def test_release_design_gives_the_pairs_of_the_release():
    """94 sources as in the test split give about its 547 samples, 281 of them without a topic, and 252, 79 and 70 pairs
    with what the preset says."""
    sources = [(f"s{number}", 325 + 7 * number) for number in range(94)]  # 651 words on average
    runs = [
        dry_run(plan_project(sources, DOC, options), DOC, 10)
        for options in (SamplerOptions(algorithm="macsum-release", seed=seed) for seed in range(5))
    ]
    means = {key: sum(run.pairs[key] for run in runs) / 5 for key in ("length", "extractiveness", "specificity")}
    assert runs[0].samples == pytest.approx(547, rel=0.05) and runs[0].no_topic == 282
    assert means["length"] == pytest.approx(252, rel=0.1)
    assert means["extractiveness"] == pytest.approx(79, rel=0.15)
    assert means["specificity"] == pytest.approx(70, rel=0.15)
    assert all(run.warnings == [] for run in runs)


def test_a_draw_that_measures_little_warns():
    """The same sources with 8 samples per 2,000 words and no whole groups: few have a topic, and few pairs differ."""
    sources = [(f"s{number}", 300 + 7 * number) for number in range(94)]
    options = SamplerOptions(algorithm="macsum-release", seed=1, per_2000_words=8, whole_groups=False)
    run = dry_run(plan_project(sources, DOC, options), DOC, 10)
    assert [(warning.kind, warning.attribute) for warning in run.warnings] == [
        ("few-pairs", "extractiveness"),
        ("few-pairs", "specificity"),
        ("no-topic", ""),
    ]
    assert run.no_topic > 0.8 * run.samples
    assert run.as_dict()["warnings"][2] == {"kind": "no-topic", "n": run.no_topic, "attribute": "", "value": ""}
    assert "ask for no topic: draw more samples per source" in run.as_text()
    assert dry_run([], DOC, 10).warnings == []


def test_where_every_group_asks_for_topics_none_is_missing():
    run = dry_run(plan_project([("a", 2000)], load_preset("macsum-dial"), SamplerOptions()), DOC, 10)
    assert run.samples == 8 and run.no_topic == 0 and "no-topic" not in {warning.kind for warning in run.warnings}


def test_weighted_is_compared_with_its_weights():
    options = SamplerOptions(algorithm="weighted", seed=3)
    plans = plan_project([(f"s{n}", 2000) for n in range(300)], DOC, options)
    assert dry_run(plans, DOC, 10, options).chi_square["length"].p > 0.001
    assert dry_run(plans, DOC, 10).chi_square["length"].p < 0.001


def test_text_is_aligned_and_complete():
    run = dry_run([plan("a", "snn nnn lnn", "nnn nhh")], DOC, 6)
    text = run.as_text()
    assert "sampler       uniform@1, seed 0" in text
    assert "writing time  0.5 hours at 6 minutes per summary" in text
    assert "length          short         1  20.0 %" in text
    lines = text.splitlines()
    header = next(number for number, line in enumerate(lines) if line.endswith("CC pairs"))
    assert lines[header + 1].split() == ["length", "1.60", "2", "0.449", "uniform", "2"]  # 8 / 3 over 5 / 3; exp(-.8)
    assert len({len(line) for line in lines[header : header + 4]}) == 1
    assert "nnn 2" in text and "lfh 0" in text


def test_dict_is_json():
    run = dry_run([plan("a", "snn nnn")], DOC, 6)
    data = json.loads(json.dumps(run.as_dict(), allow_nan=False))
    assert data["pairs"]["length"] == 1 and data["chi_square"]["length"]["df"] == 2


def test_nothing_to_sample_is_no_error():
    run = dry_run([], DOC, 6)
    assert run.samples == 0 and run.chi_square["length"].undefined == "no sample"
    assert "sources" in run.as_text()


@pytest.mark.parametrize("pace", [0, -1, float("nan"), float("inf")])
def test_pace_must_be_a_time(pace):
    with pytest.raises(SamplerError, match="pace"):
        dry_run([], DOC, pace)

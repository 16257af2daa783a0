"""All estimates of a set of rows, and that an outsider finds the same numbers by the printed formulas."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from epitome.combined.group_estimates import estimate_differences, estimate_groups
from epitome.combined.rows import CombinedRow
from epitome.combined.rows_file import row_line
from tests.combined.outsider import share_interval

RATES = {"alpha": 0.8, "beta": 0.55, "gamma": 0.5}


def make_rows(n_sources=60, asked=20, accuracy=0.9, seed=1, uneven=False, judge="judge1, revision 1", judge_bias=0.0):
    """Two samples per source; people judge those of some sources."""
    rng = np.random.default_rng(seed)
    share = asked / n_sources
    rows = []
    for source in range(n_sources):
        chance = (share / 2 if source % 2 else share * 3 / 2) if uneven else share
        drawn = bool(rng.uniform() < chance) if uneven else source < asked
        for number in range(2):
            for system, rate in RATES.items():
                truth = float(rng.uniform() < rate)
                judged = truth if rng.uniform() < accuracy else 1 - truth
                judged = 1.0 if rng.uniform() < judge_bias else judged
                rows.append(
                    CombinedRow(
                        item=f"{system}-{source}-{number}",
                        source=f"s{source}",
                        sample=f"s{source}#{number}",
                        system=system,
                        question="fluent",
                        judge=judge,
                        chance=chance,
                        drawn=drawn,
                        human=truth if drawn else None,
                        judged=judged,
                        raters=int(drawn),
                        scale="no/yes",
                    )
                )
    return rows


def read_columns(rows, system, other=None):
    """Source, pi, H and G from the exported lines alone."""
    lines = [json.loads(json.dumps(row_line(row))) for row in rows]
    first = {line["sample_id"]: line for line in lines if line["system"] == system}
    second = {line["sample_id"]: line for line in lines if line["system"] == other}
    columns = []
    for sample, line in first.items():
        human, judged = line["H"], line["G"]
        if other:
            human = None if human is None or second[sample]["H"] is None else human - second[sample]["H"]
            judged -= second[sample]["G"]
        columns.append((line["source_id"], line["pi"], human, judged))
    return columns


def sum_sources(columns, values):
    sums = {}
    for (source, *_rest), value in zip(columns, values, strict=True):
        sums[source] = sums.get(source, 0.0) + value
    return list(sums.values())


def by_equal_formula(columns, *, is_difference=False):
    """The formulas printed as EQUAL and INTERVAL, step by step."""
    with_people = [(human, judged) for _s, _pi, human, judged in columns if human is not None]
    alone = [judged for _s, _pi, human, judged in columns if human is None]
    n, rest = len(with_people), len(alone)
    mean_h = sum(human for human, _ in with_people) / n
    mean_g, rest_g = sum(judged for _, judged in with_people) / n, sum(alone) / rest
    u = [(human - mean_h) / n if human is not None else 0.0 for *_, human, _g in columns]
    v = [(g - mean_g) / n if human is not None else -(g - rest_g) / rest for *_, human, g in columns]
    u_s, v_s = sum_sources(columns, u), sum_sources(columns, v)
    weight = min(1.0, max(0.0, sum(a * b for a, b in zip(u_s, v_s, strict=True)) / sum(b * b for b in v_s)))
    k = len({source for source, _pi, human, _g in columns if human is not None})
    error = (k / (k - 2) * sum((a - weight * b) ** 2 for a, b in zip(u_s, v_s, strict=True))) ** 0.5
    people_error = (k / (k - 1) * sum(a * a for a in u_s)) ** 0.5
    value = mean_h - weight * (mean_g - rest_g)
    half = stats.t.ppf(0.975, k - 2) * error
    low, high = value - half, value + half
    if not is_difference:
        low, high = share_interval(value, error, np.subtract(u_s, weight * np.array(v_s)), u_s, mean_h, k - 2)
    return (
        value,
        low,
        high,
        weight,
        n * (people_error / error) ** 2,
        2 * stats.t.sf(abs(value) / error, k - 2),
    )


def by_unequal_formula(columns):
    """The formulas printed as UNEQUAL and INTERVAL."""
    total = len(columns)
    a = [human / pi if human is not None else 0.0 for _s, pi, human, _g in columns]
    b = [g * ((1 / pi if human is not None else 0.0) - 1) for _s, pi, human, g in columns]
    mean_a, mean_b = sum(a) / total, sum(b) / total
    a_s, b_s = sum_sources(columns, [x - mean_a for x in a]), sum_sources(columns, [x - mean_b for x in b])
    weight = min(1.0, max(0.0, sum(x * y for x, y in zip(a_s, b_s, strict=True)) / sum(y * y for y in b_s)))
    value = mean_a - weight * mean_b
    k = len({source for source, _pi, human, _g in columns if human is not None})
    result = sum_sources(columns, [(x - weight * y - value) / total for x, y in zip(a, b, strict=True)])
    error = (k / (k - 2) * sum(item**2 for item in result)) ** 0.5
    inverse = sum(1 / pi for _s, pi, human, _g in columns if human is not None)
    mean = sum(human / pi for _s, pi, human, _g in columns if human is not None) / inverse
    of_people = sum_sources(
        columns, [(human - mean) / pi / inverse if human is not None else 0.0 for _s, pi, human, _g in columns]
    )
    return value, *share_interval(value, error, result, of_people, mean, k - 2), weight


def test_an_outsider_finds_the_same_estimates():
    rows = make_rows()
    for estimate in estimate_groups(rows):
        value, low, high, weight, effective, _p = by_equal_formula(read_columns(rows, estimate.first))
        combined = estimate.combined
        assert (combined.value, combined.weight, combined.effective_n) == pytest.approx((value, weight, effective))
        assert (combined.low, combined.high) == pytest.approx((max(0, low), min(1, high)))
        assert estimate.saved == pytest.approx(effective - 40)
        assert 0 < combined.weight < 1


def test_an_outsider_finds_the_same_differences_and_corrected_p_values():
    rows = make_rows()
    pairs = estimate_differences(rows)
    assert [(pair.first, pair.second) for pair in pairs] == [("alpha", "beta"), ("alpha", "gamma"), ("beta", "gamma")]
    p_values = []
    for pair in pairs:
        value, low, high, weight, effective, p = by_equal_formula(
            read_columns(rows, pair.first, pair.second), is_difference=True
        )
        combined = pair.combined
        assert (combined.value, combined.low, combined.high, combined.weight) == pytest.approx(
            (value, low, high, weight)
        )
        assert (combined.effective_n, combined.p_value) == pytest.approx((effective, p))
        p_values.append(p)
    ordered = sorted(pairs, key=lambda pair: pair.combined.p_value)
    running = 0.0
    for place, pair in enumerate(ordered):
        running = max(running, min(1.0, (3 - place) * pair.combined.p_value))
        assert pair.p_combined == pytest.approx(running)
    assert all(first.p_combined <= second.p_combined for first, second in pairwise(ordered))


def test_an_outsider_finds_the_same_with_unequal_chances():
    rows = make_rows(n_sources=150, asked=60, uneven=True)
    for estimate in estimate_groups(rows):
        assert estimate.by_chance
        value, low, high, weight = by_unequal_formula(read_columns(rows, estimate.first))
        combined = estimate.combined
        assert (combined.value, combined.low, combined.high, combined.weight) == pytest.approx(
            (value, low, high, weight)
        )
        columns = read_columns(rows, estimate.first)
        weights = [(1 / pi, human) for _s, pi, human, _g in columns if human is not None]
        mean = sum(w * human for w, human in weights) / sum(w for w, _h in weights)
        assert estimate.people.value == pytest.approx(mean)


def test_a_biased_judge_alone_is_wrong_and_combined_right():
    rows = make_rows(n_sources=400, asked=100, judge_bias=0.5)
    beta = next(estimate for estimate in estimate_groups(rows) if estimate.first == "beta")
    assert beta.judge.low > RATES["beta"] + 0.1
    assert beta.combined.low < RATES["beta"] < beta.combined.high


def test_each_judge_is_estimated_on_its_own():
    first = make_rows(judge="judge1, revision 1")
    second = make_rows(judge="judge1, revision 2", accuracy=0.5)
    groups = estimate_groups([*first, *second])
    assert [estimate.judge_key for estimate in groups] == ["judge1, revision 1"] * 3 + ["judge1, revision 2"] * 3
    assert groups[0].people == groups[3].people
    assert groups[0].saved > groups[3].saved


def test_comparisons_are_tested_against_an_even_share_of_wins():
    rows = []
    for source in range(40):
        human = float(source % 10 != 0) if source < 20 else None
        for number, other in enumerate(("beta", "gamma")):
            rows.append(
                CombinedRow(
                    f"{source}-{number}", f"s{source}", f"s{source}", "alpha", "better", "judge1", 0.5, source < 20,
                    human, 1.0, other, scale="2/tie/1",
                )
            )  # fmt: skip
    groups = estimate_groups(rows)
    assert [(estimate.first, estimate.second) for estimate in groups] == [("alpha", "beta"), ("alpha", "gamma")]
    assert groups[0].people.value == 0.9
    assert groups[0].people.null == 0.5
    assert groups[0].p_people == pytest.approx(2 * groups[0].people.p_value)
    assert estimate_differences(rows) == []


def test_what_cannot_be_estimated_has_a_reason():
    rows = make_rows(asked=2)
    estimate = estimate_groups(rows)[0]
    assert estimate.people is None
    assert estimate.undefined == "2 sources with people's judgements: at least 3 are needed for an interval"
    assert estimate.judge is not None
    nobody = estimate_differences([replace(row, human=None) for row in rows])[0]
    assert "people judged none" in nobody.undefined


def test_the_signature_says_how():
    estimate = estimate_groups(make_rows())[0]
    assert str(estimate.sign("combined")) == (
        "estimate-combined|v:2|N:80|clusters:sources|error:cluster-robust|estimator:ppi++|"
        "judge:judge1, revision 1|level:0.95|n:40|pi:equal|scale:no/yes|sources:20"
    )
    assert "judge" not in str(estimate.sign("people"))

"""The plan of a round: which items, in which order, on which side; the same for the same file and seed."""

import os
import subprocess
import sys
from collections import Counter, defaultdict

import pytest

from epitome.rounds.selecting import NotEnough
from tests.conftest import ROOT
from tests.rounds.designs import TARGETS, build_candidates, plan_design


def test_the_same_samples_for_every_target_once_per_source():
    _config, result = plan_design()
    by_target = defaultdict(set)
    for item in result.items:
        by_target[item.cell].add(item.sample)
    assert len(result.items) == 90 and len({frozenset(rows) for rows in by_target.values()}) == 1
    assert len({item.source for item in result.items}) == 30


def test_independent_draws_differ_between_targets():
    _config, result = plan_design('[selection]\ndraw = "independent"')
    assert Counter(item.cell for item in result.items) == {"gold": 30, "hp": 30, "sp": 30}
    assert len({item.sample for item in result.items}) > 40


def test_an_attribute_that_asks_for_nothing_is_not_asked():
    _config, result = plan_design()
    assert all(("topic" in item.questions) == bool(item.request["topic"]) for item in result.items)
    _config, result = plan_design('[selection]\nrequire_nonempty = ["topic"]')
    assert all("topic" in item.questions for item in result.items)


def test_n_can_count_the_questions_of_every_cell():
    _config, result = plan_design('[selection]\nn = 20\ncount = "questions"')
    counts = Counter((item.cell, key) for item in result.items for key in item.questions)
    assert all(counts[target, "topic"] == 20 for target in ("gold", "hp", "sp")) and min(counts.values()) == 20


def test_every_requested_value_has_its_floor():
    _config, result = plan_design('[selection]\nn = 12\nstratify = "extractiveness"\nfloor = 3')
    values = Counter(item.request["extractiveness"] for item in result.items if item.cell == "gold")
    assert sum(values.values()) == 12 and min(values.values()) >= 3 and len(values) == 3


def test_a_design_without_enough_samples_says_what_is_lacking():
    with pytest.raises(NotEnough, match="5 samples fit, 30 are needed"):
        plan_design(rows=build_candidates(5, 1))
    with pytest.raises(NotEnough, match="ask for extractiveness full"):
        plan_design('[selection]\nstratify = "extractiveness"\nfloor = 30')


def test_the_baseline_shows_every_request_once_under_another_output():
    _config, result = plan_design(targets=TARGETS + '[[target]]\nsystem = "hp"\nno_control = true\n')
    by_key = {item.sample: item.request for item in result.items if item.cell == "hp"}
    other = {item.sample: item.request for item in result.items if item.cell == "hp-no-control"}
    assert by_key.keys() == other.keys() and all(item.texts[0].sample == item.sample for item in result.items)
    assert sorted(map(str, by_key.values())) == sorted(map(str, other.values()))
    differ = sum(by_key[key] != other[key] for key in by_key)
    assert differ > 20  # requests of two samples may be alike; the samples never are


@pytest.mark.parametrize("seed", range(6))
def test_outputs_of_one_source_lie_ten_items_apart_in_every_lane(seed):
    _config, result = plan_design("[quality]\nrepeats = 4\nother_source = 3", seed=seed, head="raters_per_item = 3")
    assert result.apart == 10
    for lane in result.lanes:
        assert sorted(lane.order) == list(range(len(result.items)))
        last: dict[str, int] = {}
        for place, number in enumerate(lane.order):
            source = result.items[number].source
            assert place - last.get(source, -10) >= 10
            last[source] = place
        places = {number: place for place, number in enumerate(lane.order)}
        assert all(
            places[i] > places[first.repeats] for i, first in enumerate(result.items) if first.repeats is not None
        )


def test_a_small_round_keeps_sources_as_far_apart_as_it_can():
    _config, result = plan_design("[selection]\nn = 5", rows=build_candidates(5, 1))
    assert result.apart == 5


def test_each_target_comes_equally_often_first_second_and_third():
    _config, result = plan_design()
    for lane in result.lanes:
        met = Counter()
        turns = Counter()
        for number in lane.order:
            value = result.items[number]
            turns[value.cell, met[value.source]] += 1
            met[value.source] += 1
        assert set(turns.values()) == {10}


def test_sides_are_even_for_every_pair_and_turned_round_in_the_next_lane():
    _config, result = plan_design(template="pairwise-preference", head="raters_per_item = 2")
    assert len(result.items) == 90
    for lane in result.lanes:
        sides = Counter((first.cell, side) for first, side in zip(result.items, lane.left, strict=True))
        assert set(sides.values()) == {15}
    assert all(a != b for a, b in zip(result.lanes[0].left, result.lanes[1].left, strict=True))


def test_pairs_by_value_are_two_requests_of_one_source():
    more = '[selection]\nn = 8\n[pairs]\nby = "value"\nattribute = "specificity"'
    targets = '[[target]]\nsystem = "hp"\n'
    _config, result = plan_design(more, template="ccsbench-readability", targets=targets)
    assert len(result.items) == 8
    for other_first in result.items:
        first, second = other_first.texts
        assert first.sample.split("#")[0] == second.sample.split("#")[0] and first.sample != second.sample
        assert other_first.labelled == 2


def test_foils_have_one_right_answer_and_the_shape_of_real_items():
    config, result = plan_design("[quality]\nother_source = 3\nparaphrase = 2")
    foils = [item for item in result.items if item.kind != "real"]
    assert Counter(foil.kind for foil in foils) == {"other-source": 3, "paraphrase": 2}
    for foil in foils:
        assert foil.expected and set(foil.expected) <= set(foil.questions)
        if foil.kind == "other-source":
            assert foil.texts[0].sample.split("#")[0] != foil.source and foil.expected == {"topic": "no"}
        else:
            assert foil.request["extractiveness"] == "full" and foil.expected == {"extractiveness": "no"}
        assert len(foil.texts) == 1 and foil.cell in {target.key for target in config.targets}


CODE = """
from tests.rounds.designs import plan_design
print(plan_design("[quality]\\nrepeats = 3\\nother_source = 2")[1].hash())
"""


def test_the_same_file_and_seed_give_the_same_round_in_every_process():
    more = "[quality]\nrepeats = 3\nother_source = 2"
    backwards = plan_design(more, rows=build_candidates()[::-1])[1].hash()
    results = {
        subprocess.run(
            [sys.executable, "-c", CODE],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "77")
    }
    assert results == {backwards} and plan_design(more, seed=4)[1].hash() not in results

"""The plan of a round: which items, in which order, on which side; the same for the same file and seed."""

import os
import subprocess
import sys
from collections import Counter, defaultdict

import pytest

from evaluation.rounds.selecting import NotEnough
from tests.conftest import ROOT
from tests.rounds.designs import TARGETS, build_candidates, plan_design


def test_the_same_samples_for_every_target_once_per_source():
    _config, found = plan_design()
    by_target = defaultdict(set)
    for one in found.items:
        by_target[one.cell].add(one.sample)
    assert len(found.items) == 90 and len({frozenset(rows) for rows in by_target.values()}) == 1
    assert len({one.source for one in found.items}) == 30


def test_independent_draws_differ_between_targets():
    _config, found = plan_design('[selection]\ndraw = "independent"')
    assert Counter(one.cell for one in found.items) == {"gold": 30, "hp": 30, "sp": 30}
    assert len({one.sample for one in found.items}) > 40


def test_an_attribute_that_asks_for_nothing_is_not_asked():
    _config, found = plan_design()
    assert all(("topic" in one.questions) == bool(one.request["topic"]) for one in found.items)
    _config, found = plan_design('[selection]\nrequire_nonempty = ["topic"]')
    assert all("topic" in one.questions for one in found.items)


def test_n_can_count_the_questions_of_every_cell():
    _config, found = plan_design('[selection]\nn = 20\ncount = "questions"')
    asked = Counter((one.cell, key) for one in found.items for key in one.questions)
    assert all(asked[target, "topic"] == 20 for target in ("gold", "hp", "sp")) and min(asked.values()) == 20


def test_every_requested_value_has_its_floor():
    _config, found = plan_design('[selection]\nn = 12\nstratify = "extractiveness"\nfloor = 3')
    values = Counter(one.request["extractiveness"] for one in found.items if one.cell == "gold")
    assert sum(values.values()) == 12 and min(values.values()) >= 3 and len(values) == 3


def test_a_design_without_enough_samples_says_what_is_lacking():
    with pytest.raises(NotEnough, match="5 samples fit in document, 30 are needed"):
        plan_design(rows=build_candidates(5, 1))
    with pytest.raises(NotEnough, match="ask for extractiveness full"):
        plan_design('[selection]\nstratify = "extractiveness"\nfloor = 30')


def test_the_baseline_shows_every_request_once_under_another_output():
    _config, found = plan_design(targets=TARGETS + '[[target]]\nsystem = "hp"\nno_control = true\n')
    own = {one.sample: one.request for one in found.items if one.cell == "hp"}
    other = {one.sample: one.request for one in found.items if one.cell == "hp-no-control"}
    assert own.keys() == other.keys() and all(one.texts[0].sample == one.sample for one in found.items)
    assert sorted(map(str, own.values())) == sorted(map(str, other.values()))
    differ = sum(own[key] != other[key] for key in own)
    assert differ > 20  # requests of two samples may be alike; the samples never are


@pytest.mark.parametrize("seed", range(6))
def test_outputs_of_one_source_lie_ten_items_apart_in_every_lane(seed):
    _config, found = plan_design("[quality]\nrepeats = 4\nother_source = 3", seed=seed, head="raters_per_item = 3")
    assert found.apart == 10
    for lane in found.lanes:
        assert sorted(lane.order) == list(range(len(found.items)))
        last: dict[str, int] = {}
        for place, number in enumerate(lane.order):
            source = found.items[number].source
            assert place - last.get(source, -10) >= 10
            last[source] = place
        places = {number: place for place, number in enumerate(lane.order)}
        assert all(places[i] > places[one.repeats] for i, one in enumerate(found.items) if one.repeats is not None)


def test_a_small_round_keeps_sources_as_far_apart_as_it_can():
    _config, found = plan_design("[selection]\nn = 5", rows=build_candidates(5, 1))
    assert found.apart == 5


def test_each_target_comes_equally_often_first_second_and_third():
    _config, found = plan_design()
    for lane in found.lanes:
        met = Counter()
        turns = Counter()
        for number in lane.order:
            one = found.items[number]
            turns[one.cell, met[one.source]] += 1
            met[one.source] += 1
        assert set(turns.values()) == {10}


def test_sides_are_even_for_every_pair_and_turned_round_in_the_next_lane():
    _config, found = plan_design(template="pairwise-preference", head="raters_per_item = 2")
    assert len(found.items) == 90
    for lane in found.lanes:
        sides = Counter((one.cell, side) for one, side in zip(found.items, lane.left, strict=True))
        assert set(sides.values()) == {15}
    assert all(a != b for a, b in zip(found.lanes[0].left, found.lanes[1].left, strict=True))


def test_pairs_by_value_are_two_requests_of_one_source():
    more = '[selection]\nn = 8\n[pairs]\nby = "value"\nattribute = "specificity"'
    targets = '[[target]]\nsystem = "hp"\n'
    _config, found = plan_design(more, template="ccsbench-readability", targets=targets)
    assert len(found.items) == 8
    for one in found.items:
        first, second = one.texts
        assert first.sample.split("#")[0] == second.sample.split("#")[0] and first.sample != second.sample
        assert one.labelled == 2


def test_foils_have_one_right_answer_and_the_shape_of_real_items():
    config, found = plan_design("[quality]\nother_source = 3\nparaphrase = 2")
    foils = [one for one in found.items if one.kind != "real"]
    assert Counter(one.kind for one in foils) == {"other-source": 3, "paraphrase": 2}
    for one in foils:
        assert one.expected and set(one.expected) <= set(one.questions)
        if one.kind == "other-source":
            assert one.texts[0].sample.split("#")[0] != one.source and one.expected == {"topic": "no"}
        else:
            assert one.request["extractiveness"] == "full" and one.expected == {"extractiveness": "no"}
        assert len(one.texts) == 1 and one.cell in {each.key for each in config.targets}


CODE = """
from tests.rounds.designs import plan_design
print(plan_design("[quality]\\nrepeats = 3\\nother_source = 2")[1].hash())
"""


def test_the_same_file_and_seed_give_the_same_round_in_every_process():
    more = "[quality]\nrepeats = 3\nother_source = 2"
    backwards = plan_design(more, rows=build_candidates()[::-1])[1].hash()
    said = {
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
    assert said == {backwards} and plan_design(more, seed=4)[1].hash() not in said

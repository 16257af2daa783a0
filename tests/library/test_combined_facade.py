"""`epitome.combined`: lists, frames and files give the estimates of the room beneath."""

import json

import numpy as np
import pytest

from epitome import combined
from epitome.combined.estimates import estimate_combined, estimate_people
from epitome.combined.judged_items import JudgedItems, subtract_systems
from epitome.combined.rows_file import row_line
from tests.combined.test_group_estimates import make_rows


def make_lists(seed=1, rate=0.7, n=40, total=200):
    rng = np.random.default_rng(seed)
    truth = (rng.uniform(size=total) < rate).astype(float)
    judge = np.where(rng.uniform(size=total) < 0.9, truth, 1 - truth)
    return [value if place < n else None for place, value in enumerate(truth)], judge.tolist()


def test_lists_give_people_judge_and_both():
    human, judge = make_lists()
    scores = combined.estimate(human, judge)
    items = JudgedItems.of(human, judge)
    both, alone = estimate_combined(items), estimate_people(items)
    assert scores["combined"].value == pytest.approx(both.value)
    assert scores["combined"].interval == pytest.approx((both.low, both.high))
    assert scores["people"].interval == pytest.approx((alone.low, alone.high))
    assert (scores["combined"].n, scores["combined"].n_judge) == (40, 160)
    assert scores["combined"].weight == pytest.approx(both.weight)
    assert scores["combined"].effective_n == pytest.approx(both.effective_n)
    assert scores["judge"].value == pytest.approx(np.mean(judge))
    assert scores["combined"].signature.startswith("estimate-combined|v:2|N:160|")
    assert "l = 0." in repr(scores["combined"])
    assert "The judge alone has its bias" in repr(scores)


def test_items_of_one_source_belong_together():
    human, judge = make_lists()
    sources = [place // 2 for place in range(200)]
    items = JudgedItems.of(human, judge, sources)
    scores = combined.estimate(human, judge, sources=sources)
    assert scores["combined"].interval == pytest.approx((estimate_combined(items).low, estimate_combined(items).high))


def test_systems_are_compared_on_the_same_items():
    first, second = make_lists(1, 0.8), make_lists(2, 0.5)
    scores = combined.compare({"alpha": first, "beta": second})
    difference = estimate_combined(
        subtract_systems(JudgedItems.of(*first, low=0.0), JudgedItems.of(*second)),
    )
    assert scores["alpha - beta.combined"].value == pytest.approx(difference.value)
    assert scores["alpha - beta.combined"].p == pytest.approx(difference.p_value)
    assert scores["alpha.combined"].p is None
    assert scores.select("alpha - beta")["people"].n == 40


def test_unequal_chances():
    rng = np.random.default_rng(3)
    human, judge = make_lists()
    chance = np.where(np.arange(200) % 2, 0.6, 0.2)
    result = rng.uniform(size=200) < chance
    human = [float(place % 3 > 0) if result[place] else float("nan") for place in range(200)]
    scores = combined.estimate(human, judge, chance=chance.tolist())
    assert "pi:unequal" in scores["combined"].signature


def test_tables_for_papers_and_notebooks():
    scores = combined.compare({"alpha": make_lists(1), "beta": make_lists(2)})
    frame = scores.to_frame()
    assert {"name", "value", "low", "high", "n", "n_judge", "weight", "effective_n", "p", "signature"} <= {
        *frame.columns
    }
    row = frame.set_index("name").loc["alpha.combined"]
    assert row["effective_n"] == pytest.approx(scores["alpha.combined"].effective_n)
    latex = scores.to_latex()
    assert r"\toprule" in latex
    assert "effective n" in latex
    page = scores._repr_html_()
    assert "<th>effective n</th>" in page
    assert "alpha - beta.combined" in page
    assert json.dumps(scores.to_dict())


def test_rows_of_an_export_as_mappings_frame_and_file(tmp_path):
    import pandas

    lines = [row_line(row) for row in make_rows()]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    of_mappings = combined.combine_rows(lines)
    assert of_mappings.to_dict() == combined.combine_rows(pandas.DataFrame(lines)).to_dict()
    assert of_mappings.to_dict() == combined.combine_files(path).to_dict()
    assert of_mappings["fluent.alpha - beta.combined"].p is not None
    with pytest.raises(ValueError, match="row 1: pi is missing"):
        combined.combine_rows([lines[0], {**lines[1], "pi": None}])


def test_files_of_people_and_judge(tmp_path):
    about = [{"item_id": f"i{place}", "source_id": f"s{place}", "system": "alpha"} for place in range(12)]
    judge = [
        {**first, "question": "fluent", "rater": "judge1", "answer": 3 + place % 2} for place, first in enumerate(about)
    ]
    people = [{**first, "rater": "rater1", "answer": 1 + number} for number, first in enumerate(judge[:5])]
    for name, lines in (("people", people), ("judge", judge)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    scores = combined.combine_files(tmp_path / "people.jsonl", tmp_path / "judge.jsonl", scales={"fluent": (1, 5)})
    assert scores["fluent.alpha.people"].value == 0.5
    assert scores["fluent.alpha.judge"].value == pytest.approx(0.625)


def test_what_is_undefined_has_a_reason():
    scores = combined.estimate([1, 0, None, None], [1, 0, 1, 1])
    assert scores["combined"].value is None
    assert "at least 3 are needed" in scores["combined"].undefined
    assert "n/a (2 sources" in scores._repr_html_()


@pytest.mark.parametrize(
    ("lists", "words"),
    [
        (([1.0], [1.0, 0.0]), "1 human, 2 judge: give one of each per item"),
        (([3.0], [1.0]), "H is 3"),
    ],
)
def test_lists_that_cannot_be(lists, words):
    with pytest.raises(ValueError, match=words):
        combined.estimate(*lists)


def test_looks_hold_at_every_time():
    looks = combined.follow([1.0] * 60, null=0.5)
    assert looks[-1].rejects
    assert looks[-1].low > 0.8
    assert not looks[3].rejects


def test_a_plan_has_its_answer_in_words():
    plans = combined.plan(items=3000, budget=100, price=0.2, judge_price=0.001, rate=0.7, correlation=0.8, between=0.2)
    assert plans.details["answer"].startswith("Yes. A difference of 0.1 with power 0.8")
    assert plans["combined"].value < plans["people"].value
    assert plans["people"].n == 500
    with pytest.raises(ValueError, match="give a pilot, or rate as you expect it"):
        combined.plan(items=10, budget=1, price=1)
    from_pilot = combined.plan(items=3000, budget=100, price=0.2, pilot=make_rows(asked=60))
    assert from_pilot.details["assumptions"]["n_pilot"] == 360

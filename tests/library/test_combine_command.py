"""`epitome combine` and `epitome plan` as a terminal shows them."""

import json

import pytest

RATES = {"alpha": 8, "beta": 5}


@pytest.fixture
def files(tmp_path):
    """People judge 30 of 100 sources, the judge all, and errs on every ninth."""
    people, judge = [], []
    for source in range(100):
        for system, tenths in RATES.items():
            is_good = (source * 7) % 10 < tenths
            about = {"item_id": f"{system}-{source}", "source_id": f"s{source}", "system": system, "question": "fluent"}
            judged = is_good if source % 9 else not is_good
            judge.append({**about, "answer": judged, "rater": "judge1"})
            if source < 30:
                people.append({**about, "answer": "yes" if is_good else "no", "rater": "rater1"})
    paths = []
    for name, lines in (("people.jsonl", people), ("judge.jsonl", judge)):
        path = tmp_path / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        paths.append(path)
    return paths


def test_combine_prints_people_judge_and_both(call, files):
    status, out, err = call("combine", *files)
    assert (status, err) == (0, "")
    alpha = next(line.split() for line in out.splitlines() if line.startswith("fluent    alpha "))
    assert alpha[2] == "0.800"
    assert alpha[-3:-1] == ["30", "70"]
    assert "judge (biased)" in out
    assert "signature: estimate-combined|v:2|N:70|" in out
    assert "SE^2" not in out
    assert "SE^2" in call("combine", *files, "--formulas")[1]


def test_combine_as_json_and_from_its_rows(call, files, tmp_path):
    rows = tmp_path / "rows.jsonl"
    status, out, _ = call("combine", *files, "--json", "--rows", rows)
    values = json.loads(out)
    assert status == 0
    combined = values["estimates"][0]["combined"]
    assert {"value", "ci95", "n", "N", "weight", "effective_n", "signature"} <= set(combined)
    assert combined["effective_n"] > combined["n"] == 30
    assert values["estimates"][0]["judge_only"]["biased"] is True
    assert [(pair["first"], pair["second"]) for pair in values["differences"]] == [("alpha", "beta")]
    assert 0 < values["differences"][0]["p_holm_combined"] < 1
    again = json.loads(call("combine", rows, "--json")[1])
    assert again["estimates"] == values["estimates"]
    assert again["differences"] == values["differences"]


def test_plan_from_a_pilot(call, files):
    status, out, _ = call(
        "plan", *files, "--systems", "alpha", "beta", "--budget", "20", "--minutes", "2", "--items", "900"
    )
    assert status == 0
    assert out.startswith("Yes. A difference of 0.1 with power 0.8 is found by people and judge")
    assert "the difference of alpha and beta. Assumed, from a pilot of 30 items" in out
    assert "20.00 hours" in out


def test_plan_from_assumptions_as_json(call):
    stated = ["--rate", "0.7", "--correlation", "0.8", "--between", "0.2"]
    status, out, _ = call(
        "plan", *stated, "--budget", "100", "--price", "0.2", "--items", "200", "--difference", "0.02", "--json"
    )
    values = json.loads(out)
    assert status == 0
    assert values["answer"].startswith("No. All 200 items")
    assert values["people_needed_without_limit"] == 6594
    assert values["assumptions"]["variance"] == pytest.approx(0.336)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["combine", "{people}", "{people}", "--scale", "fluent"], "--scale: 'fluent' is not QUESTION=LOW:HIGH"),
        (
            ["plan", "--budget", "9", "--price", "1", "--items", "9"],
            "give the files of a pilot, or --rate as you expect it",
        ),
        (
            ["plan", "--budget", "9", "--minutes", "1", "--items", "9", "--judge-price", "1"],
            "--judge-price is money and --minutes is time",
        ),
        (
            ["plan", "{people}", "{judge}", "--rate", "0.5", "--budget", "9", "--price", "1", "--items", "9"],
            "--rate is for plans without a pilot",
        ),
        (["plan", "--items", "9"], "required: --budget"),
        (["plan", "--budget", "much"], "'much' is no number"),
        (["combine"], "required: JUDGEMENTS"),
    ],
)
def test_a_wrong_call_is_status_2(call, files, words, message):
    people, judge = files
    status, out, err = call(*[word.format(people=people, judge=judge) for word in words])
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["combine", "{people}", "missing.jsonl"], "missing.jsonl: cannot be read"),
        (["combine", "{people}"], "people.jsonl, line 1, column 1, judge: is missing; one file holds rows"),
        (["combine", "{people}", "{judge}", "--rows", "{folder}"], "cannot be written: Is a directory"),
        (
            ["plan", "{people}", "{judge}", "--systems", "alpha", "x", "--budget", "9", "--price", "1", "--items", "9"],
            "there is no system 'x': there are alpha, beta",
        ),
    ],
)
def test_a_fault_of_the_input_is_one_line_and_status_1(call, files, words, message):
    people, judge = files
    status, out, err = call(*[word.format(people=people, judge=judge, folder=people.parent) for word in words])
    assert (status, out) == (1, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_completion_knows_both(call):
    script = call("completion", "bash")[1]
    assert "combine)" in script
    assert "--judge-price" in script

"""`manage.py agreement`: what it prints, and what it refuses and how."""

import json
import random
import re
import subprocess
import sys
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.conftest import ROOT

STATISTICS = {"percent", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1"}
GROUP = STATISTICS | {"items", "raters", "judgements", "missing", "yes_rate"}


def judgement(item="i1", rater="A", question="topic", answer="yes", **more):
    return {"item_id": item, "rater": rater, "question": question, "answer": answer, **more}


def table_lines(table, question="topic", **more):
    """The judgements of a two by two table: both yes, only A, only B, neither."""
    cells = [("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no")]
    answers = [cell for cell, n in zip(cells, [*table[0], *table[1]], strict=True) for _ in range(n)]
    prefix = more.get("system", "")
    return [
        judgement(f"{prefix}{number}", rater, question, answer, **more)
        for number, pair in enumerate(answers)
        for rater, answer in zip("AB", pair, strict=True)
    ]


@pytest.fixture
def file(tmp_path):
    def written(lines, name="judged.jsonl"):
        path = tmp_path / name
        data = lines if isinstance(lines, bytes) else "".join(json.dumps(line) + "\n" for line in lines).encode()
        path.write_bytes(data)
        return path

    return written


def run(path, *arguments):
    out = StringIO()
    call_command("agreement", str(path), *arguments, stdout=out)
    return out.getvalue()


def as_json(path, *arguments):
    text = run(path, "--json", *arguments)
    assert text.count("\n") == 1
    return json.loads(text, parse_constant=pytest.fail)


def test_one_question_of_two_raters(file):
    data = as_json(file(table_lines([[20, 5], [10, 15]])))
    assert set(data) >= {"questions", "pooled", "systems"}
    topic = data["questions"]["topic"]
    assert set(topic) >= GROUP
    assert (topic["items"], topic["raters"], topic["judgements"], topic["missing"]) == (50, 2, 100, 0)
    assert topic["percent"]["value"] == pytest.approx(0.7)
    assert topic["cohen_kappa"]["value"] == pytest.approx(0.4)
    low, high = topic["cohen_kappa"]["ci95"]
    assert 0.05 < low < 0.25 and 0.55 < high < 0.75  # the usual large-sample interval is .15 to .65
    assert topic["prevalence_index"]["value"] == pytest.approx(5 / 50)
    assert topic["bias_index"]["value"] == pytest.approx(-5 / 50)
    rates = topic["yes_rate"]
    assert rates["raters"]["A"]["value"] == pytest.approx(0.5)
    assert rates["raters"]["B"]["value"] == pytest.approx(0.6)
    assert (rates["raters"]["A"]["n"], rates["pooled"]["value"], rates["all_yes"]["value"]) == (50, 0.55, 0.4)
    assert "seed:12345" in data["signature"] and "n:100" in data["signature"]


def test_pooled_is_over_questions_about_items(file):
    from sklearn.metrics import cohen_kappa_score

    lines = table_lines([[20, 5], [10, 15]]) + table_lines([[30, 2], [3, 15]], "length")
    data = as_json(file(lines))
    first = [line["answer"] for line in lines if line["rater"] == "A"]
    second = [line["answer"] for line in lines if line["rater"] == "B"]
    pooled = data["pooled"]
    assert pooled["cohen_kappa"]["value"] == pytest.approx(cohen_kappa_score(first, second))
    assert (pooled["items"], pooled["distinct_items"], pooled["judgements"], pooled["missing"]) == (100, 50, 200, 0)


def test_systems_have_the_same_and_only_their_items(file):
    lines = table_lines([[20, 5], [10, 15]], system="gold") + table_lines([[9, 1], [2, 8]], system="HP")
    data = as_json(file(lines))
    assert set(data["systems"]) == {"gold", "HP"}
    gold = data["systems"]["gold"]
    assert gold["questions"]["topic"]["cohen_kappa"]["value"] == pytest.approx(0.4)
    assert gold["pooled"]["items"] == 50
    assert data["systems"]["HP"]["questions"]["topic"]["cohen_kappa"]["value"] == pytest.approx(0.7)
    assert data["pooled"]["items"] == 70


def test_missing_ratings_and_more_raters(file):
    lines = [judgement(f"i{n}", rater, answer="yes" if n % 2 else "no") for n in range(10) for rater in "ABC"]
    del lines[4]
    topic = as_json(file(lines))["questions"]["topic"]
    assert (topic["items"], topic["raters"], topic["judgements"]) == (10, 3, 29)
    assert topic["missing"] == pytest.approx(1 / 30)
    assert topic["cohen_kappa"]["value"] is None and "3 raters" in topic["cohen_kappa"]["undefined"]
    assert topic["cohen_kappa_pairs_mean"]["value"] == 1
    assert topic["fleiss_kappa"]["value"] == topic["krippendorff_alpha"]["value"] == topic["gwet_ac1"]["value"] == 1


def test_numbers_have_weighted_statistics_too(file):
    from sklearn.metrics import cohen_kappa_score

    first, second = [1, 2, 3, 4, 5, 5, 2, 1], [1, 2, 4, 4, 5, 3, 2, 2]
    lines = [judgement(f"i{n}", "A", "fluency", a) for n, a in enumerate(first)]
    lines += [judgement(f"i{n}", "B", "fluency", float(b)) for n, b in enumerate(second)]
    fluency = as_json(file(lines))["questions"]["fluency"]
    for weights in ("linear", "quadratic"):
        expected = cohen_kappa_score(first, second, weights=weights)
        assert fluency[f"cohen_kappa_{weights}"]["value"] == pytest.approx(expected)
    assert fluency["answers"] == {"1": 3, "2": 5, "3": 2, "4": 3, "5": 3}
    assert {"krippendorff_alpha_ordinal", "krippendorff_alpha_interval", "gwet_ac2_quadratic"} <= set(fluency)
    assert fluency["yes_rate"]["pooled"] == {"value": None, "undefined": "the answers are not yes and no"}


def test_true_and_false_are_yes_and_no(file):
    lines = [judgement(f"i{n}", rater, answer=n < 3) for n in range(4) for rater in "AB"]
    topic = as_json(file(lines))["questions"]["topic"]
    assert topic["yes_rate"]["pooled"]["value"] == 0.75
    assert topic["cohen_kappa"]["value"] == 1


@pytest.mark.parametrize("raters", ["A", "AB"])
def test_one_rater_or_one_answer_is_undefined_with_a_reason(file, raters):
    lines = [judgement(f"i{n}", rater) for n in range(5) for rater in raters]
    topic = as_json(file(lines))["questions"]["topic"]
    for name in STATISTICS - {"percent", "gwet_ac1" if raters == "AB" else ""}:
        assert topic[name]["value"] is None
        assert ("only one rater" if raters == "A" else " answer") in topic[name]["undefined"]
    assert (topic["percent"]["value"] == 1) == (raters == "AB")
    text = run(file(lines))
    assert "undefined: " in text and not re.search(r"\bnan\b", text, re.IGNORECASE)


@pytest.mark.parametrize(("given", "other"), [("yes", "no"), ("no", "yes"), (True, "false")])
def test_ac1_of_one_answer_to_a_yes_no_question_is_one(file, given, other):
    topic = as_json(file([judgement(f"i{n}", rater, answer=given) for n in range(5) for rater in "AB"]))
    other_topic = topic["questions"]["topic"]
    assert other_topic["gwet_ac1"] == {"value": 1, "ci95": [pytest.approx(0.566, abs=0.001), 1]}  # Wilson's of 5 of 5
    assert other_topic["answers"][other] == 0
    stars = as_json(file([judgement(f"i{n}", rater, answer=5) for n in range(5) for rater in "AB"]))
    assert "scale has only one answer" in stars["questions"]["topic"]["gwet_ac1"]["undefined"]


def test_ac1_takes_the_answers_of_the_question_about_whatever_system(file):
    used = [judgement(f"a{n}", rater, answer=n % 3, system="A") for n in range(6) for rater in "AB"]
    few = [judgement(f"b{n}", rater, answer=(n + (rater == "B")) % 2, system="B") for n in range(6) for rater in "AB"]
    topic = as_json(file([*used, *few]))["systems"]["B"]["questions"]["topic"]
    # The raters of B never agree; half of the answers are 0, half 1: chance is 2 x 1/4 / (3 - 1) of three answers.
    assert topic["gwet_ac1"]["value"] == pytest.approx((0 - 0.25) / (1 - 0.25))


def test_one_item_has_values_but_no_interval(file):
    topic = as_json(file([judgement(rater="A"), judgement(rater="B", answer="no")]))["questions"]["topic"]
    assert topic["percent"] == {"value": 0, "ci95": None, "ci95_undefined": "only one item, so nothing to draw from"}


def test_the_order_of_the_lines_does_not_matter(file):
    lines = table_lines([[20, 5], [10, 15]], system="gold") + table_lines([[9, 1], [2, 8]], "length", system="gold")
    completed_before = run(file(lines), "--json")
    random.Random(1).shuffle(lines)
    assert run(file(lines), "--json") == completed_before


def test_the_seed_changes_the_interval_and_not_the_value(file):
    path = file(table_lines([[20, 5], [10, 15]]))
    first, second = (as_json(path, "--seed", seed)["pooled"]["cohen_kappa"] for seed in ("1", "2"))
    assert first["value"] == second["value"] and first["ci95"] != second["ci95"]
    assert "bootstrap:50" in as_json(path, "--bootstrap", "50")["signature"]


def test_the_table_is_aligned_and_warns_where_kappa_misleads(file):
    text = run(file(table_lines([[90, 4], [5, 1]])))
    assert "judged.jsonl" in text and "signature: agreement|v:3|" in text
    rows = [line for line in text.splitlines() if " [" in line and "]" in line and line.startswith("  ")]
    assert len(rows) > 8 and len({line.index("[") for line in rows}) == 1
    assert "92% of the answers are yes" not in text  # it is 94.5 %
    assert "94% of the answers are yes" in text and "AC1" in text
    assert "note:" not in run(file(table_lines([[40, 9], [6, 45]])))


def test_answers_that_differ_in_case_only_are_named(file):
    lines = [judgement(f"i{n}", "A") for n in range(4)] + [judgement(f"i{n}", "B", answer="Yes") for n in range(4)]
    assert "differ only in case" in run(file(lines))


def test_a_blank_last_line_and_a_byte_order_mark_are_fine(file):
    good = "".join(json.dumps(line) + "\n" for line in table_lines([[2, 1], [1, 2]]))
    expected = as_json(file(good.encode()))
    assert as_json(file(b"\xef\xbb\xbf" + good.encode() + b"\n  \n")) == expected
    assert as_json(file(good.replace("\n", "\r\n").encode())) == expected
    assert as_json(file(good.rstrip().encode())) == expected


def test_numbers_may_name_items_and_raters(file):
    lines = [judgement(item, rater, answer="yes" if item else "no") for item in (0, 1) for rater in (7, 8)]
    topic = as_json(file(lines))["questions"]["topic"]
    assert topic["cohen_kappa"]["value"] == 1 and set(topic["yes_rate"]["raters"]) == {"7", "8"}


GOOD = json.dumps(judgement()).encode() + b"\n"


def changed(**fields):
    row = {key: value for key, value in (judgement(rater="B") | fields).items() if value is not ...}
    return GOOD + json.dumps(row).encode() + b"\n"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", ["holds no record"]),
        (b"\n \n", ["holds no record"]),
        (GOOD + GOOD, ["line 2", "rater", "line 1", "A"]),
        (GOOD + b"[1]\n", ["line 2", "a list"]),
        (GOOD + b'{"item_id": "x"', ["line 2", "not JSON"]),
        (changed(item_id=...), ["line 2", "item_id", "missing"]),
        (changed(rater=...), ["line 2", "rater", "missing"]),
        (changed(question=...), ["line 2", "question", "missing"]),
        (changed(answer=...), ["line 2", "answer", "missing"]),
        (changed(answer=None), ["line 2", "answer", "null"]),
        (changed(answer={"x": 1}), ["line 2", "answer", "an object"]),
        (changed(answer=["yes"]), ["line 2", "answer", "a list"]),
        (changed(answer=" "), ["line 2", "answer", "empty"]),
        (changed(answer=1), ["line 2", "answer", "a number", "line 1", "text"]),
        (changed(answer=True), ["line 2", "answer", "true/false", "line 1"]),
        (changed(question="other", answer=10**400), ["line 2", "answer", "too large"]),
        (changed(rater=["A"]), ["line 2", "rater", "a list"]),
        (changed(rater=1.5), ["line 2", "rater", "a number"]),
        (changed(rater=True), ["line 2", "rater", "true/false"]),
        (changed(item_id=10**30), ["line 2", "item_id"]),
        (changed(item_id=""), ["line 2", "item_id", "empty"]),
        (changed(item_id="x" * 5000), ["line 2", "item_id", "longer"]),
        (changed(question=3), ["line 2", "question", "a number"]),
        (changed(system=3), ["line 2", "system", "a number"]),
        (changed(domain=[]), ["line 2", "domain", "a list"]),
        (changed(answer="\ud83d"), ["line 2", "answer", "surrogate"]),
        (changed(answer="a\0b"), ["line 2", "answer", "NUL"]),
        (GOOD + b'{"item_id": "i", "rater": "B", "question": "q", "answer": NaN}\n', ["line 2", "NaN"]),
        (GOOD + b'{"item_id": "i", "rater": "B", "question": "q", "answer": -Infinity}\n', ["line 2", "Infinity"]),
        (GOOD + b'{"item_id": "i", "rater": "B", "question": "q", "answer": 1e999}\n', ["line 2", "1e999"]),
        (
            GOOD + b'{"item_id": "i", "rater": "B", "question": "q", "answer": ' + b"9" * 5000 + b"}\n",
            ["line 2", "digits"],
        ),
        (GOOD + b'{"rater": "A", "rater": "B"}\n', ["line 2", "twice"]),
        (GOOD + b'{"item_id": "\xff"}\n', ["line 2", "UTF-8"]),
        (GOOD + b'{"answer": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", ["line 2", "nested"]),
        (b"\x00\xff\x13\x37" * 50, ["line 1"]),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_line(file, data, told):
    out = StringIO()
    with pytest.raises(CommandError) as error:
        call_command("agreement", str(file(data)), "--json", stdout=out)
    line = str(error.value)
    assert error.value.returncode == 1 and out.getvalue() == ""
    assert "\n" not in line and len(line) <= 480 and line.startswith("judged.jsonl")
    for item in told:
        assert item in line


def test_an_item_of_two_systems_is_refused(file):
    lines = [judgement(system="gold"), judgement(rater="B", system="HP")]
    with pytest.raises(CommandError, match=r"line 2, column \d+, system: .*line 1.*its own item_id .seen: HP."):
        run(file(lines))


def test_sources_are_drawn_where_every_item_names_its_own(file):
    lines = table_lines([[6, 2], [2, 6]])
    results = [{**line, "source_id": f"s{int(line['item_id']) // 8}"} for line in lines]
    by_item, by_source = (as_json(file(item)) for item in (lines, results))
    topic = [item["questions"]["topic"] for item in (by_item, by_source)]
    assert topic[0]["cohen_kappa"]["value"] == topic[1]["cohen_kappa"]["value"]
    assert topic[0]["cohen_kappa"]["ci95"] != topic[1]["cohen_kappa"]["ci95"]
    assert topic[1]["distinct_items"] == 16
    assert "clusters:items" in by_item["signature"] and "clusters:sources" in by_source["signature"]
    assert "clusters:items" in as_json(file([*results, judgement("other")]))["signature"]


def test_a_system_named_on_one_line_of_an_item_counts_for_all_of_it(file):
    lines = [judgement(system="gold"), judgement(rater="B", answer="no", system=None)]
    assert as_json(file(lines))["systems"]["gold"]["pooled"]["judgements"] == 2


def test_a_file_that_is_not_there_or_a_folder(tmp_path):
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(CommandError, match="cannot be read"):
            run(path)


@pytest.mark.parametrize("arguments", [["--bootstrap", "0"], ["--bootstrap", "many"], ["--seed", "-1"]])
def test_unusable_options_are_refused(file, arguments):
    with pytest.raises(CommandError, match=arguments[0]):
        run(file(table_lines([[2, 1], [1, 2]])), *arguments)


@pytest.mark.parametrize("arguments", [["--bootstrap", "0"], []])
def test_wrong_usage_ends_with_2_and_a_refusal_with_1_and_one_line(file, arguments):
    path = file(b"{}\n")
    completed = subprocess.run(
        [sys.executable, "manage.py", "agreement", str(path), *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert completed.returncode == (2 if arguments else 1) and completed.stdout == ""
    if not arguments:
        assert completed.stderr.count("\n") == 1 and len(completed.stderr) <= 500 and "item_id" in completed.stderr

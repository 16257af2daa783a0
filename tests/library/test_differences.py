"""docs/differences.md: Epitome answers what the page says; `--compare` prints what other libraries give."""

import json

import pytest

from epitome.cli.main import main
from tests.conftest import ROOT
from tests.metrics.macsum_small import entries, write

PAGE = (ROOT / "docs" / "differences.md").read_text(encoding="utf-8")
FIRST, SECOND = [1, 1, 2, 5, 5, 2, 1, 5], [1, 2, 2, 5, 2, 2, 1, 5]


@pytest.fixture
def judged(tmp_path):
    """judged(first, second) -> a file of two raters' answers to one question, None where one is missing."""

    def written(first, second):
        lines = [
            {"item_id": item, "rater": rater, "question": "q", "answer": answer}
            for rater, answers in (("ann", first), ("bob", second))
            for item, answer in enumerate(answers)
            if answer is not None
        ]
        path = tmp_path / "judged.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    return written


@pytest.fixture
def printed(capsys):
    """What the command prints."""

    def run(*words):
        assert main([str(word) for word in words]) == 0
        return capsys.readouterr().out

    return run


def as_rows(text):
    """(coefficient, library) -> (Epitome's, theirs)"""
    rows = json.loads(text)["questions"]["q"]["compared"]
    return {(row["name"], row["library"].split()[0]): (row["ours"], row["theirs"]) for row in rows}


def test_epitome_answers_what_the_page_says(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "findings" / "differences")
    monkeypatch.chdir(tmp_path)
    import build

    answers = build.ask("epitome")
    rows = {row.split(" | ")[0][2:]: row.split(" | ")[1] for row in PAGE.split("\n") if row.startswith("| ")}
    assert len(answers) >= 40
    assert {build.escape(name): build.escape(answer["Epitome"]) for name, answer in answers.items()} == {
        name: own for name, own in rows.items() if own not in ("Epitome", "–")
    }


def test_weighted_kappa_and_ordinal_alpha_beside_other_libraries(judged, printed):
    file = judged(FIRST, SECOND)
    rows = as_rows(printed("agreement", file, "--compare", "--json", "--bootstrap", 20))
    assert rows["cohen_kappa_quadratic", "scikit-learn"] == (pytest.approx(0.7727, abs=1e-4), pytest.approx(0.8))
    assert ("cohen_kappa", "scikit-learn") not in rows
    # irrCAC 0.4.4: CAC(frame, weights="ordinal").krippendorff()
    assert rows["krippendorff_alpha_ordinal", "irrCAC"][1] == pytest.approx(0.77778, abs=1e-5)
    text = printed("agreement", file, "--compare", "--bootstrap", 20)
    assert "cohen_kappa_score: 0.800, since it goes by the steps between the answers that occur (1, 2, 5)" in text
    assert "other libraries" not in printed("agreement", file, "--bootstrap", 20)


def test_missing_answers_and_one_answer_beside_other_libraries(judged, printed):
    file = judged(["y", "n", "y", "n"], ["y", "n", None, "y"])
    rows = as_rows(printed("agreement", file, "--compare", "--json", "--bootstrap", 20))
    assert rows["percent", "pandas"] == (pytest.approx(2 / 3), 0.5)
    assert rows["cohen_kappa", "scikit-learn"][1] == "an error"
    assert rows["fleiss_kappa", "statsmodels"][1] == "AssertionError"
    rows = as_rows(printed("agreement", judged(["y"] * 4, ["y"] * 4), "--compare", "--json", "--bootstrap", 20))
    assert rows["cohen_kappa", "scikit-learn"] == (None, "nan")
    assert rows["krippendorff_alpha", "krippendorff"] == (None, "ValueError")
    assert rows["gwet_ac1", "irrCAC"] == (None, 1.0)


def test_where_no_library_differs_that_is_said(judged, printed):
    text = printed("agreement", judged(["y", "n", "y", "n"], ["y", "n", "n", "n"]), "--compare", "--bootstrap", 20)
    assert "other libraries: no difference" in text


def test_marks_are_not_compared(judged, capsys):
    assert main(["agreement", "--spans", str(judged(FIRST, SECOND)), "--compare"]) == 2
    assert "leave out --spans" in capsys.readouterr().err


def test_rouge_and_length_beside_other_libraries(tmp_path, printed):
    rows = entries()[:1]
    rows[0]["references"] = [rows[0]["references"][0], {**rows[0]["references"][0]}]
    for reference, text in zip(rows[0]["references"], ("The council votes.", "Rain fell today, again."), strict=True):
        reference["summary"] = text
    file = write(tmp_path, rows)
    predictions = write(tmp_path, '"The councils vote."\n"Rain fell."\n', "p.jsonl")
    printed_rows = json.loads(printed("measure", file, "--predictions", predictions, "--compare", "--json"))["compared"]
    found = {(row["name"], row["library"]): row for row in printed_rows}
    plain = found["rouge1", "rouge-score RougeScorer(['rouge1'])"]
    assert (plain["ours"], plain["theirs"]) == (pytest.approx((1 + 2 / 3) / 2), pytest.approx((1 / 3 + 2 / 3) / 2))
    assert "does not stem" in plain["why"]
    length = found["f length short", "len(text.split())"]
    assert (length["ours"], length["theirs"]) == (3.5, 2.5)
    text = printed("measure", file, "--predictions", predictions, "--compare")
    assert "Other libraries:" in text


def test_several_references_of_one_request_are_named(tmp_path, printed):
    rows = entries()[:1]
    rows[0]["references"] = [rows[0]["references"][0], {**rows[0]["references"][0], "summary": "Rain fell today."}]
    file = write(tmp_path, rows)
    predictions = write(tmp_path, '"Rain fell today."\n"Rain fell today."\n', "p.jsonl")
    found = json.loads(printed("measure", file, "--predictions", predictions, "--compare", "--json"))["compared"]
    best = next(row for row in found if row["library"] == "rouge-score score_multi" and row["name"] == "rouge1")
    assert (best["ours"], best["theirs"]) == (0.5, 1.0)
    assert "best reference of a request" in best["why"]


def test_a_library_that_is_not_installed_gives_what_it_would_give(judged, printed, monkeypatch):
    words = ("agreement", judged(FIRST, SECOND), "--compare", "--json", "--bootstrap", 20)
    installed = as_rows(printed(*words))
    monkeypatch.setattr("epitome.agreement.compared.find_spec", lambda name: None)
    found = as_rows(printed(*words))
    assert found.keys() == installed.keys()
    assert [theirs for _, theirs in found.values()] == pytest.approx([theirs for _, theirs in installed.values()])

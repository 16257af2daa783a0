"""The table of the human check, with the interval of the paper's 200 examples."""

import pytest

from epitome.metrics.contrastive_scores import RULES
from epitome.reports.answers import Answer, Answers, Frame, ReportQuestion
from epitome.reports.human_check import human_check_tables

QUESTIONS = (
    ReportQuestion("readability-issue", "Readability issue", "Readability issue", "yes-no"),
    ReportQuestion("discrepancy", "Discrepancy", "Discrepancy", "yes-no"),
)


def build_frame(*raters: str) -> Frame:
    return Frame("Check", ("contrastive",), QUESTIONS, raters, (("document", "Documents"),), replicates=50)


def rate(number: int, rater: str, readability: bool, discrepancy: bool, source: str = "") -> list[Answer]:
    common = {"item": f"i{number}", "rater": rater, "system": "contrastive", "domain": "document"}
    common |= {"source": source or f"s{number}", "rule": RULES[number % 8]}
    pairs = zip(QUESTIONS, (readability, discrepancy), strict=True)
    return [Answer(question=question.key, answer="yes" if yes else "no", **common) for question, yes in pairs]


def all_row(tables):
    table = tables[0]
    row = next(row for row in table.rows if row[0].value == "all")
    return dict(zip([column.label for column in table.columns], row, strict=True))


def test_the_papers_numbers_have_the_intervals_of_200_independent_examples():
    # 99 hard to read, 87 with a discrepancy, none with both: 186 of 200 with at least one.
    rows = [row for n in range(200) for row in rate(n, "rater1", n < 99, 99 <= n < 186)]
    tables = human_check_tables(build_frame("rater1"), Answers(rows))
    assert len(tables) == 1, "one rater has no agreement"
    cells = all_row(tables)
    assert cells["Examples"].value == 200
    assert [cells[f"{name}, %"].value for name in ("Readability issue", "Discrepancy", "At least one", "Neither")] == [
        49.5, 43.5, 93, pytest.approx(7),
    ]  # fmt: skip
    share = cells["At least one, %"]
    assert (round(share.low, 1), round(share.high, 1), share.n) == (88.6, 95.8, 200)
    assert [row[1].value for row in tables[0].rows[:8]] == [25] * 8
    assert tables[0].quoted == [9] and [cell.value for cell in tables[0].rows[9]][1:] == [200, 49.5, 43.5, 93, None]


def test_several_ratings_about_one_source_widen_the_interval():
    rows = [row for n in range(40) for row in rate(n, "rater1", n % 10 < 5, False, source=f"s{n % 10}")]
    apart = [row for n in range(40) for row in rate(n, "rater1", n % 10 < 5, False)]
    alike, independent = (
        all_row(human_check_tables(build_frame("rater1"), Answers(answers)))["Readability issue, %"]
        for answers in (rows, apart)
    )
    assert alike.value == independent.value == 50
    assert alike.high - alike.low > 1.5 * (independent.high - independent.low)


def test_a_rating_with_an_open_question_counts_for_nothing():
    rows = [row for n in range(8) for row in rate(n, "rater1", True, True)]
    cells = all_row(human_check_tables(build_frame("rater1"), Answers(rows[:-1])))
    assert cells["At least one, %"].n == 7


def test_kappa_of_two_raters_by_question_and_of_at_least_one():
    # Readability: 20 both yes, 5 and 5 apart, 10 both no of 40: agreement .75, chance .53125, kappa .46667.
    first, second = [True] * 25 + [False] * 15, [True] * 20 + [False] * 5 + [True] * 5 + [False] * 10
    rows = [row for n in range(40) for row in rate(n, "rater1", first[n], False) + rate(n, "rater2", second[n], False)]
    _shares, agreement = human_check_tables(build_frame("rater1", "rater2"), Answers(rows))
    kappas = {row[0].value: row[2] for row in agreement.rows}
    assert kappas["Readability issue"].value == pytest.approx(0.46667, abs=1e-5)
    assert kappas["At least one"].value == kappas["Readability issue"].value
    assert kappas["Discrepancy"].value is None and kappas["Discrepancy"].undefined


def test_other_rounds_have_no_such_table():
    rows = [Answer("i", "r", "discrepancy", "yes", "hp", "document", "s")]
    assert human_check_tables(build_frame("r"), Answers(rows)) == []

"""The table of strengths: an interval has two ends, or a note says which one is missing and why."""

import numpy as np
import pytest

from epitome.reports.answers import Answer, ReportQuestion, real_answers
from epitome.reports.strengths import NEVER_LOSES, NEVER_WINS, bound_strength, strength_table
from tests.reports.frames import make_frame

QUESTION = ReportQuestion("better", "Better", "Pref", "preference")
SYSTEMS = ("A", "B", "C")


def prefer(first, second, answers):
    """An answer about a pair from each of several sources."""
    return [
        Answer(f"{first}{second}{n}", "one", "better", answer, first, "document", f"s{n}", sample=f"s{n}", other=second)
        for n, answer in enumerate(answers)
    ]


def build(*pairs):
    rows = [row for pair in pairs for row in prefer(*pair)]
    table = strength_table(make_frame(systems=SYSTEMS, questions=(QUESTION,)), QUESTION, real_answers(rows))
    return {row[0].value: row[1] for row in table.rows}, " ".join(table.notes)


def test_systems_that_win_and_lose_have_intervals_with_two_ends():
    cells, notes = build(("A", "B", "1121221111" * 3), ("B", "C", "1121211212" * 3), ("A", "C", "1211121112" * 3))
    assert all(cell.low < cell.value < cell.high for cell in cells.values()) and "closed interval" not in notes


def test_a_system_that_lost_once_has_no_upper_end_and_the_table_says_so():
    cells, notes = build(("A", "B", "1" * 19 + "2"), ("B", "C", "12" * 10), ("A", "C", "1" * 20))
    assert cells["A"].value > 2 and (cells["A"].low, cells["A"].high) == (None, None)
    assert "A has no closed interval: at least" in notes and "of the replicates nothing is preferred to it" in notes


def test_an_undefeated_and_a_winless_system_have_a_reason_and_no_number():
    cells, _notes = build(("A", "B", "1" * 10), ("B", "C", "1" * 10), ("A", "C", "1" * 10))
    assert [cell.value for cell in cells.values()] == [None] * 3
    assert (cells["A"].undefined, cells["C"].undefined) == (NEVER_LOSES, NEVER_WINS)
    assert "no finite estimate" in cells["B"].undefined


def test_ends_are_the_percentiles_of_what_is_known():
    values = np.linspace(-1, 1, 1001)
    low, high, why = bound_strength(values, 1000)
    assert (low, high) == pytest.approx((-0.951, 0.951), abs=0.002) and not why
    low, high, why = bound_strength(np.concatenate([values, [-np.inf] * 200]), 1000)
    assert low is None and high == pytest.approx(0.94, abs=0.01) and "at most 0.9" in why and "it never wins" in why
    assert "do not exist in 67" in bound_strength(np.array([0.1, np.nan, np.nan]), 30)[2]

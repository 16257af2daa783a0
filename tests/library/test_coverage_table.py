"""The command that simulates how often intervals and tests are right: its rows and its table."""

import numpy as np

from benchmarks.coverage import CHECKS, Row, check_all, group_rows


def test_each_check_has_rows_that_do_not_depend_on_the_others():
    alone = list(check_all(10, "check_marks"))
    assert [row.kind for row in alone] == ["coverage", "type I"] * 2
    assert alone == list(check_all(10, "marks")) and {row.runs for row in alone} == {10}
    assert {check.__name__.removeprefix("check_") for check in CHECKS} >= {"shares", "agreement", "differences"}


def test_the_table_has_a_line_per_number_and_its_designs_in_it():
    rows = [
        Row("kappa", "bootstrap", "20 x 1", "coverage", 0.9512, 400),
        Row("kappa", "bootstrap", "30 x 1", "coverage", 1.0, 400),
        Row("kappa", "sign flips", "30 x 1", "type I", float(np.nan), 400),
    ]
    *_head, first, second = group_rows(rows)
    assert first == "| kappa | bootstrap | *coverage* 20 x 1: .951; 30 x 1: 1.0 | 400 |"
    assert second == "| kappa | sign flips | *type I* 30 x 1: n/a | 400 |"

"""The yes-rates of a round: the printed table of MACSum, and what the other readings say."""

import pytest

from epitome.figures.tables import format_value
from epitome.reports.answers import real_answers
from epitome.reports.yes_rates import by_value_table, yes_tables
from tests.reports.frames import CODES, DOMAINS, PRINTED, QUESTIONS, make_frame, printed_answers


@pytest.fixture(scope="module")
def tables():
    return {table.key: table for table in yes_tables(make_frame(), real_answers(printed_answers()))}


def cell_of(table, system, domain, label):
    at = next(i for i, column in enumerate(table.columns) if (column.group, column.label) == (domain, label))
    return next(row for row in table.rows if row[0].value == system)[at]


def test_the_table_as_published_is_printed_exactly(tables):
    table = tables["yes-rater-1"]
    for (system, domain), (rates, kappa) in PRINTED.items():
        name = dict(DOMAINS)[domain]
        for question, rate in zip(QUESTIONS[domain], rates, strict=True):
            cell = cell_of(table, system, name, CODES[question])
            assert format_value(cell.value, 2) == f"{rate:.2f}".removeprefix("0")
            assert cell.n == 30
            assert cell.low < cell.value < cell.high
        assert format_value(cell_of(table, system, name, "κ").value, 2) == f"{kappa:.2f}".removeprefix("0")


def test_columns_stand_in_the_order_of_domains_and_only_where_a_question_was_asked(tables):
    assert [(c.group, c.label) for c in tables["yes-rater-1"].columns[1:]] == [
        *(("MAC-Doc", label) for label in ("Tpc", "Ext", "Spe", "κ")),
        *(("MAC-Dial", label) for label in ("Tpc", "Spk", "Ext", "Spe", "κ")),
    ]


def test_the_other_readings_have_names_of_their_own(tables):
    assert list(tables) == ["yes-rater-1", "yes-rater-2", "yes-pooled", "yes-all"]
    first, second = (cell_of(tables[f"yes-rater-{n}"], "HP", "MAC-Dial", "Tpc").value for n in (1, 2))
    pooled = cell_of(tables["yes-pooled"], "HP", "MAC-Dial", "Tpc")
    assert pooled.value == pytest.approx((first + second) / 2)
    assert pooled.n == 60
    assert cell_of(tables["yes-all"], "HP", "MAC-Dial", "Tpc").value <= min(first, second)


def test_foils_and_repeats_change_no_rate(tables):
    from dataclasses import replace

    rows = printed_answers()
    more = [replace(row, item=f"foil-{row.item}", answer="no", quality="foil", expected="yes") for row in rows]
    more += [replace(row, item=f"again-{row.item}", answer="no", quality="repeat") for row in rows]
    again = yes_tables(make_frame(), real_answers([*rows, *more]))
    assert [table.as_json() for table in again] == [table.as_json() for table in tables.values()]


def test_rates_are_told_by_requested_value():
    table = by_value_table(make_frame(), real_answers(printed_answers()))
    rows = {tuple(cell.value for cell in row[:4]): row[4] for row in table.rows}
    result = 2 * 30
    assert rows["Gold", "MAC-Doc", "Specificity", "high"].n == result // 3
    assert rows["Gold", "MAC-Doc", "Specificity", "normal"].n == result - result // 3


def test_an_attribute_that_one_domain_does_not_ask_is_no_zero(tables):
    rows = [row for row in printed_answers() if (row.system, row.question) != ("HP", "speaker")]
    table = yes_tables(make_frame(), real_answers(rows))[0]
    assert cell_of(table, "HP", "MAC-Dial", "Spk").value is None
    assert cell_of(table, "HP", "MAC-Dial", "Spk").undefined == "not asked"


def test_a_crowd_gets_no_table_of_each_rater():
    from dataclasses import replace

    names = tuple(f"r{number}" for number in range(12))
    rows = [replace(row, rater=names[place % 12]) for place, row in enumerate(printed_answers())]
    tables = yes_tables(make_frame(raters=names), real_answers(rows))
    assert [table.key for table in tables] == ["yes-pooled", "yes-all"]

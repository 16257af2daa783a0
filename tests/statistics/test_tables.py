"""A table gives the same numbers as CSV, LaTeX and JSON, and no cell can do harm in a spreadsheet or in TeX."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.figures.tables import Cell, Column, Table, format_value, latex_text, safe_cell

TABLE = Table(
    "size",
    "Size & shape",
    [
        Column("Split", kind="text"),
        Column("words", "Source", digits=1, interval=True, count=True),
        Column("n", "Source"),
    ],
    [
        [Cell("dev_1"), Cell(12.345, low=10.0, high=14.5, n=7), Cell(20000)],
        [Cell("=cmd()"), Cell(undefined="one source only"), Cell(-0.5)],
    ],
    notes=["50 % of it"],
    signature="length|v:1",
)


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_csv_holds_numbers_in_full_with_interval_and_n():
    assert read(TABLE.csv()) == [
        ["Split", "Source words", "Source words 95 % low", "Source words 95 % high", "Source words n", "Source n"],
        ["dev_1", "12.345", "10", "14.5", "7", "20000"],
        ["'=cmd()", "n/a: one source only", "", "", "", "-0.5"],
    ]


def test_latex_is_a_booktabs_table_with_everything_escaped():
    text = TABLE.latex()
    for line in (
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
        r"\begin{tabular}{lrr}",
        r" & \multicolumn{2}{c}{Source} \\",
        r"\cmidrule(lr){2-3}",
        r"dev\_1 & 12.3 {\scriptsize [10.0, 14.5], $n$=7} & 20\,000 \\",
        r"=cmd() & n/a & $-$.50 \\",
        r"\caption{Size \& shape}",
        "% length|v:1",
    ):
        assert line in text, line
    assert r"50 \% of it" in text
    assert text.count("{") == text.count("}")


def test_json_gives_the_table_back():
    assert Table.from_json(json.loads(json.dumps(TABLE.as_json()))).as_json() == TABLE.as_json()
    assert Table.from_json(TABLE.as_json()).csv() == TABLE.csv()


@pytest.mark.parametrize("start", ["=1", "+1", "-x", "@SUM", "\t=1", "\r=1", " =1", "\n=1"])
def test_a_text_that_looks_like_a_formula_is_marked_as_text(start):
    assert safe_cell(start).startswith("'")
    assert safe_cell("news-1") == "news-1"


@given(st.text(max_size=30))
def test_any_text_survives_csv_and_leaves_latex_balanced(text):
    table = Table("t", "T", [Column("a", kind="text")], [[Cell(text or "x")]])
    assert read(table.csv())[1][0] in (text or "x", "'" + (text or "x"))
    escaped = latex_text(text)
    for harmful in ("&", "%", "#", "_"):
        assert escaped.count(harmful) == escaped.count("\\" + harmful)


def test_numbers_are_shown_as_in_a_paper():
    assert [format_value(value, 2) for value in (0.256, -0.256, 1.0, 0.0, -0.001, 7, 12345, "snh", None)] == [
        ".26",
        "−.26",
        "1.00",
        ".00",
        ".00",
        "7",
        "12\u202f345",
        "snh",
        "n/a",
    ]


def test_a_cell_has_a_value_or_a_reason_and_never_nan():
    for wrong in ({}, {"value": 1.0, "undefined": "x"}, {"value": float("nan")}, {"value": 1.0, "low": float("inf")}):
        with pytest.raises(ValueError, match="cell"):
            Cell(**wrong)


def test_a_row_that_does_not_fit_the_columns_is_refused():
    with pytest.raises(ValueError, match="row 0: has 2 cells, but there are 1 columns"):
        Table("t", "T", [Column("a")], [[Cell(1), Cell(2)]])

"""The published tables as data: complete, consistent where the paper is, and marked where it is not."""

import pytest

from epitome.metrics.published import FILES, find_table, load_tables


def test_the_splits_add_up_to_the_printed_totals():
    rows = find_table("macsum/splits").rows
    assert sum(row.cells["samples"] for row in rows) == 8333
    assert sum(row.cells["sources"] for row in rows) == 1353
    assert sum(row.cells["samples"] for row in rows if row.key.startswith("macsum-doc")) == 5379


@pytest.mark.parametrize(
    ("name", "row", "column", "value"),
    [
        ("macsum/table_2", "macsum-dial", "turns", 144.6),
        ("macsum/table_3", "length-long", "macsum-dial-test", 107.44),
        ("macsum/table_3", "specificity-high", "macsum-doc-dev", 5.11),
        ("macsum/table_3", "topic", "macsum-dial-train", 0.83),
        ("macsum/table_4", "gold", "length_cc", 32.444),
        ("macsum/table_4", "hp", "extractiveness_cer", 0.802),
        ("macsum/table_5", "sp", "length_cc", -0.798),
        ("macsum/table_5", "hp-sp", "rougeL", 0.260),
        ("macsum/table_7", "doc-without-cnn", "extractiveness_cer", 1.033),
        ("tesa/systems", "random", "recall", 0.442),
        ("ccsbench/systems", "B1", "delta", 3.59),
        ("contrastive/runs", "abs-gigaword", "tuples", 9863),
    ],
)
def test_cells_as_printed(name, row, column, value):
    assert find_table(name).cell(row, column) == value


def test_what_is_not_printed_is_none():
    assert find_table("macsum/table_3").cell("speaker", "macsum-doc-dev") is None
    assert find_table("macsum/table_2").cell("cnndm", "turns") is None


def test_what_is_printed_wrongly_is_marked():
    rows = find_table("macsum/table_4").rows
    assert all("extractiveness" in row.slips["specificity_cc"] for row in rows)
    assert "0.781" in find_table("macsum/table_4").row("gold").slips["specificity_cc"]
    assert not any(row.slips for row in find_table("macsum/table_5").rows)
    assert "5.10" in find_table("macsum/table_3").row("specificity-normal").slips["macsum-dial-test"]


def test_every_file_is_read_and_unknown_names_are_told():
    for paper in FILES:
        assert all(table.rows and table.source for table in load_tables(paper).values())
    with pytest.raises(KeyError, match="table_2, splits"):
        find_table("macsum/table_9")
    with pytest.raises(KeyError, match="no published paper 'x'"):
        find_table("x/y")
    with pytest.raises(KeyError):
        find_table("macsum/table_4").cell("gold", "nothing")

"""Parquet files, as pandas and pyarrow load them."""

import pytest

from epitome.formats.parquet import write_parquet

pq = pytest.importorskip("pyarrow.parquet")
ROWS = [
    {
        "sample_id": "a#0",
        "n": 1,
        "score": 0.5,
        "skipped": False,
        "topics": ["x", "y"],
        "spans": [[0, 1], 3],
        "none": None,
    },
    {"sample_id": "b#0\u202e", "n": None, "score": 2, "skipped": True, "topics": [], "spans": None, "none": None},
]


def test_kinds_are_found_and_values_come_back(tmp_path):
    path = tmp_path / "out.parquet"
    assert write_parquet(path, iter(ROWS)) == 2
    loaded = pq.read_table(path).to_pylist()
    assert loaded == [{**ROWS[0], "spans": "[[0,1],3]"}, {**ROWS[1], "score": 2.0}]


def test_pandas_loads_it(tmp_path):
    pandas = pytest.importorskip("pandas")
    write_parquet(tmp_path / "out.parquet", ROWS)
    frame = pandas.read_parquet(tmp_path / "out.parquet")
    assert list(frame["sample_id"]) == ["a#0", "b#0\u202e"]
    assert frame["score"].sum() == 2.5


def test_groups_stream(tmp_path):
    path = tmp_path / "out.parquet"
    items: list[int] = []

    def rows():
        for number in range(2500):
            items.append(number)
            yield {"n": number}

    assert write_parquet(path, rows()) == 2500
    assert pq.ParquetFile(path).num_row_groups == 3
    assert pq.read_table(path)["n"].to_pylist() == list(range(2500))


def test_columns_may_be_given(tmp_path):
    path = tmp_path / "out.parquet"
    columns = {"b": "text", "a": "int", "c": "list", "d": "json"}
    write_parquet(path, [{"a": 1}, {"b": "x", "d": {"z": 1, "y": "é"}}], columns)
    table = pq.read_table(path)
    assert table.column_names == ["b", "a", "c", "d"]
    assert table.to_pylist()[1] == {"b": "x", "a": None, "c": None, "d": '{"y":"é","z":1}'}


def test_no_rows(tmp_path):
    path = tmp_path / "out.parquet"
    assert write_parquet(path, [], {"a": "text"}) == 0
    assert pq.read_table(path).column_names == ["a"]
    assert write_parquet(path, []) == 0


@pytest.mark.parametrize(
    ("late", "words"),
    [
        ({"a": "x"}, "row 3, column a"),
        ({"a": 1, "z": 2}, "row 3: column z"),
        ({"a": True}, "row 3, column a"),
        ({"a": 1.5}, "column a"),
    ],
)
def test_rows_that_do_not_fit_are_named(tmp_path, late, words):
    with pytest.raises(ValueError, match=words):
        write_parquet(tmp_path / "out.parquet", [{"a": 1}, {"a": 2}, late], batch=2)

"""Tables of texts with summaries to evaluate."""

import pytest

from epitome.formats.reading import input_file
from epitome.formats.summary_tables import (
    clean_name,
    find_role_faults,
    guess_roles,
    name_keys,
    read_cell,
    read_summary_table,
)
from tests.summary_files.tables import as_csv, as_jsonl, long_rows, summary_of, text_of, wide_rows


def read(tmp_path, rows, roles=None, kind="csv"):
    path = tmp_path / f"table.{kind}"
    path.write_bytes((as_csv if kind == "csv" else as_jsonl)(rows))
    columns = list(rows[0])
    return read_summary_table(input_file(path), kind, roles or guess_roles(columns, rows))


def test_columns_are_recognized_with_a_column_for_each_system():
    rows = [row | {"url": "http://example.org/1"} for row in wide_rows()]
    assert guess_roles(list(rows[0]), rows) == {
        "id": "id", "text": "text", "reference": "reference", "bart": "output", "lead": "output", "url": "skip",
    }  # fmt: skip


def test_columns_are_recognized_with_a_row_for_each_summary():
    rows = long_rows()
    assert guess_roles(list(rows[0]), rows) == {"id": "id", "text": "text", "system": "system", "summary": "output"}


def test_a_text_without_a_usual_name_is_the_longest_column():
    rows = [{"Beitrag": row["text"], "GPT": row["bart"], "Referenz": row["reference"]} for row in wide_rows()]
    assert guess_roles(list(rows[0]), rows) == {"Beitrag": "text", "GPT": "output", "Referenz": "reference"}


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_wide_table_is_read(tmp_path, kind):
    table = read(tmp_path, wide_rows(3), kind=kind)
    assert table.faults == []
    assert [(row.id, row.text, row.reference) for row in table.texts.values()] == [
        (f"a{number}", text_of(number), wide_rows()[number]["reference"]) for number in range(3)
    ]
    assert table.outputs["lead"] == {f"a{n}": summary_of("lead", n) for n in range(3)}
    assert table.n_references == 3 and table.list_missing("bart") == []


def test_both_forms_of_a_table_say_the_same(tmp_path):
    wide, long = read(tmp_path, wide_rows(), roles=None), read(tmp_path, long_rows())
    assert long.outputs == wide.outputs
    assert [row.text for row in long.texts.values()] == [row.text for row in wide.texts.values()]


def test_texts_get_ids_where_the_table_has_none(tmp_path):
    rows = [{name: value for name, value in row.items() if name != "id"} for row in long_rows(2)]
    table = read(tmp_path, rows)
    assert list(table.texts) == ["text-1", "text-2"]
    assert {name: list(outputs) for name, outputs in table.outputs.items()} == {
        "bart": ["text-1", "text-2"],
        "lead": ["text-1", "text-2"],
    }


def test_a_human_among_the_systems_is_the_reference(tmp_path):
    rows = [row | {"system": "Reference"} if row["system"] == "lead" else row for row in long_rows(2)]
    table = read(tmp_path, rows)
    assert list(table.outputs) == ["bart"]
    assert table.texts["a1"].reference == summary_of("lead", 1)


def test_missing_summaries_are_named(tmp_path):
    rows = wide_rows(4)
    rows[1]["bart"], rows[3]["bart"], rows[3]["reference"] = "", "NaN", ""
    table = read(tmp_path, rows)
    assert table.list_missing("bart") == ["a1", "a3"] and table.list_missing("lead") == []
    assert table.n_references == 3 and table.faults == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda rows: rows[1].update(text=""), "line 3: has no text"),
        (lambda rows: rows[2].update(id="a0"), "line 4: has the ID a0 of line 2 again"),
        (lambda rows: rows[0].update(id=""), "line 2: has no ID"),
        (lambda rows: rows[0].update(id="x" * 201), "line 2: has an ID of more than 200 characters"),
    ],
)
def test_rows_that_cannot_be_used_are_named(tmp_path, change, fault):
    rows = wide_rows(3)
    change(rows)
    assert read(tmp_path, rows, guess_roles(list(rows[0]), wide_rows(3))).faults == [fault]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda rows: rows[1].update(text="Another."), "line 3: has another text than line 2 for the ID a0"),
        (lambda rows: rows[1].update(system=""), "line 3: names no system"),
        (lambda rows: rows[1].update(system="bart"), "line 3: has a second summary of a0 by bart, after line 2"),
    ],
)
def test_rows_of_summaries_that_cannot_be_used_are_named(tmp_path, change, fault):
    rows = long_rows(3)
    change(rows)
    assert read(tmp_path, rows, guess_roles(list(rows[0]), long_rows(3))).faults == [fault]


def test_two_references_of_a_text_are_named(tmp_path):
    rows = [row | {"reference": f"Reference {number}."} for number, row in enumerate(long_rows(1))]
    roles = {"id": "id", "text": "text", "system": "system", "summary": "output", "reference": "reference"}
    assert read(tmp_path, rows, roles).faults == ["line 3: has another reference than line 2 for the ID a0"]


@pytest.mark.parametrize(
    ("roles", "faults"),
    [
        (["text", "output"], []),
        (["text", "reference"], []),
        (["output"], ["no-text"]),
        (["text", "skip"], ["no-summary"]),
        (["text", "text", "output"], ["twice-text"]),
        (["text", "output", "output", "system"], ["one-output"]),
    ],
)
def test_roles_that_do_not_fit_together(roles, faults):
    assert list(find_role_faults({str(index): role for index, role in enumerate(roles)})) == faults


def test_systems_get_keys_of_their_own():
    names = ["BART (large)", "bart-large", "GPT 4o", "4o", "系统", "模型"]
    assert list(name_keys(names).values()) == [
        "bart-large",
        "bart-large-2",
        "gpt-4o",
        "system-4o",
        "system-5",
        "system-6",
    ]


@pytest.mark.parametrize(
    ("column", "name"),
    [("summary_bart", "bart"), ("pegasus summary", "pegasus"), ("summary", "summary"), ("Model: T5", "T5")],
)
def test_systems_are_named_by_their_columns(column, name):
    assert clean_name(column) == name


def test_cells_become_texts():
    assert read_cell(["One.", "", "Two."]) == "One.\nTwo."
    assert (read_cell(None), read_cell("  nan "), read_cell({"a": 1}), read_cell(3.5)) == ("", "", "", "3.5")

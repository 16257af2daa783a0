"""Editing a TOML text keeps what nobody changed: comments, order, spacing, other tables."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.schema import PRESETS, preset_text
from epitome.schema.toml_editing import write_data

TEXT = """\
# Head of the file.
name = "one"   # said once

[table]
b = 1
a = [1, 2]     # kept

# Before the first.
[[entry]]
key = "x"
text = "first"  # of x
inline = { p = 1, q = "two" }

[entry.deep]
low = 0.30

[[entry]]
key = "y"
text = '''second
line'''
"""


def edited(change) -> str:
    data = tomllib.loads(TEXT)
    change(data)
    text = write_data(TEXT, data)
    assert tomllib.loads(text) == data
    return text


def test_the_same_data_gives_the_same_text():
    assert write_data(TEXT, tomllib.loads(TEXT)) == TEXT


def test_a_changed_value_changes_its_line_only():
    text = edited(lambda data: data["entry"][0].update(text="other"))
    assert text == TEXT.replace('text = "first"  # of x', 'text = "other"  # of x')


def test_a_changed_number_deep_inside_leaves_the_rest():
    text = edited(lambda data: data["entry"][0]["deep"].update(low=0.25))
    assert text == TEXT.replace("0.30", "0.25")


def test_a_removed_key_takes_only_its_line():
    text = edited(lambda data: data["table"].pop("b"))
    assert text == TEXT.replace("b = 1\n", "")


def test_moved_tables_keep_their_comments():
    text = edited(lambda data: data["entry"].reverse())
    assert "# of x" in text and "# Head of the file." in text and "'''second" in text
    assert text.index('key = "y"') < text.index('key = "x"')


def test_a_new_table_stands_behind_the_others():
    text = edited(lambda data: data["entry"].append({"key": "z", "deep": {"low": 1}}))
    assert text.startswith(TEXT.rstrip("\n")) and text.index('key = "z"') > text.index('key = "y"')


def test_a_removed_table_leaves_the_other():
    text = edited(lambda data: data["entry"].pop(0))
    assert 'key = "y"' in text and 'key = "x"' not in text and "# said once" in text


def test_true_is_not_taken_for_one():
    assert "b = true" in edited(lambda data: data["table"].update(b=True))


def test_an_unsound_text_is_refused():
    with pytest.raises(ValueError, match="Invalid value"):
        write_data("a = [", {})


keys = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12)
values = st.one_of(texts, st.integers(-(10**9), 10**9), st.booleans(), st.floats(0, 100), st.lists(texts, max_size=3))
tables = st.dictionaries(keys, st.one_of(values, st.dictionaries(keys, values, max_size=3)), max_size=4)
documents = st.dictionaries(keys, st.one_of(values, tables, st.lists(tables, min_size=1, max_size=3)), max_size=4)


@given(documents, documents)
def test_any_data_is_written_over_any_text(before, after):
    text = write_data(write_data("# kept\n", before), after)
    assert tomllib.loads(text) == after


@pytest.mark.parametrize("preset", PRESETS)
@given(data=st.data())
def test_a_preset_takes_any_change_of_one_text(preset, data):
    text = preset_text(preset)
    payload = tomllib.loads(text)
    entries = [payload, *payload.get("attribute", [])]
    entry = data.draw(st.sampled_from(entries))
    entry["label" if entry is not payload else "name"] = data.draw(texts)
    written = write_data(text, payload)
    assert tomllib.loads(written) == payload
    comments = [line for line in text.split("\n") if line.startswith("#")]
    assert [line for line in written.split("\n") if line in comments] == comments

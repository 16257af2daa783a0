"""What Python's own reader would let through, or crash on."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.formats.strictjson import MAX_DEPTH, BadJson, locate_value, parse_strict_json
from tests.formats.helpers import only_fault, read, records, text_of

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("extra", "code", "column"),
    [
        ('"x": NaN', "number", 37),
        ('"x": -Infinity', "number", 37),
        ('"x": 1e400', "number", 37),
        ('"x": [1, -1e999]', "number", 41),
        ('"x": ' + "9" * 5000, "number", 37),
        ('"id": "b"', "doubled_key", 32),
        ('"x": {"k": 1, "k": 1}', "doubled_key", 46),
        ('"x": "\\ud83d"', "character", 37),
        ('"x": "\\ud83d and \\ude00"', "character", 37),
        ('"x": "a\\u0000b"', "character", 37),
        ('"x\\u0000": 1', "character", 32),
        ('"\\udfff": 1', "character", 32),
        ('"x": 01', "json", 38),
        ('"x": "a\tb"', "json", 39),
        ('"x": tru', "json", 37),
        ('"x": 1,', "json", 39),
        ("\"x\": 'a'", "json", 37),
        ('"x": "a\0b"', "character", 37),
    ],
)
def test_refused_with_its_place(tmp_path, extra, code, column):
    row = '{"id": "a", "text": "One two.",' + extra + "}"
    items = read(tmp_path, '{"id": "0", "text": "y"}\n' + row + '\n{"id": "c", "text": "z"}\n')
    fault = only_fault(items)
    assert (fault.line, fault.code, fault.column) == (2, code, column)
    assert len(fault.value) <= 60
    assert len(items) == 3


@pytest.mark.parametrize("value", ["\\ud83d\\ude00", "\\\\ud83d", "\\\\u0000", "a \\\\\\\\u0000"])
def test_escapes_that_only_look_bad_are_read(tmp_path, value):
    row = '{"id": "a", "text": "' + value + '"}'
    assert text_of(records(read(tmp_path, row))[0]) == json.loads(row)["text"]


@pytest.mark.parametrize(
    "brackets", ["[" * 100_000, '{"a":' * 100_000, "[" * 200 + "]" * 200, '[{"a":' * 40 + "1" + "}]" * 40]
)
def test_deep_nesting(tmp_path, brackets):
    fault = only_fault(read(tmp_path, '{"id": "0", "text": "y"}\n{"id": "a", "text": "b", "x": ' + brackets + "}\n"))
    assert (fault.line, fault.code) == (2, "depth")
    step = 1 if brackets[0] == brackets[1] else 5
    assert fault.column and fault.column >= 31 + (MAX_DEPTH - 2) * step // 2


def test_a_file_of_brackets(tmp_path):
    fault = only_fault(read(tmp_path, "[" * 100_000))
    assert (fault.line, fault.column) == (1, 2)
    assert only_fault(read(tmp_path, '{"a": ' + "[" * 100_000, format="jsonl")).code == "depth"


def test_brackets_in_texts_do_not_nest(tmp_path):
    text = "[" * 500 + '{"\\' * 500
    assert text_of(records(read(tmp_path, json.dumps({"id": "a", "text": text})))[0]) == text


def test_many_flat_brackets_are_fine():
    value = {"x": [[] for _ in range(500)], "y": [{"a": [1]} for _ in range(500)]}
    assert parse_strict_json(json.dumps(value).encode()) == value


@given(JSON)
def test_sound_values_come_back(value):
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        assert parse_strict_json(text.encode()) == value


@given(st.binary(max_size=60) | st.text(alphabet='{}[]",:\\u0d8n1eE+-.0 \n', max_size=60).map(str.encode))
def test_any_bytes_give_a_value_or_a_place(raw):
    try:
        value = parse_strict_json(raw)
    except BadJson as error:
        assert 0 <= error.offset <= len(raw)
    else:
        assert value == json.loads(raw)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


@given(st.dictionaries(st.text(min_size=1, max_size=5), st.lists(st.integers(), min_size=1, max_size=4), min_size=1))
def test_locate_finds_each_value(value):
    text = json.dumps(value, ensure_ascii=True)
    for key, numbers in value.items():
        for index, number in enumerate(numbers):
            at = locate_value(text.encode(), (key, index))
            assert text[at:].startswith(str(number))

"""Files that are broken as bytes: each gives faults with their place, never an error, and nothing large is held."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from epitome.formats.reading import input_file, read_lines
from epitome.formats.sources import read_sources
from tests.formats.helpers import only_fault, read, records, rows, text_of, write

GOOD = '{"id": "a", "text": "One two."}'


def peak_of(action: Callable[[], object]) -> int:
    """Bytes of memory that an action took at its highest."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_invalid_utf8_names_line_and_byte(tmp_path):
    items = read(tmp_path, GOOD.encode() + b'\n{"id": "b", "text": "caf\xe9 x"}\n{"id": "c", "text": "Three."}\n')
    fault = only_fault(items)
    assert (fault.line, fault.column, fault.code) == (2, 25, "encoding")
    assert "e9" in fault.value
    assert [item.external_id for item in items if hasattr(item, "external_id")] == ["a", "c"]


def test_byte_order_mark_is_passed_over(tmp_path):
    assert records(read(tmp_path, b"\xef\xbb\xbf" + GOOD.encode()))[0].external_id == "a"
    assert records(read(tmp_path, b"\xef\xbb\xbfid,text\na,One two.\n"))[0].external_id == "a"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_utf16_without_a_mark_is_named(tmp_path, encoding):
    fault = only_fault(read(tmp_path, GOOD.encode(encoding)))
    assert "UTF-16" in fault.message
    assert fault.fatal


def test_crlf_and_missing_last_newline(tmp_path):
    content = GOOD + "\r\n" + '{"id": "b", "text": "x\\r\\ny"}' + "\r\n\r\n" + '{"id": "c", "text": "z"}'
    result = records(read(tmp_path, content))
    assert [record.external_id for record in result] == ["a", "b", "c"]
    assert text_of(result[1]) == "x\r\ny"
    assert result[2].place == "line 4"


@pytest.mark.parametrize("content", [b"", b"\n\n \r\n\n", b"\xef\xbb\xbf", b"[]", b" [ ] \n"])
@pytest.mark.parametrize("name", ["in.jsonl", "val.json", "table.csv"])
def test_empty_file(tmp_path, content, name):
    fault = only_fault(read(tmp_path, content, name))
    assert fault.code == "empty"
    assert fault.fatal


@pytest.mark.parametrize("format", ["macsum", "qmsum", "jsonl", "csv", "epitome-1", "story"])
def test_empty_file_in_each_format(tmp_path, format):
    assert only_fault(read(tmp_path, b"", format=format)).code == "empty"


def test_missing_file(tmp_path):
    fault = only_fault(list(read_sources(input_file(tmp_path / "nowhere.jsonl"))))
    assert fault.code == "unreadable"
    assert "nowhere.jsonl" in str(fault)


def test_a_folder_is_no_file(tmp_path):
    assert only_fault(list(read_sources(input_file(tmp_path)))).code == "unreadable"


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e"])
def test_only_the_newline_byte_ends_a_record(tmp_path, mark):
    text = f"One{mark}two."
    raw = rows({"id": "a", "text": text}, {"id": "b", "text": "x"})
    result = records(read(tmp_path, raw))
    assert [text_of(record) for record in result] == [text, "x"]


def test_a_long_line_is_a_fault_and_reading_goes_on(tmp_path):
    path = write(tmp_path, GOOD + "\n" + "x" * 3_000_000 + "\n" + '{"id": "b", "text": "y"}')
    lines = list(read_lines(input_file(path), limit=1_000_000))
    assert lines[1].code == "line_too_long"
    assert (lines[1].line, lines[1].column) == (2, 1_000_001)
    assert lines[2] == (3, b'{"id": "b", "text": "y"}')


def test_a_line_just_within_the_limit_is_read(tmp_path):
    path = write(tmp_path, b"x" * 1000 + b"\n" + b"y" * 1001 + b"\n" + b"z" * 1000)
    lines = list(read_lines(input_file(path), limit=1000))
    assert [getattr(item, "line", None) or item[0] for item in lines] == [1, 2, 3]
    assert lines[1].code == "line_too_long"


@pytest.mark.parametrize(
    "start", [b'{"id": "a", "text": "', b"", b'[{"metadata": {"dataset": "', b"id,text\na,", b'id,text\na,"']
)
def test_a_giant_line_is_never_held(tmp_path, start):
    path = tmp_path / "giant.jsonl"
    with path.open("wb") as stream:
        stream.write(start)
        stream.truncate(200_000_000)  # sparse: zeros without a newline

    def reading():
        items = list(read_sources(input_file(path)))
        assert len(items) == 1
        assert only_fault(items)

    assert peak_of(reading) < 64_000_000


def test_many_empty_lines(tmp_path):
    path = write(tmp_path, b"\n" * 1_500_000 + GOOD.encode() + b"\n" * 200_000)
    items: list[object] = []
    assert peak_of(lambda: items.extend(read_sources(input_file(path)))) < 64_000_000
    assert records(items)[0].place == "line 1500001"


def test_memory_does_not_grow_with_the_file(tmp_path):
    row = '{"id": "%d", "text": "' + "one two three. " * 300 + '"}\n'
    small = write(tmp_path, "".join(row % number for number in range(100)), "small.jsonl")
    large = write(tmp_path, "".join(row % number for number in range(1000)), "large.jsonl")

    def reading(path: Path) -> Callable[[], object]:
        return lambda: sum(1 for _ in read_sources(input_file(path)))

    assert peak_of(reading(large)) < peak_of(reading(small)) + 2_000_000


def test_progress_reaches_the_end(tmp_path):
    path = write(tmp_path, rows(*({"id": str(number), "text": "word " * 500} for number in range(1000))))
    items: list[tuple[int, int]] = []
    assert len(list(read_sources(input_file(path, progress=lambda *done: items.append(done))))) == 1000
    size = path.stat().st_size
    assert items[-1] == (size, size)
    assert items == sorted(items)

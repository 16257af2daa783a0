"""A file's format is seen in it, whatever its name."""

import json

import pytest

from epitome.formats.epitome1 import dump_line
from epitome.formats.options import ImportOptions
from epitome.formats.reading import UnreadableFile, input_file
from epitome.formats.registry import FORMATS, detect_format
from epitome.formats.sources import read_sources
from tests.formats.examples import dialogue, document, meeting
from tests.formats.helpers import only_fault, read, rows, write

BIG = "x" * 200_000


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (json.dumps([document()]), "macsum"),
        (json.dumps([dialogue()], indent=2), "macsum"),
        ("\n\n  " + json.dumps([document(source=[BIG])], indent=2), "macsum"),
        (rows(document()), "macsum"),
        ('[{"metadata": {"dataset": 1}, "source": 2}]', "macsum"),
        ('[{"metadata": {"dataset": 1}}]', "json"),
        ('[{"document": "b", "references": ["c"]}]', "json"),
        (rows(meeting([["0", "1"]])), "qmsum"),
        (json.dumps([meeting([["0", "1"]])]), "qmsum"),
        (json.dumps(meeting([["0", "1"]], words=20_000), indent=1), "qmsum"),
        (rows({"id": "a", "text": "b"}), "jsonl"),
        (rows({"id": "a", "text": BIG}), "jsonl"),
        (rows({"id": "a", "article": "b"}), "jsonl"),
        (
            rows({"id": "a", "text": "b", "metadata": {"source": "web"}, "source": "x"})[:-1].replace(
                '"metadata"', '"meta"'
            ),
            "jsonl",
        ),
        ("{broken\n" + rows(meeting([["0", "1"]])), "qmsum"),
        ('{"broken\n' * 30, "jsonl"),
        ("garbage\n" + rows({"id": "a", "text": "b"}), "jsonl"),
        (dump_line({"format": "epitome-1", "task": "source", "source_id": "a"}), "epitome-1"),
        ("id,text\na,b\n", "csv"),
        ("\ufeffid;text\r\na;b\r\n", "csv"),
        ('"id"\t"article"\n1\t2\n', "csv"),
        ("docno,body\n1,2\n", "csv"),
        ("Ann, who left, said so.\n\n@highlight\n\nAnn left\n", "story"),
    ],
)
def test_formats(tmp_path, content, format):
    assert detect_format(input_file(write(tmp_path, content, "data.bin"))) == format
    assert format in FORMATS


@pytest.mark.parametrize("content", ["just words", "5", "NaN", '"text"', "\x01\x02"])
def test_other_files_are_told_so(tmp_path, content):
    fault = only_fault(read(tmp_path, content, "x.json"))
    assert (fault.line, fault.code, fault.fatal) == (1, "format", True)
    with pytest.raises(UnreadableFile):
        detect_format(input_file(tmp_path / "x.json"))


def test_a_list_of_plain_objects_is_read(tmp_path):
    (record,) = read(tmp_path, '[\n  {"id": "a", "text": "b"}\n]', "x.json")
    assert (record.external_id, record.place) == ("a", "line 2, entry 1")


def test_a_wrong_format_asked_for_gives_faults(tmp_path):
    path = write(tmp_path, rows({"id": "a", "text": "b"}))
    for format in ("macsum", "qmsum", "csv", "epitome-1"):
        assert only_fault(list(read_sources(input_file(path), ImportOptions(format)))).line == 1
    with pytest.raises(ValueError, match="yaml"):
        list(read_sources(input_file(path), ImportOptions("yaml")))

"""Gzip files are read as what is in them; other packings are named."""

import bz2
import gzip
import lzma

import pytest

from epitome.formats.reading import UnreadableFile, input_file
from epitome.formats.registry import detect_format
from tests.formats.helpers import only_fault, read, records, rows, text_of, write

TABLE = "id,text\na,One two.\nb,Three.\n"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("val.jsonl.gz", rows({"id": "a", "text": "One two."}, {"id": "b", "text": "Three."}), "jsonl"),
        ("val.json.gz", '[{"id": "a", "text": "One two."}, {"id": "b", "text": "Three."}]', "json"),
        ("val.csv.gz", TABLE, "csv"),
        ("val.tsv.gz", TABLE.replace(",", "\t"), "csv"),
    ],
)
def test_a_gzip_file_is_read_with_the_split_of_its_name(tmp_path, name, content, kind):
    path = write(tmp_path, gzip.compress(content.encode()), name)
    assert detect_format(input_file(path)) == kind
    result = records(read(tmp_path, path.read_bytes(), name))
    assert [(record.external_id, text_of(record), record.split) for record in result] == [
        ("a", "One two.", "dev"),
        ("b", "Three.", "dev"),
    ]


def test_a_packed_text_is_called_as_its_file(tmp_path):
    (record,) = records(read(tmp_path, gzip.compress(b"One two."), "note.txt.gz"))
    assert (record.external_id, text_of(record)) == ("note", "One two.")


def test_progress_counts_packed_bytes(tmp_path):
    path = write(tmp_path, gzip.compress(TABLE.encode() * 10), "a.csv.gz")
    seen = []
    list(input_file(path, progress=lambda done, total: seen.append((done, total))).chunks())
    assert seen[-1] == (path.stat().st_size, path.stat().st_size)


@pytest.mark.parametrize("cut", [5, 15, -9, -3])
def test_a_gzip_file_cut_short_is_one_fault(tmp_path, cut):
    fault = only_fault(read(tmp_path, gzip.compress(TABLE.encode() * 20)[:cut], "a.csv.gz")[-1:])
    assert (fault.code, fault.fatal) == ("damaged", True) and "gzip" in fault.message


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (bz2.compress(TABLE.encode()), "bzip2"),
        (lzma.compress(TABLE.encode()), "xz"),
        (b"\x28\xb5\x2f\xfd\x04", "Zstandard"),
        (gzip.compress(gzip.compress(TABLE.encode())), "packed twice"),
        (gzip.compress(b"PAR1" + b"\0" * 40), "packed twice"),
    ],
    ids=["bzip2", "xz", "zstandard", "gzip in gzip", "parquet in gzip"],  # what is packed has the time of now in it
)
def test_other_packings_are_refused_by_name(tmp_path, content, word):
    with pytest.raises(UnreadableFile, match=word):
        detect_format(input_file(write(tmp_path, content, "a.csv.gz")))

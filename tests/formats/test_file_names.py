"""Ids and splits that are read from file names: from the true name, and only what it says."""

import json
import zipfile

import pytest

from epitome.formats.options import ImportOptions
from epitome.formats.reading import input_file
from epitome.formats.registry import detect_format
from epitome.formats.sources import read_sources
from tests.formats.helpers import read, records, rows, write

TEXT = "The harbour board met on Monday."


@pytest.mark.parametrize(
    ("name", "external_id"),
    [
        ("می\u200cروم.txt", "میروم"),
        ("bericht\u200bA.txt", "berichtA"),
        ("Ünïcode notes 2.txt", "Ünïcode notes 2"),
        ("archive.v2.md", "archive.v2"),
    ],
)
def test_the_id_is_the_name_without_what_nobody_sees(tmp_path, name, external_id):
    (record,) = records(read(tmp_path, TEXT, name))
    assert record.external_id == external_id


def test_ids_of_rows_begin_with_the_true_name(tmp_path):
    (record,) = records(read(tmp_path, rows({"text": TEXT}), "می\u200cروم.jsonl", row_ids=True))
    assert record.external_id == "میروم-1"


def test_a_name_is_shown_with_its_invisible_characters_escaped(tmp_path):
    (fault,) = read(tmp_path, "{broken", "a\u202eb.jsonl")
    assert str(fault).startswith("a\\u202eb.jsonl, line 1")


def splits_of(tmp_path, *members):
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number, name in enumerate(members):
            row = {"id": f"{number}", "text": f"{TEXT} {number}"}
            archive.writestr(name, TEXT if name.endswith(".txt") else json.dumps(row))
    assert detect_format(input_file(path)) == "zip"
    return [record.split for record in records(list(read_sources(input_file(path), ImportOptions())))]


@pytest.mark.parametrize(
    ("members", "splits"),
    [
        (("train.jsonl", "val.jsonl", "test.jsonl"), ["train", "dev", "test"]),
        (("data/train-00000-of-00002.jsonl", "data/train-00001-of-00002.jsonl"), ["train", "train"]),
        (("train/a.jsonl", "test/b.jsonl"), ["train", "test"]),
        (("train.jsonl", "about.txt"), ["train", ""]),
        (("admin.jsonl", "test.jsonl", "unknown.jsonl"), ["", "", ""]),
        (("ann/train.jsonl", "ann/notes.jsonl"), ["", ""]),
    ],
)
def test_members_name_splits_only_where_all_do(tmp_path, members, splits):
    assert splits_of(tmp_path, *members) == splits


@pytest.mark.parametrize("empty", [b"", b"\n", b"[]"])
def test_an_empty_member_of_a_zip_file_is_passed_over(tmp_path, empty):
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("admin.jsonl", empty)
        archive.writestr("ann.jsonl", json.dumps({"id": "a", "text": TEXT}))
        archive.writestr("empty.txt", b"")
    file = input_file(path)
    (record,) = records(list(read_sources(file)))
    assert record.external_id == "a"
    assert file.notes.as_list()[0] == "admin.jsonl and 1 more: the file is empty and passed over"


def test_a_zip_file_of_empty_members_holds_no_record(tmp_path):
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("admin.jsonl", b"")
    (fault,) = read_sources(input_file(path))
    assert (fault.code, fault.fatal) == ("empty", True)


def test_a_split_that_a_name_only_mentions_is_none(tmp_path):
    content = rows({"id": "a", "text": TEXT})
    for name, split in (("test.jsonl", "test"), ("my test.jsonl", ""), ("test-drive.jsonl", "")):
        path = write(tmp_path, content, name)
        assert [record.split for record in records(list(read_sources(input_file(path))))] == [split]


def test_a_name_is_the_same_however_a_system_writes_its_accents(tmp_path):
    (record,) = records(read(tmp_path, TEXT, "Cafe\u0301.txt"))
    assert record.external_id == "Caf\u00e9"


def test_names_in_a_zip_file_of_macos_are_utf8(tmp_path):
    path = tmp_path / "all.zip"
    name = "Gr\u00fc\u00dfe.txt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("G" * len(name.encode()), TEXT)
        archive.writestr("a.csv", f"id,text\na,{TEXT}\n")
    path.write_bytes(path.read_bytes().replace(b"G" * len(name.encode()), name.encode()))
    assert [record.external_id for record in records(list(read_sources(input_file(path))))] == ["Gr\u00fc\u00dfe", "a"]


@pytest.mark.parametrize("with_table", [True, False])
def test_texts_of_one_name_in_two_folders_are_called_by_both(tmp_path, with_table):
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("tech/1.txt", "sport/1.txt", "sport/2.txt"):
            archive.writestr(name, f"{TEXT} {name}")
        if with_table:
            archive.writestr("a.csv", f"id,text\na,{TEXT}\n")
    ids = [record.external_id for record in records(list(read_sources(input_file(path))))]
    assert ids == ["tech/1", "sport/1", "2", *(["a"] if with_table else [])]

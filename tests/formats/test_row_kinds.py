"""Files that are read as rows: office files, Parquet and Arrow, plain texts, zip files, exports of annotation tools."""

import datetime
import io
import json
import zipfile
from pathlib import Path

import pytest

from epitome.formats.faults import Fault
from epitome.formats.guess import guess_columns, guess_mapping
from epitome.formats.options import ImportOptions
from epitome.formats.reading import UnreadableFile, input_file
from epitome.formats.registry import FORMATS, detect_format
from epitome.formats.sources import read_sources
from tests.formats.helpers import only_fault, records, text_of, write

TEXT = "The council met on Monday and voted on the bridge over the harbour."
SUMMARY = "The council voted for the bridge."


def read_guessed(path: Path, **options):
    """The sources of a file whose columns are matched by name and content."""
    kind = detect_format(input_file(path))
    rows = [row.values for row in FORMATS[kind].read_rows(input_file(path)) if not isinstance(row, Fault)]
    mapping = guess_mapping(rows, list(dict.fromkeys(name for row in rows for name in row)))
    values = {"mapping": mapping, "row_ids": "id" not in mapping, "exact_mapping": True, **options}
    return list(read_sources(input_file(path), ImportOptions(kind, **values)))


def make_zip(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def make_parquet(path: Path, columns: dict) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table(columns), path)
    return path


def make_workbook(path: Path, *rows) -> Path:
    from openpyxl import Workbook

    book = Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def test_a_sheet_is_read_by_its_header_with_numbers_as_ids(tmp_path):
    day = datetime.date(2026, 3, 4)
    path = make_workbook(
        tmp_path / "s.xlsx", ("No", "Body", "Date"), (7, TEXT, day), (None,) * 3, (8, TEXT + " Yes.", day)
    )

    first, second = records(read_guessed(path))

    assert (first.external_id, text_of(first), first.place) == ("7", TEXT, "row 1")
    assert json.loads(first.metadata_json) == {"Date": "2026-03-04T00:00:00"}
    assert second.external_id == "8"


def test_a_formula_is_never_run(tmp_path):
    path = make_workbook(tmp_path / "s.xlsx", ("id", "text"), ("a", '=HYPERLINK("http://127.0.0.1/","x")'), ("b", TEXT))
    fault, record = read_guessed(path)
    assert isinstance(fault, Fault) and fault.line == 1
    assert text_of(record) == TEXT


def test_a_word_document_is_one_source_with_its_title(tmp_path):
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_heading("A vote on the bridge", 0)
    document.add_paragraph(TEXT)
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "for", "17"
    document.save(tmp_path / "minutes.docx")

    (record,) = records(read_guessed(tmp_path / "minutes.docx"))

    assert (record.external_id, record.title) == ("minutes", "A vote on the bridge")
    assert text_of(record) == f"{TEXT}\nfor\t17"


@pytest.mark.parametrize("inner", ["word/document.xml", "xl/workbook.xml"])
def test_an_office_file_that_unpacks_to_too_much_is_refused(tmp_path, inner):
    path = make_zip(tmp_path / "bomb", {inner: b" " * 30_000_000})
    fault = only_fault(list(read_sources(input_file(path))))
    assert (fault.code, fault.fatal) == ("archive", True)


ENTITIES = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;&x;&x;">]>'


def test_entities_of_an_office_file_are_not_expanded(tmp_path):
    namespace = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    book = make_workbook(tmp_path / "s.xlsx", ("id", "text"), ("a", TEXT))
    with zipfile.ZipFile(book) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    sheet = next(name for name in members if name.startswith("xl/worksheets/"))
    cells = b'<c t="inlineStr"><is><t>id</t></is></c><c t="inlineStr"><is><t>&y;</t></is></c>'
    members[sheet] = ENTITIES + b"<worksheet %s><sheetData><row>%s</row></sheetData></worksheet>" % (namespace, cells)
    fault = only_fault(list(read_sources(input_file(make_zip(tmp_path / "bad.xlsx", members)))))
    assert (fault.code, fault.fatal) == ("damaged", True)


def test_parquet_rows_hold_summaries_as_lists(tmp_path):
    columns = {"id": [1, 2], "document": [TEXT, TEXT + " Yes."], "summary": [[SUMMARY, "It will open."], []]}
    first, second = records(read_guessed(make_parquet(tmp_path / "train.parquet", columns)))
    assert (first.external_id, first.split) == ("1", "train")
    assert [reference.summary for reference in first.references] == [SUMMARY, "It will open."]
    assert [reference.position for reference in first.references] == [0, 1]
    assert second.references == []


def test_the_stream_files_of_hugging_face_datasets_are_read(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"dialogue": [TEXT], "summary": [SUMMARY], "photo": [b"\x00\x01"]})
    path = tmp_path / "data-00000-of-00001.arrow"
    with pyarrow.ipc.new_stream(path, table.schema) as out:
        out.write_table(table)
    (record,) = records(read_guessed(path))
    assert (record.external_id, record.references[0].summary) == ("data-00000-of-00001-1", SUMMARY)
    assert json.loads(record.metadata_json) == {"photo": None}


def test_a_damaged_parquet_file_is_one_fault(tmp_path):
    fault = only_fault(list(read_sources(input_file(write(tmp_path, b"PAR1" + b"\0" * 40 + b"PAR1", "a.parquet")))))
    assert (fault.code, fault.fatal) == ("damaged", True)


def test_a_plain_text_is_one_source(tmp_path):
    path = write(tmp_path, f"{TEXT}\r\nSo it goes, they said.\r\n", "note.txt")
    (record,) = records(read_guessed(path))
    assert (detect_format(input_file(path)), record.external_id, text_of(record)) == (
        "text",
        "note",
        f"{TEXT}\nSo it goes, they said.",
    )


def test_a_text_that_is_not_utf8_is_named_by_line_and_column(tmp_path):
    fault = only_fault(list(read_sources(input_file(write(tmp_path, b"One.\nCaf\xe9 two\xc3\xa9.", "note.txt")))))
    assert (fault.line, fault.column, fault.code) == (2, 4, "encoding")


def test_a_zip_holds_texts_and_tables_of_several_splits(tmp_path):
    table = make_parquet(tmp_path / "t.parquet", {"id": ["p"], "text": [TEXT]})
    members = {
        "data/test-0.parquet": table.read_bytes(),
        "data/dataset_info.json": b"{}",
        "data/state.json": b"{}",
        "more/train.csv": f"id,text\nc,{TEXT} Csv.\n".encode(),
        "notes/note.txt": f"{TEXT} Note.".encode(),
    }
    result = records(read_guessed(make_zip(tmp_path / "data.zip", members)))
    assert [(record.external_id, record.split) for record in result] == [("p", "test"), ("c", "train"), ("note", "")]


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"../up.csv": b"id,text\na,b\n"}, "leads out of the archive"),
        ({"a.csv": b"id,text\na,b\n", "b.zip": b"PK"}, "archive inside"),
        ({"a.csv": b" " * 30_000_000}, "times its size"),
    ],
)
def test_unsafe_zip_files_are_refused(tmp_path, members, words):
    fault = only_fault(list(read_sources(input_file(make_zip(tmp_path / "a.zip", members)))))
    assert words in fault.message and fault.fatal


LABEL_STUDIO = {
    "id": 12,
    "data": {"text": TEXT, "summary": "machine"},
    "annotations": [
        {"result": [{"from_name": "summary", "type": "textarea", "value": {"text": [SUMMARY]}}]},
        {"result": [{"from_name": "mood", "type": "choices", "value": {"choices": ["good"]}}]},
        {"was_cancelled": True, "result": [{"from_name": "summary", "type": "textarea", "value": {"text": ["no"]}}]},
    ],
}
ARGILLA = {
    "id": "r1",
    "fields": {"text": TEXT},
    "metadata": {"source": "web"},
    "responses": {"summary": [{"value": SUMMARY, "status": "submitted"}, {"value": "draft", "status": "draft"}]},
    "suggestions": {},
}
ARGILLA_1 = {
    "external_id": "r1",
    "fields": {"text": TEXT},
    "responses": [{"status": "submitted", "values": {"summary": {"value": SUMMARY}}}],
}
POTATO = {
    "id": "p1",
    "displayed_text": TEXT,
    "label_annotations": {"summary": {"text_box": SUMMARY}, "mood": {"ok": "1"}},
}
DOCCANO = {"id": 3, "data": TEXT, "label": [SUMMARY]}
DOCCANO_1 = {"id": 3, "text": TEXT, "annotations": [{"text": SUMMARY, "user": 1}]}


@pytest.mark.parametrize(
    ("kind", "entry", "external_id"),
    [
        ("argilla", ARGILLA, "r1"),
        ("argilla", ARGILLA_1, "r1"),
        ("potato", POTATO, "p1"),
        ("doccano", DOCCANO, "3"),
        ("doccano", DOCCANO_1, "3"),
    ],
)
@pytest.mark.parametrize("as_list", [True, False])
def test_exports_of_tools_give_sources_and_summaries(tmp_path, kind, entry, external_id, as_list):
    content = json.dumps([entry]) if as_list else json.dumps(entry) + "\n"
    path = write(tmp_path, content, "export.json")
    (record,) = records(read_guessed(path))
    assert detect_format(input_file(path)) == kind
    assert (record.external_id, text_of(record)) == (external_id, TEXT)
    assert [reference.summary for reference in record.references] == [SUMMARY]


def test_label_studio_keeps_what_people_typed_apart_from_the_data(tmp_path):
    path = write(tmp_path, json.dumps([LABEL_STUDIO]), "export.json")
    kind = detect_format(input_file(path))
    (row,) = FORMATS[kind].read_rows(input_file(path))
    assert kind == "label-studio"
    answers = row.values.pop("summary (answers)")
    assert row.values == {"id": 12, "text": TEXT, "summary": "machine"}
    assert [(str(answer), answer.state) for answer in answers] == [(SUMMARY, "submitted"), ("no", "skipped")]
    (record,) = records(read_guessed(path))
    assert [reference.summary for reference in record.references] == [SUMMARY]


def test_labels_are_no_summaries(tmp_path):
    entry = {"id": 1, "data": TEXT, "label": ["positive"]}
    (record,) = records(read_guessed(write(tmp_path, json.dumps(entry) + "\n", "export.jsonl")))
    assert record.references == []
    assert json.loads(record.metadata_json) == {"label": ["positive"]}


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"\x89PNG\r\n\x1a\n", "picture"),
        (b"\xff\xd8\xff\xe0", "picture"),
        (b"<svg xmlns='x'>", "picture"),
        (b"%PDF-1.7", "PDF"),
        (b"\0\0\0\x18ftypmp42", "video"),
        (b"\x7fELF\2", "program"),
        (b"MZ\x90\0", "program"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "old office"),
        (b"{\\rtf1 x", "RTF"),
        (b"SQLite format 3\0", "database"),
        (b"\x80\x04\x95", "serialized"),
    ],
)
def test_wrong_kinds_are_named_with_what_to_do(tmp_path, content, word):
    path = write(tmp_path, content, "upload.csv")
    with pytest.raises(UnreadableFile) as refused:
        detect_format(input_file(path))
    fault = refused.value.fault
    assert word in fault.message and (fault.code, fault.fatal) == ("wrong_kind", True)
    assert fault.message.endswith(".") and any(verb in fault.message for verb in ("Save", "Import", "Choose", "Export"))


def test_slides_are_named(tmp_path):
    fault = only_fault(list(read_sources(input_file(make_zip(tmp_path / "a.pptx", {"ppt/presentation.xml": b"<x/>"})))))
    assert (fault.code, "office file" in fault.message) == ("wrong_kind", True)


def test_rows_of_one_id_and_text_are_one_source_and_another_text_is_a_fault(tmp_path):
    lines = [
        "key,body,gold,len",
        f"a,{TEXT},{SUMMARY},short",
        f"b,{TEXT} B,x y z,",
        f"a,{TEXT},Second one.,long",
        "a,Other,No,",
    ]
    path = write(tmp_path, "\n".join(lines) + "\n", "t.csv")
    mapping = {"id": "key", "text": "body", "summary": "gold", "attribute:length": "len"}

    first, second, fault = read_sources(input_file(path), ImportOptions(mapping=mapping))

    assert [(reference.summary, reference.attributes) for reference in first.references] == [
        (SUMMARY, {"length": "short"}),
        ("Second one.", {"length": "long"}),
    ]
    assert [reference.attributes for reference in second.references] == [{}]
    assert (fault.line, fault.code) == (5, "doubled_id") and "line 2" in fault.message


@pytest.mark.parametrize(("cell", "segments"), [("0;2;4-6", [0, 2, [4, 6]]), ("[1, [2, 3]]", [1, [2, 3]]), ("", [])])
def test_segments_in_a_cell(tmp_path, cell, segments):
    path = write(tmp_path, f'id,text,summary,spans\na,{TEXT},{SUMMARY},"{cell}"\n', "t.csv")
    options = ImportOptions(mapping={"summary": "summary", "relevant_segments": "spans"})
    (record,) = records(list(read_sources(input_file(path), options)))
    assert record.references[0].relevant_segments == segments


def test_segments_that_are_no_numbers_are_a_fault(tmp_path):
    path = write(tmp_path, f"id,text,summary,spans\na,{TEXT},{SUMMARY},first\n", "t.csv")
    fault = only_fault(
        list(
            read_sources(input_file(path), ImportOptions(mapping={"summary": "summary", "relevant_segments": "spans"}))
        )
    )
    assert (fault.line, fault.field, fault.value) == (2, "spans", "first")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            {"article_no": "A1", "headline": "H", "body": TEXT},
            {"id": "article_no", "title": "headline", "text": "body"},
        ),
        ({"id": "1", "article": TEXT, "highlights": SUMMARY}, {"id": "id", "text": "article", "summary": "highlights"}),
        ({"Source-ID": "1", "Full Text": TEXT}, {"id": "Source-ID", "text": "Full Text"}),
        ({"a": "x", "b": TEXT}, {"text": "b"}),
        ({"nr": 1, "turns": [{"speaker": "A", "text": TEXT}]}, {"id": "nr", "segments": "turns"}),
    ],
)
def test_columns_are_matched_by_name_then_by_content(row, expected):
    assert guess_mapping([row], list(row)) == expected


def test_a_number_that_repeats_is_no_id():
    rows = [{"number": 1, "text": TEXT}, {"number": 1, "text": TEXT}]
    assert guess_mapping(rows, ["number", "text"]) == {"text": "text"}


def test_a_column_of_an_attribute_is_matched_where_its_values_fit():
    rows = [{"text": TEXT, "summary": SUMMARY, "length": "short", "mood": "good"}]
    tests = {"length": lambda _key, value: value in ("short", "long"), "mood": lambda _key, value: False}
    mapping = guess_mapping(rows, list(rows[0]), tests)
    assert mapping == {"text": "text", "summary": "summary", "attribute:length": "length"}


def test_a_member_of_a_zip_is_read_from_memory_and_nothing_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.csv", f"id,text\na,{TEXT}\n")
    records(read_guessed(write(tmp_path, buffer.getvalue(), "a.zip")))
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_column_without_a_name_is_never_proposed():
    rows = [{"id": "a", "": TEXT}, {"id": "b", "": TEXT}]
    assert guess_mapping(rows, ["id", ""]) == {"id": "id"}


def test_a_zip_file_of_a_version_that_nobody_knows_is_refused(tmp_path):
    raw = bytearray(make_zip(tmp_path / "a.zip", {"one.txt": TEXT.encode()}).read_bytes())
    raw[raw.rindex(b"PK\1\2") + 6] = 216  # the version that is needed to unpack it
    fault = only_fault(list(read_sources(input_file(write(tmp_path, bytes(raw), "b.zip")), ImportOptions())))
    assert "cannot be read" in fault.message


def zip_of(folder, **members):
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "."), content)
    return input_file(folder / "all.zip")


def guessed_sources(file):
    found = list(FORMATS["zip"].read_rows(file))
    columns = list(dict.fromkeys(column for row in found for column in row.values))
    guess = guess_columns([row.values for row in found], columns)
    options = ImportOptions("zip", mapping=guess.mapping, row_ids="id" not in guess.mapping, exact_mapping=True)
    return records(list(read_sources(file, options)))


def test_tables_of_a_zip_with_columns_of_their_own_are_each_matched(tmp_path):
    file = zip_of(
        tmp_path,
        de__csv=f"Kennung;Titel;Artikel;Zusammenfassung;Thema\nd1;Hafen;{TEXT} Eins.;Kurz gesagt so.;Hafen\n",
        en__csv=f"headline,body\nPier,{TEXT} Two.\nBoat,{TEXT} Three.\n",
        note__txt=f"{TEXT} Four.",
    )
    sources = {source.external_id: source for source in guessed_sources(file)}
    assert sorted(sources) == ["d1", "en-1", "en-2", "note"]
    assert (sources["d1"].title, sources["en-2"].title) == ("Hafen", "Boat")
    assert text_of(sources["en-1"]) == f"{TEXT} Two."
    assert [reference.summary for reference in sources["d1"].references] == ["Kurz gesagt so."]
    assert "Thema" in sources["d1"].metadata_json


def test_tables_of_a_zip_with_the_same_columns_keep_their_names(tmp_path):
    file = zip_of(tmp_path, a__csv=f"no,body\n1,{TEXT} One.\n", b__csv=f"no,body\n2,{TEXT} Two.\n")
    assert [row.values["body"] for row in FORMATS["zip"].read_rows(file)] == [f"{TEXT} One.", f"{TEXT} Two."]


def test_a_table_without_texts_beside_texts_is_no_table_of_sources(tmp_path):
    file = zip_of(tmp_path, note__txt=TEXT, count__csv="day,n\nMon,1\n")
    assert [sorted(row.values) for row in FORMATS["zip"].read_rows(file)] == [["id", "text"], ["day", "n"]]

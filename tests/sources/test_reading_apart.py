"""Files that are opened by other people's code are opened in a process apart: what ends it is a fault of the file."""

import sys
import zipfile
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from io import BytesIO
from pathlib import Path

import docx
import openpyxl
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.jobs import JobLost, NoProgress, run_job
from annotation.services.sources import import_preview, importing, reading_apart
from annotation.services.sources.staging import staging_folder
from epitome.formats import apart
from epitome.formats.options import ImportOptions
from epitome.formats.outlook import look_ahead
from epitome.formats.reading import FilePart, UnreadableFile, input_file
from epitome.formats.row_table import RowsRepeat
from epitome.formats.sources import read_sources

pytestmark = pytest.mark.django_db
ENDS = "import os; os._exit(9)"
KILLED = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
OUT_OF_TIME = "import os, signal; os.kill(os.getpid(), signal.SIGXCPU)"

FILLS = """
from epitome.formats import apart
apart.read_head = lambda file, kind, options: bytearray(2**40)
apart.main()
"""


def excel_file(rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    stored = BytesIO()
    book.save(stored)
    return SimpleUploadedFile("table.xlsx", stored.getvalue())


def word_file(n_paragraphs):
    document = docx.Document()
    for number in range(n_paragraphs):
        document.add_paragraph(f"The pier grows, part {number}.")
    stored = BytesIO()
    document.save(stored)
    return SimpleUploadedFile("walk.docx", stored.getvalue())


TABLE = [["id", "text"], ["a", "The pier in the harbour is made wider over two years."]]


@pytest.fixture
def check(news, client, admin):
    """Uploads a file; the answer of the page that shows its first rows."""
    client.force_login(admin)
    return lambda file: client.get(client.post(reverse("import", args=["news"]), {"file": [file]}).url)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (ENDS, "reading it ended the program that tried"),
        (KILLED, "reading it ended the program that tried"),
        (OUT_OF_TIME, "takes too long to be opened"),
    ],
)
def test_a_file_that_ends_its_reader_is_refused_with_a_sentence(check, monkeypatch, code, sentence):
    monkeypatch.setattr(reading_apart, "COMMAND", [sys.executable, "-c", code])
    page = check(excel_file(TABLE))
    assert page.status_code == 422
    assert sentence in page.content.decode()


def test_a_reader_that_hangs_is_ended(check, monkeypatch):
    monkeypatch.setattr(reading_apart, "COMMAND", [sys.executable, "-c", "import signal; signal.pause()"])
    monkeypatch.setattr(reading_apart, "WAIT_SECONDS", 0.05)
    monkeypatch.setattr(
        reading_apart.FileReader.__init__, "__defaults__", (reading_apart.LOOK._replace(silent_seconds=0.2),)
    )
    page = check(excel_file(TABLE))
    assert page.status_code == 422
    assert "takes too long to be opened" in page.content.decode()


def test_a_reader_that_ended_once_is_started_again(check, monkeypatch, tmp_path):
    mark = tmp_path / "tried"
    first = f"import os, pathlib, runpy; mark = pathlib.Path({str(mark)!r})"
    first += "; mark.exists() or (mark.touch(), os._exit(9))"
    again = "runpy.run_module('epitome.formats.apart', run_name='__main__')"
    monkeypatch.setattr(reading_apart, "COMMAND", [sys.executable, "-c", f"{first}; {again}"])
    page = check(excel_file(TABLE))
    assert page.status_code == 200
    assert "The pier in the harbour" in page.content.decode()
    assert mark.exists()


def test_a_file_that_fills_the_memory_is_refused_with_a_sentence(check, monkeypatch):
    monkeypatch.setattr(reading_apart, "COMMAND", [sys.executable, "-c", FILLS])
    page = check(excel_file(TABLE))
    assert page.status_code == 422
    assert "needs too much memory" in page.content.decode()


def test_plain_texts_start_no_process(check, monkeypatch):
    monkeypatch.setattr(reading_apart, "COMMAND", [sys.executable, "-c", ENDS])
    page = check(SimpleUploadedFile("table.csv", b"id,text\na,The pier is made wider.\n"))
    assert page.status_code == 200
    assert "The pier is made wider." in page.content.decode()


def test_the_process_says_what_this_one_would_say(news, monkeypatch):
    rows = [["id", "text", "summary"], ["a", TABLE[1][1], "A pier grows."], ["b", "", "No text."], ["c", 7, None]]

    def describe():
        return import_preview.preview_upload(project=news, upload=excel_file(rows), options=ImportOptions()).as_dict()

    answered = describe()
    assert answered["counts"]["n_references"] == 1
    assert answered["faults"]
    monkeypatch.setattr(reading_apart.apart, "needs_process", lambda file, kind: False)
    assert answered == describe()


def look(tmp_path, upload, kind, n_items):
    path = tmp_path / upload.name
    path.write_bytes(upload.read())
    part = FilePart(n_items) if n_items else None
    return look_ahead(replace(input_file(path), part=part), kind, ImportOptions(format=kind))


@pytest.mark.parametrize(("n_items", "last"), [(3, "part 2."), (0, "part 7.")])
def test_a_long_document_is_shown_in_part(tmp_path, n_items, last):
    outlook = look(tmp_path, word_file(8), "word", n_items)
    assert outlook.sources[0].cut().segments[-1]["text"].endswith(last)
    assert outlook.is_whole == (not n_items)
    assert any("only the beginning" in note for note in outlook.notes) == bool(n_items)


@pytest.mark.parametrize(("n_items", "n_read"), [(3, 2), (0, 5)])
def test_a_long_sheet_is_counted_in_part(tmp_path, n_items, n_read):
    table = excel_file([["id", "text"], *([f"d{number}", "Rain."] for number in range(5))])
    outlook = look(tmp_path, table, "excel", n_items)
    assert (outlook.n_read, outlook.is_whole) == (n_read, not n_items)


def test_a_sheet_that_begins_with_too_many_empty_rows_is_refused_with_a_sentence(tmp_path):
    with pytest.raises(UnreadableFile, match="first 3 rows are empty; delete them"):
        look(tmp_path, excel_file([[], [], [], [], *TABLE]), "excel", 3)


def packed_file(name, raw):
    stored = BytesIO()
    with zipfile.ZipFile(stored, "w") as archive:
        archive.writestr(name, raw)
    return stored.getvalue()


def typed_table():
    """A table of Arrow with what is no JSON."""
    import pyarrow
    from pyarrow import parquet

    stored = BytesIO()
    columns = {"id": ["a"], "text": [TABLE[1][1]], "day": [datetime(2026, 1, 2)], "price": [Decimal("1.20")]}
    parquet.write_table(pyarrow.table(columns), stored)
    return stored.getvalue()


TOOLS = Path(__file__).parent.parent / "formats" / "tools"
TOOL_FILES = ("label-studio.json", "doccano-approved.jsonl", "argilla.json", "potato.jsonl")
FILES = {
    **{f"{name}.zip": packed_file(name, (TOOLS / name).read_bytes()) for name in TOOL_FILES},
    "typed.parquet": typed_table(),
    "dated.xlsx": excel_file([["id", "text", "day"], ["a", TABLE[1][1], datetime(2026, 1, 2)]]).read(),
}


@pytest.mark.parametrize("name", FILES)
def test_what_another_process_reads_is_what_this_one_reads(news, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(FILES[name])
    with reading_apart.FileReader() as reader:
        apart_head = reader.read_head(input_file(path), "auto")
    own_head = apart.read_head(replace(input_file(path), part=FilePart()), "auto", ImportOptions())
    texts = [apart.Answer(head=head).as_json("answer of a person") for head in (apart_head, own_head)]
    assert texts[0] == texts[1]
    assert (b"answer of a person" in texts[0]) == ("json" in name)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("joins", [False, True])
def test_all_units_that_another_process_reads_are_those_that_this_one_reads(news, tmp_path, name, joins):
    path = tmp_path / name
    path.write_bytes(FILES[name])
    version, files = news.schema_version, [input_file(path), input_file(path)]
    with reading_apart.FileReader(reading_apart.WHOLE) as reader:
        kind = reader.read_head(files[0], "auto").kind
        options = ImportOptions(kind, with_references=True, schema=version.schema, pseudonym_key="k", row_ids=True)
        units = list_units(reader.read_units(files[0], options, version, joins=joins))
    assert units == list_units(read_sources(files[1], options, joins=joins))
    assert units
    if joins:
        assert files[0].notes.as_list() == files[1].notes.as_list()


def list_units(units):
    """The units, or where a row is about an earlier one's source."""
    try:
        return list(units)
    except RowsRepeat as error:
        return str(error)


def import_table(project, tmp_path, rows, **how):
    path = tmp_path / "table.xlsx"
    path.write_bytes(excel_file(rows).read())
    options = ImportOptions(with_references=True)
    return importing.import_file(project=project, path=path, file_name="table.xlsx", options=options, **how)


ROWS = [["id", "text", "summary"], *([f"d{n}", f"The pier grows, part {n}.", "A pier grows."] for n in range(40))]
REPEATED = [*ROWS, ["d7", "The pier grows, part 7.", "It grows."]]


@pytest.mark.parametrize(("rows", "n_summaries"), [(ROWS, 40), (REPEATED, 41)])
def test_an_import_leaves_reading_to_another_process(news, tmp_path, monkeypatch, rows, n_summaries):
    monkeypatch.delattr(reading_apart, "read_sources")  # with which this process would read
    report = import_table(news, tmp_path, rows)
    assert (report.stored, report.references) == (40, n_summaries)
    assert news.documents.count() == 40


READS_UNITS = """
import os
from epitome.formats import apart
apart.MOST_UNITS = 5
read = apart.read_sources
def read_sources(*args, **how):
    for number, unit in enumerate(read(*args, **how)):
        if number == 13:
            {fails}
        yield unit
apart.read_sources = read_sources
apart.main()
"""


@pytest.fixture
def fails_midway(monkeypatch, tmp_path):
    """The process does this after some of the rows."""

    def plant(code):
        monkeypatch.setattr(reading_apart, "COMMAND", [sys.executable, "-c", READS_UNITS.format(fails=code)])

    return plant


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("os._exit(9)", "reading it ended the program that tried"),
        ("os.kill(os.getpid(), 24)", "takes too long to be opened"),
        ("raise MemoryError", "needs too much memory"),
    ],
)
def test_a_file_that_ends_its_reader_midway_is_refused_with_a_sentence(
    news, admin, client, fails_midway, code, sentence
):
    fails_midway(code)
    client.force_login(admin)
    job = importing.start_import(project=news, upload=excel_file(ROWS), options=ImportOptions(), by=admin)
    run_job(job.pk)
    job.refresh_from_db()
    assert job.state == "failed"
    assert sentence in client.get(reverse("import-result", args=["news", job.public_id])).content.decode()
    assert not news.documents.exists()
    assert not list(staging_folder().glob("*.staged"))


def test_a_file_whose_reader_ended_once_is_imported_whole(news, tmp_path, fails_midway):
    mark = tmp_path / "ended"
    fails_midway(f"os.path.exists({str(mark)!r}) or (open({str(mark)!r}, 'w'), os._exit(9))")
    report = import_table(news, tmp_path, ROWS)
    assert mark.exists()
    assert (report.read, report.stored) == (40, 40)


class LostProgress(NoProgress):
    """A job that is cancelled while its file is read."""

    def set(self, done, total=None, note=""):
        raise JobLost


def test_a_cancelled_job_ends_the_process_that_reads_for_it(news, tmp_path, monkeypatch, fails_midway):
    started = []
    popen = reading_apart.subprocess.Popen
    monkeypatch.setattr(
        reading_apart.subprocess, "Popen", lambda *args, **how: started.append(popen(*args, **how)) or started[-1]
    )
    monkeypatch.setattr(reading_apart, "WAIT_SECONDS", 0.05)
    fails_midway("__import__('signal').pause()")
    with pytest.raises(JobLost):
        import_table(news, tmp_path, ROWS, progress=LostProgress())
    assert [process.poll() for process in started] == [-9]
    assert not news.documents.exists()

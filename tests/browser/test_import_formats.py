"""Each format that the import page names, by a real upload: alone, and as a member of a zip file."""

import io
import json
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotation.models import SourceDocument
from tests.browser.test_import import admin, choose, news, start  # noqa: F401 - fixtures
from tests.formats import examples

TEXT = "The council met on Monday and voted on the bridge over the harbour, which opens in May."
ROWS = [{"id": f"a{n}", "title": "Bridge", "text": f"{TEXT} {n}", "summary": "A bridge opens."} for n in (1, 2, 3)]
TOOLS = Path(__file__).parent.parent / "formats" / "tools"


def make_table(delimiter: str) -> bytes:
    lines = [list(ROWS[0]), *(list(row.values()) for row in ROWS)]
    return "\r\n".join(delimiter.join(f'"{cell}"' for cell in cells) for cells in lines).encode()


def make_workbook() -> bytes:
    from openpyxl import Workbook

    book = Workbook()
    for cells in (list(ROWS[0]), *(list(row.values()) for row in ROWS)):
        book.active.append(cells)
    return save(book)


def make_document() -> bytes:
    import docx

    document = docx.Document()
    document.add_paragraph(TEXT)
    return save(document)


def save(document) -> bytes:
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def make_parquet() -> bytes:
    import pyarrow
    import pyarrow.parquet

    stream = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), stream)
    return stream.getvalue()


def make_hub_folder() -> bytes:
    """A folder of a dataset with its splits, as it is downloaded from a hub."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("data/train-00000-of-00001.parquet", make_parquet())
        archive.writestr("dataset_infos.json", "{}")
    return stream.getvalue()


FILES = {
    "CSV": ("a.csv", make_table(","), 3),
    "TSV": ("a.tsv", make_table("\t"), 3),
    "JSON": ("a.json", json.dumps(ROWS).encode(), 3),
    "JSONL": ("a.jsonl", "\n".join(map(json.dumps, ROWS)).encode(), 3),
    "Parquet": ("a.parquet", make_parquet(), 3),
    "Excel": ("a.xlsx", make_workbook(), 3),
    "Word": ("a.docx", make_document(), 1),
    "text": ("a.txt", TEXT.encode(), 1),
    "Label Studio": ("label-studio.json", (TOOLS / "label-studio.json").read_bytes(), None),
    "doccano": ("doccano-approved.jsonl", (TOOLS / "doccano-approved.jsonl").read_bytes(), None),
    "Argilla": ("argilla.json", (TOOLS / "argilla.json").read_bytes(), None),
    "Potato": ("potato.jsonl", (TOOLS / "potato.jsonl").read_bytes(), None),
    "Hugging Face": ("dataset.zip", make_hub_folder(), 3),
    "MACSum": ("macsum.json", json.dumps([examples.document(1), examples.document(2)]).encode(), 2),
    "QMSum": ("qmsum.json", json.dumps([examples.meeting([["0", "3"]], [["4", "9"]])]).encode(), 2),
}
PACKED = [name for name, (file, _raw, _n) in FILES.items() if name not in ("Hugging Face", "MACSum", "QMSum")]


def import_and_count(page, project, file: dict[str, object]) -> int:
    """The sources that an upload stored."""
    choose(page, file)
    expect(page.get_by_text("This file cannot be imported")).to_have_count(0)
    start(page)
    page.get_by_role("link", name="View sources").wait_for()
    return SourceDocument.objects.filter(project=project).count()


@pytest.mark.parametrize("name", FILES)
def test_an_uploaded_file_of_each_format_is_stored(open_page, admin, news, name):  # noqa: F811
    file, raw, n_sources = FILES[name]
    page = open_page(admin, "/p/news/import/")
    n_stored = import_and_count(page, news, {"name": file, "mimeType": "application/octet-stream", "buffer": raw})
    assert n_stored == n_sources if n_sources else n_stored > 0


@pytest.mark.parametrize("name", PACKED)
def test_each_format_is_stored_from_a_zip(open_page, admin, news, name):  # noqa: F811
    file, raw, n_sources = FILES[name]
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(f"folder/{file}", raw)
    page = open_page(admin, "/p/news/import/")
    upload = {"name": "packed.zip", "mimeType": "application/zip", "buffer": stream.getvalue()}
    n_stored = import_and_count(page, news, upload)
    assert n_stored == n_sources if n_sources else n_stored > 0


def test_the_page_names_no_format_that_is_not_tried_here(open_page, admin, news):  # noqa: F811
    page = open_page(admin, "/p/news/import/")
    named = {word.strip() for text in page.locator(".kinds li").all_inner_texts() for word in text.split(",")}
    assert named - FILES.keys() == {".txt", "or .zip of texts", "Hugging Face dataset files"}

"""Small sound files of every import format and layout, to be spoilt by benchmarks.fuzz."""

import csv
import gzip
import io
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

MOST_BYTES = 30_000
"""Of an export of another tool that is taken as it is."""


def sound_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """One small file of every import format."""
    from tests.formats import examples

    text = "The mill closed in May. Nobody asked them, said Ana Ruiz."
    rows = [
        {"id": f"a{n}", "title": "Mill", "text": text, "summary": "The mill closed.", "split": "val"} for n in (1, 2)
    ]
    table = "id,title,text,summary\n" + "".join(f'a{n},Mill,"{text}",The mill closed.\n' for n in (1, 2))
    yield "a.csv", table.encode()
    yield "a.tsv", table.replace(",", "\t").encode()
    yield "a.jsonl", "\n".join(map(json.dumps, rows)).encode()
    yield "a.json", json.dumps(rows, ensure_ascii=False).encode()
    yield "val.json", json.dumps([examples.document(), examples.dialogue()]).encode()
    yield "q.json", json.dumps([examples.meeting([["0", "3"]])]).encode()
    yield "a.txt", text.encode()
    yield "a.story", f"{text}\n\n@highlight\n\nThe mill closed\n".encode()
    task = {"data": {"text": text}, "annotations": [{"result": [{"value": {"text": ["The mill closed."]}}]}]}
    yield "label-studio.json", json.dumps([{"id": 1, **task}]).encode()
    yield "doccano.jsonl", json.dumps({"id": 1, "text": text, "label": ["The mill closed."]}).encode()
    argilla = {"id": "1", "fields": {"text": text}, "responses": {"summary": [{"value": "The mill closed."}]}}
    yield "argilla.json", json.dumps([argilla]).encode()
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("one.txt", text)
        archive.writestr("train.csv", table)
    yield "a.zip", zipped.getvalue()
    yield from wrapped_files(rows, table)
    yield from binary_files(folder, rows, text)
    yield from tool_exports()


def binary_files(folder: Path, rows: list[dict[str, str]], text: str) -> Iterator[tuple[str, bytes]]:
    import docx
    import pyarrow
    import pyarrow.parquet
    from openpyxl import Workbook

    path = folder / f"sound-{os.getpid()}"
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    yield "a.parquet", path.read_bytes()
    book = Workbook()
    for cells in (list(columns), *zip(*columns.values(), strict=True)):
        book.active.append(cells)
    book.save(path)
    yield "a.xlsx", path.read_bytes()
    document = docx.Document()
    document.add_heading("Mill")
    document.add_paragraph(text)
    document.save(str(path))
    yield "a.docx", path.read_bytes()


def wrapped_files(rows: list[dict[str, str]], table: str) -> Iterator[tuple[str, bytes]]:
    """The rows in the layouts of JSON, dialects of tables and packings that are read."""
    frame = {name: {str(n): row[name] for n, row in enumerate(rows)} for name in rows[0]}
    cells = [list(row.values()) for row in rows]
    layouts = {
        "data": {"data": rows},
        "server": {"rows": [{"row_idx": 0, "row": rows[0], "truncated_cells": []}]},
        "columns": frame,
        "index": {row["id"]: row for row in rows},
        "split": {"columns": list(rows[0]), "index": [0, 1], "data": cells},
        "splits": {"train": rows[:1], "test": rows[1:]},
        "state": {"user": "ann", "answers": {"1": rows[0]}},
    }
    for name, layout in layouts.items():
        yield f"{name}.json", json.dumps(layout, indent=1 if name == "data" else None).encode()
    yield "objects.jsonl", ",\n".join(json.dumps(row, indent=1) for row in rows).encode()
    yield "packed.jsonl.gz", gzip.compress("\n".join(map(json.dumps, rows)).encode())
    yield "excel.csv", f"sep=;\r\n{table.replace(',', ';')}".encode()
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL).writerows([["", *rows[0]], *(["0", *row] for row in cells)])
    yield "pandas.csv", written.getvalue().encode()
    yield "quotes.tsv", b'id\ttext\n1\t"We widen it\n2\tHe said "no"\n'
    yield "talk.txt", b"Ann: Is it open?\nBen: No.\n[Music]\n"
    yield "page.html", b"<!DOCTYPE html><html><head><title>Pier</title></head><body><p>One two.</p></body></html>"
    yield "talk.vtt", b"WEBVTT\n\n00:01.000 --> 00:04.000\n<v Ann>One two three.\n"


def tool_exports() -> Iterator[tuple[str, bytes]]:
    """What other tools wrote, and files of people's shape, where EPITOME_SHARED has them."""
    shared = Path(os.environ.get("EPITOME_SHARED") or "/nowhere") / "data"
    for folder in ("peer-exports", "trials"):
        for path in sorted((shared / folder).rglob("*")):
            is_about = path.name in ("README.md", "expected.json") or path.suffix == ".py"
            if path.is_file() and not is_about and 0 < path.stat().st_size <= MOST_BYTES:
                yield path.name, path.read_bytes()

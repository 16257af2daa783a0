"""How long the page takes that shows what a file would be read as: python -m benchmarks.previews [--only NAME ...]

Writes a Word document of 300,000 paragraphs, a sheet of a million empty rows, one of 20,000 rows with summaries, and
36 MB of JSON lines; uploads each in a process of its own on SQLite, and opens the page of its first rows once, after a
small file has loaded what every page needs. Prints one JSON object per file: status, seconds of the page, seconds of
processor time of the web process and of the processes that it started, and by how many MB the web process grew.
"""

import argparse
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.databases import ROOT

PARAGRAPHS, EMPTY_ROWS, ROWS, LINES = 300_000, 1_000_000, 20_000, 36_000
TEXT = "The pier in the harbour is made wider over two years, so that ferries of the new line can land in winter, too."
SHEET = "xl/worksheets/sheet1.xml"
"""Where openpyxl writes the first sheet of a book."""


def write_word(path: Path) -> None:
    import docx

    stored = io.BytesIO()
    docx.Document().save(stored)
    body = "".join(f"<w:p><w:r><w:t>The pier grows, part {number}.</w:t></w:r></w:p>" for number in range(PARAGRAPHS))
    replace_member(
        stored, path, "word/document.xml", lambda raw: raw.replace(b"<w:sectPr", body.encode() + b"<w:sectPr", 1)
    )


def write_empty_sheet(path: Path) -> None:
    rows = "".join(f'<row r="{number}"/>' for number in range(1, EMPTY_ROWS + 1))
    empty = f"<sheetData>{rows}</sheetData>".encode()
    replace_member(store_book([]), path, SHEET, lambda raw: raw.replace(b"<sheetData></sheetData>", empty))


def write_sheet(path: Path) -> None:
    rows = ([f"d{number}", f"{TEXT} {number}. " * 6, f"A pier, {number}."] for number in range(ROWS))
    path.write_bytes(store_book([["id", "text", "summary"], *rows]).getvalue())


def write_lines(path: Path) -> None:
    rows = ({"id": f"d{number}", "text": f"{TEXT} {number}. " * 8, "summary": "A pier."} for number in range(LINES))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def store_book(rows: Iterable[list[str]]) -> io.BytesIO:
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in rows:
        sheet.append(row)
    stored = io.BytesIO()
    book.save(stored)
    return stored


def replace_member(stored: io.BytesIO, path: Path, member: str, change: Callable[[bytes], bytes]) -> None:
    """Write the office file with one of its members changed."""
    with zipfile.ZipFile(stored) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            raw = source.read(name)
            target.writestr(name, change(raw) if name == member else raw)


FILES: dict[str, tuple[str, Callable[[Path], None]]] = {
    "word": ("walk.docx", write_word),
    "empty rows": ("empty.xlsx", write_empty_sheet),
    "sheet": ("table.xlsx", write_sheet),
    "lines": ("table.jsonl", write_lines),
}


def show_once(path: Path) -> None:
    """In a process of its own: upload, open the page and print what that took."""
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.files.uploadedfile import SimpleUploadedFile
    from django.core.management import call_command
    from django.test import Client
    from django.urls import reverse

    from annotation.models import Project

    call_command("create_project", "bench", "--schema", "macsum-doc", stdout=io.StringIO())
    user = User.objects.create_user("ada")
    Project.objects.get(slug="bench").memberships.create(user=user, role="admin")
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(user)

    def upload(raw: SimpleUploadedFile) -> str:
        return client.post(reverse("import", args=["bench"]), {"file": [raw]}).url

    client.get(upload(SimpleUploadedFile("small.csv", b"id,text\na,The pier is made wider.\n")))
    address = upload(SimpleUploadedFile(path.name, path.read_bytes()))
    Path("/proc/self/clear_refs").write_text("5")  # the highest size counts anew
    before, grown_from = read_times(), read_mb("VmRSS")
    begun = time.perf_counter()
    page = client.get(address)
    seconds = time.perf_counter() - begun
    own, started = (now - then for now, then in zip(read_times(), before, strict=True))
    fields = {
        "file": path.name,
        "megabytes": round(path.stat().st_size / 1e6, 1),
        "status": page.status_code,
        "seconds": round(seconds, 2),
        "web_processor_seconds": round(own, 2),
        "started_processor_seconds": round(started, 2),
        "web_grew_mb": read_mb("VmHWM") - grown_from,
        "load": round(os.getloadavg()[0], 1),
    }
    print(json.dumps(fields), flush=True)


def read_times() -> tuple[float, float]:
    """Processor time of this process and of those that it waited for."""
    own, started = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime, started.ru_utime + started.ru_stime


def read_mb(name: str) -> int:
    """A size of this process: VmRSS as it is, VmHWM at its highest."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith(f"{name}:"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=FILES, default=list(FILES))
    parser.add_argument("--once", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.once:
        return show_once(args.once)
    for key in args.only:
        name, write = FILES[key]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            write(path)
            data = {"DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3", "EPITOME_DATA_DIR": f"{folder}/data"}
            env = {**os.environ, **data, "DJANGO_SETTINGS_MODULE": "epitome.site.settings"}
            migrate = [sys.executable, "manage.py", "migrate", "-v", "0", "--skip-checks"]
            subprocess.run(migrate, cwd=ROOT, env=env, check=True)
            subprocess.run(
                [sys.executable, "-m", "benchmarks.previews", "--once", str(path)], cwd=ROOT, env=env, check=True
            )
    return None


if __name__ == "__main__":
    main()

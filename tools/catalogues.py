"""The catalogues of the interface: extracted from code and templates, merged, written for small diffs, compiled.

    python -m tools.catalogues            update and compile every locale/LANGUAGE/LC_MESSAGES/django.po
    python -m tools.catalogues --compile  only compile, which needs nothing but polib

Extraction is Django's `makemessages`, which needs GNU gettext. Nothing is guessed: a message that changed is a new one,
untranslated, and no entry is ever fuzzy.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import polib

ROOT = Path(__file__).resolve().parents[1]
PLURAL_FORMS = {
    "de": "nplurals=2; plural=(n != 1);",
    "zh_Hans": "nplurals=1; plural=0;",
    "ar": (
        "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3"
        " : n%100>=11 && n%100<=99 ? 4 : 5;"
    ),
}
"""Locale -> the rule of Django's own catalogue of the language: one process has one rule for a language."""
NO_LINE_BREAK = 10**6


def catalogue_path(locale: str, root: Path = ROOT) -> Path:
    return root / "locale" / locale / "LC_MESSAGES" / "django.po"


def can_extract() -> bool:
    return shutil.which("xgettext") is not None and shutil.which("msguniq") is not None


def extract(root: Path = ROOT, python: str = sys.executable) -> polib.POFile:
    """Every message of code and templates, as `makemessages` finds them."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        command = [python, "-m", "tools.extraction", folder]
        subprocess.run(command, cwd=root, env=environment, check=True)
        return polib.pofile(str(Path(folder) / "django.pot"), wrapwidth=NO_LINE_BREAK)


def merge(locale: str, messages: polib.POFile, known: Iterable[polib.POEntry]) -> polib.POFile:
    """The messages with their known translations, sorted by message; what no message asks for is left out."""
    known_entries = {(e.msgctxt, e.msgid, e.msgid_plural): e for e in known if not e.obsolete and not e.fuzzy}
    catalogue = polib.POFile(wrapwidth=NO_LINE_BREAK)
    catalogue.metadata = {
        "Project-Id-Version": "Epitome",
        "Language": locale,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": PLURAL_FORMS[locale],
    }
    live = (entry for entry in messages if not entry.obsolete)
    for entry in sorted(live, key=lambda e: (e.msgid, e.msgctxt or "", e.msgid_plural or "")):
        catalogue.append(
            _copy_entry(entry, known_entries.get((entry.msgctxt, entry.msgid, entry.msgid_plural)), locale)
        )
    return catalogue


_PLACE = re.compile(r"%\(\w+\)|%[sd]")
"""What a value replaces. xgettext takes "95 % interval" for one too."""


def _copy_entry(entry: polib.POEntry, known: polib.POEntry | None, locale: str) -> polib.POEntry:
    files = sorted({name for name, _line in entry.occurrences})
    is_format = _PLACE.search(entry.msgid) or _PLACE.search(entry.msgid_plural or "")
    copied = polib.POEntry(
        msgid=entry.msgid,
        msgid_plural=entry.msgid_plural,
        msgctxt=entry.msgctxt,
        comment=entry.comment,
        occurrences=[(name, "") for name in files],
        flags=["python-format"] if is_format else [],
    )
    if entry.msgid_plural:
        forms = known.msgstr_plural if known is not None else {}
        copied.msgstr_plural = {n: forms.get(n, "") for n in range(count_forms(locale))}
    elif known is not None:
        copied.msgstr = known.msgstr
    return copied


def count_forms(locale: str) -> int:
    return int(PLURAL_FORMS[locale].removeprefix("nplurals=")[0])


def list_untranslated(catalogue: polib.POFile) -> list[polib.POEntry]:
    """Entries without a translation, or without one of its plural forms."""
    return [
        entry
        for entry in catalogue
        if not (all(entry.msgstr_plural.values()) if entry.msgid_plural else entry.msgstr) and not entry.obsolete
    ]


def load(locale: str, root: Path = ROOT) -> polib.POFile:
    """The catalogue of a language; empty where there is none yet."""
    path = catalogue_path(locale, root)
    return polib.pofile(str(path), wrapwidth=NO_LINE_BREAK) if path.exists() else polib.POFile()


def save(catalogue: polib.POFile, locale: str, root: Path = ROOT) -> None:
    """Write the catalogue and what Django reads of it."""
    path = catalogue_path(locale, root)
    path.parent.mkdir(parents=True, exist_ok=True)
    catalogue.save(str(path), newline="\n")
    compile_catalogue(locale, root)


def compile_catalogue(locale: str, root: Path = ROOT) -> None:
    path = catalogue_path(locale, root)
    path.with_suffix(".mo").write_bytes(compiled_bytes(polib.pofile(str(path))))


def compiled_bytes(catalogue: polib.POFile) -> bytes:
    return bytes(catalogue.to_binary())


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--compile", action="store_true", help="only compile the catalogues as they are")
    only_compile = parser.parse_args().compile
    if not only_compile and not can_extract():
        print("Extraction needs GNU gettext (xgettext, msguniq); install it, or run with --compile.", file=sys.stderr)
        return 1
    messages = None if only_compile else extract()
    for locale in PLURAL_FORMS:
        if messages is None:
            compile_catalogue(locale)
        else:
            save(merge(locale, messages, load(locale)), locale)
        print(f"{locale}: {len(list_untranslated(load(locale)))} messages without a translation")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Values that stand where a text should and are none: addresses and paths, and characters lost in a wrong encoding."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from epitome.formats.faults import FieldFault

MOST_WORDS = 6
"""Words up to which a text may be a path: folders and files have blanks in their names."""
_FILE = r"[^\n\\/]*\.(?:[A-Za-z]{2,5}|mp3|mp4|json|html)"
_ADDRESS = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9+.-]*://|www\.|data:[\w+./-]+[;,])\S+"  # an address
    rf"|(?:~|\.{{1,2}}|[A-Za-z]:)?[\\/](?:[^\n\\/]+[\\/])*{_FILE}"  # a path from a root
    r"|[\\/](?:[^\s\\/]+[\\/]+)+\S*"  # the same without an ending
    rf"|(?:[\w.-]+[\\/])+{_FILE}"  # a path from here
    r"|[\w-][\w.-]*\.(?:txt|pdf|docx?|html?|xml|jsonl?|csv|tsv|story|md|rtf|png|jpe?g|gif|wav|mp3|mp4|vtt|srt)"
)
LOST = "\ufffd"
_OTHERS = re.compile(r"[^\x00-\x7f]+")
_DOUBLE = re.compile(r"[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]+")


def refuse_no_text(key: str, text: str | None, segments: Sequence[Mapping[str, Any]], n_words: int) -> None:
    """Raises FieldFault for the text, else the segments, of a source that are none. n_words: of all."""
    if text is not None:
        refuse_address(key, text, n_words)
        refuse_lost_characters(key, text)
    for segment in segments:
        refuse_lost_characters(key, segment["text"])


def refuse_address(key: str, text: str, n_words: int) -> None:
    """Raises FieldFault for a text that is an address or a path. n_words: of the text."""
    if n_words <= MOST_WORDS and _ADDRESS.fullmatch(text.strip()):
        message = (
            "is an address or a path, not a text: the texts are in other files. Import those, or a table with ids and "
            "texts, or give it beside this file (--text-from)"
        )
        raise FieldFault((key,), message, text, "address")


def refuse_lost_characters(key: str, text: str) -> None:
    """Raises FieldFault for a text with the character that stands for bytes of another encoding, and for one whose
    letters were encoded twice."""
    if LOST in text:
        start = text.index(LOST)
        message = (
            "holds the replacement character U+FFFD: a program read the text in a wrong encoding and lost characters; "
            "export it anew as UTF-8"
        )
        raise FieldFault((key,), message, text[max(0, start - 20) : start + 20], "lost_character")
    if double := find_double_encoding(text):
        message = (
            "holds letters of UTF-8 that a program read as Windows-1252, each as two or three others; export it anew "
            "as UTF-8"
        )
        raise FieldFault((key,), message, double, "lost_character")


def find_double_encoding(text: str) -> str:
    """The first such letters of a text whose characters past ASCII are all bytes of UTF-8; "" for any other text."""
    if text.isascii() or not _DOUBLE.search(text):
        return ""
    for run in _OTHERS.findall(text):
        try:
            b"".join(map(_as_byte, run)).decode()
        except UnicodeError:
            return ""
    match = _DOUBLE.search(text)
    return match[0] if match else ""


def _as_byte(char: str) -> bytes:
    """The byte that Windows-1252 shows as a character; those that it has no character for are control characters."""
    return char.encode("latin-1") if "\x80" <= char <= "\x9f" else char.encode("cp1252")

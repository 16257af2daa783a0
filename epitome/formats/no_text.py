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
    """Raises FieldFault for a text with the character that stands for bytes of another encoding."""
    if LOST in text:
        start = text.index(LOST)
        message = (
            "holds the replacement character U+FFFD: a program read the text in a wrong encoding and lost characters; "
            "export it anew as UTF-8"
        )
        raise FieldFault((key,), message, text[max(0, start - 20) : start + 20], "lost_character")

"""Files of tools that hold no texts with human summaries: refused by name, with what to do instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epitome.formats.reading import InputFile
from epitome.formats.tools.judgments import is_factgenie, is_factgenie_outputs, is_pearmut

_JUDGMENTS = (
    "holds judgments of systems' outputs, no sources with human summaries. Read its marks in Python with "
    "epitome.formats.tools.judgments."
)


def refuse_tool(file: InputFile, entry: Mapping[str, Any]) -> None:
    """Raises UnreadableFile for an entry of such a file, of a Pearmut or factgenie campaign."""
    if is_pearmut(entry):
        raise file.unreadable(f"is of Pearmut: it {_JUDGMENTS}", code="wrong_kind")
    if is_factgenie(entry) or is_factgenie_outputs(entry):
        raise file.unreadable(f"is of factgenie: it {_JUDGMENTS}", code="wrong_kind")

"""Bytes to text by the encoding that a file names itself."""

from __future__ import annotations

import codecs

from epitome.formats.faults import to_printable


class UnknownEncoding(ValueError):
    """The bytes are not in the encoding that the file names; the message says which one was tried, and where."""


def decode_declared(raw: bytes, declared: str) -> str:
    """The text of bytes in the declared encoding, "" for none: then UTF-8. A byte order mark counts more than that.
    Raises UnknownEncoding; no character is replaced."""
    if raw.startswith(codecs.BOM_UTF8):
        raw, declared = raw.removeprefix(codecs.BOM_UTF8), "utf-8"
    elif raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        declared = "utf-16"
    try:
        return raw.decode(codecs.lookup(declared or "utf-8").name)
    except (LookupError, AttributeError):
        raise UnknownEncoding(f"declares the encoding {to_printable(declared, 40)}, which is not known") from None
    except ValueError as error:
        line = raw.count(b"\n", 0, getattr(error, "start", 0)) + 1
        label = f"in the encoding {to_printable(declared, 40)} that it declares" if declared else "UTF-8"
        hint = "" if declared else ", and it declares no other encoding"
        raise UnknownEncoding(f"line {line} is not {label}{hint}; save the file as UTF-8") from None

"""Guesses the encoding of bytes that are not UTF-8, of those in which spreadsheets save tables."""

from __future__ import annotations

LEAST_LETTERS = 6
"""So many letters of a script that is not Latin, fewer of which are told from chance by nothing."""
_NAMES = {
    "cp1252": "windows-1252",
    "cp1250": "windows-1250",
    "cp1251": "windows-1251",
    "cp1256": "windows-1256",
    "gb18030": "gb18030",
    "big5hkscs": "big5",
    "cp932": "shift-jis",
    "cp949": "euc-kr",
    "mac-roman": "mac-roman",
}
"""Python's codec, by which chardet calls it -> our name. Greek, Turkish and Hebrew are left to a choice: a few accents
look like any of them."""
_LATIN = frozenset({"windows-1252", "windows-1250", "mac-roman"})


def guess_encoding(sample: bytes) -> str:
    """The name of the most likely encoding of a text's bytes, "" where none is. The sample may end amid a character."""
    import chardet

    guess = chardet.detect(sample, include_encodings=list(_NAMES), compat_names=False)["encoding"]
    codec = guess or ""
    encoding = _NAMES.get(codec, "")
    if not encoding or encoding in _LATIN:
        return encoding
    letters = [char for char in sample.decode(codec, "ignore") if char.isalpha() and not char.isascii()]
    return encoding if len(letters) >= LEAST_LETTERS else ""

"""Encodings of text files that are not UTF-8: their names, which one a file has, and its bytes as UTF-8."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from epitome.formats.encoding_guess import guess_encoding

UTF8, UTF16 = "utf-8", "utf-16"
ENCODINGS: dict[str, str] = {
    UTF8: "UTF-8",
    UTF16: "UTF-16",
    "windows-1252": "Windows-1252",
    "windows-1250": "Windows-1250",
    "windows-1251": "Windows-1251",
    "windows-1253": "Windows-1253",
    "windows-1254": "Windows-1254",
    "windows-1255": "Windows-1255",
    "windows-1256": "Windows-1256",
    "gb18030": "GB18030",
    "big5": "Big5",
    "shift-jis": "Shift-JIS",
    "euc-kr": "EUC-KR",
    "mac-roman": "Mac Roman",
}
"""Name in options -> name on the screen: the encodings in which spreadsheets save tables."""
_CODECS = {"big5": "cp950", "shift-jis": "cp932", "euc-kr": "cp949"}
"""What programs on Windows mean by these names, which has more characters."""
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UTF32_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_OTHERS = re.compile(r"[^\x00-\x7f\ufffd]")
EXAMINED = 100_000
"""Bytes of which an encoding is guessed."""


class NotDecodable(ValueError):
    """Bytes that are not in the encoding. line: in which they are, from 1; seen: the bytes."""

    def __init__(self, line: int, seen: bytes) -> None:
        super().__init__(f"line {line}")
        self.line, self.seen = line, seen


@dataclass(slots=True)
class TextEncoding:
    """The encoding of one file, shared by all copies of its InputFile.

    chosen: for what is not UTF-8, "" to find it out. used: how the file is read, once that is known. is_utf8: False
    for a file with other bytes, whatever it is read as.
    """

    chosen: str = ""
    used: str = ""
    is_utf8: bool = True

    @property
    def label(self) -> str:
        """The encoding on the screen."""
        return ENCODINGS.get(self.used, self.used)

    @property
    def guess_note(self) -> str:
        """What is remarked where the encoding is guessed."""
        return f"read as {self.label}; choose another encoding if letters are wrong"

    @property
    def is_guessed(self) -> bool:
        """Whether neither a person nor a byte order mark says how the file is read."""
        return not self.is_utf8 and not self.chosen and self.used not in (UTF8, UTF16)

    def find(self, chunks: Iterable[bytes]) -> str:
        """The encoding of a file; its bytes are looked at the first time."""
        if not self.used:
            guessed = _examine(chunks)
            self.is_utf8 = guessed is None
            self.used = UTF8 if guessed is None else self.chosen or guessed
        return self.used

    def join(self, member: TextEncoding) -> None:
        """Take over that a member of an archive is not UTF-8."""
        if not member.is_utf8:
            self.is_utf8, self.used = False, member.used


def _examine(chunks: Iterable[bytes]) -> str | None:
    """None for UTF-8, else the encoding as the file's mark says or as it is guessed; UTF-8 where most is that."""
    decoder = codecs.getincrementaldecoder(UTF8)()
    has_others, is_json = False, False
    for place, chunk in enumerate(chunks):
        if place == 0:
            if chunk.startswith(_UTF16_MARKS) or is_wide(chunk[:64]):
                return UTF16
            is_json = chunk.lstrip(codecs.BOM_UTF8 + b" \t\r\n")[:1] in (b"{", b"[")
        if chunk.isascii() and not decoder.getstate()[0]:
            continue
        try:
            has_others = bool(decoder.decode(chunk)) or has_others
        except UnicodeDecodeError as error:
            line_start = chunk.rfind(b"\n", 0, error.start) + 1
            sample = chunk[line_start : line_start + EXAMINED]
            # JSON is UTF-8 by its definition, so that other bytes in it are damage.
            is_damaged = is_json or has_others or _is_mostly_utf8(chunk)
            return UTF8 if is_damaged else guess_encoding(sample) or UTF8
    return None


def _is_mostly_utf8(chunk: bytes) -> bool:
    """Whether at least as many characters past ASCII are UTF-8 as bytes are not: a few damaged rows."""
    text = chunk.decode(UTF8, "replace")
    return len(_OTHERS.findall(text)) >= text.count("\ufffd")


def is_wide(head: bytes) -> bool:
    """Whether a file's first bytes are those of UTF-32, or of UTF-16 without a mark."""
    evens, odds = head[0::2], head[1::2]
    unmarked = len(head) >= 4 and ((any(evens) and not any(odds)) or (any(odds) and not any(evens)))
    return unmarked or head.startswith(_UTF32_MARKS)


def decode_chunks(chunks: Iterable[bytes], name: str) -> Iterator[bytes]:
    """The text of bytes in an encoding, as UTF-8. Raises NotDecodable."""
    decoder: codecs.IncrementalDecoder | None = None
    n_lines = 1
    for chunk in chunks:
        decoder = decoder or codecs.getincrementaldecoder(_codec_of(name, chunk))()
        try:
            text = decoder.decode(chunk)
        except UnicodeDecodeError as error:
            n_lines += error.object[: error.start].count(b"\n")
            raise NotDecodable(n_lines, error.object[error.start : error.start + 4]) from None
        n_lines += text.count("\n")
        yield text.encode()
    if decoder is not None and decoder.getstate()[0]:
        raise NotDecodable(n_lines, decoder.getstate()[0][:4])


def _codec_of(name: str, first: bytes) -> str:
    """Python's codec for an encoding; UTF-16 without a mark has its zeros in front of ASCII letters, or behind them."""
    if name == UTF16 and not first.startswith(_UTF16_MARKS):
        return "utf-16-be" if not any(first[0:64:2]) else "utf-16-le"
    return _CODECS.get(name, name)

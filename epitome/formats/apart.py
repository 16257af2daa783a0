"""Reads files in a process of its own: `python -m epitome.formats.apart`, with one Request a line on standard input,
and on standard output Answers, each as JSON behind its length. A file that ends, fills or halts its reader harms nobody
else."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import struct
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import IO

from epitome.formats.apart_messages import HEAD, JOINED_UNITS, OUTLOOK, Answer, FileHead, Request
from epitome.formats.columns import read_table_head
from epitome.formats.notes import Notes
from epitome.formats.options import ImportOptions
from epitome.formats.outlook import Outlook, look_ahead
from epitome.formats.reading import GZIP, FilePart, InputFile, UnreadableFile
from epitome.formats.records import SourceRecord, Unit
from epitome.formats.registry import FORMATS, detect_format, has_columns
from epitome.formats.row_table import RowsRepeat
from epitome.formats.sources import read_sources, with_texts

LENGTH = struct.Struct(">Q")
"""Bytes of an answer, in front of it."""
MOST_UNITS, MOST_WORDS, MOST_SECONDS = 500, 100_000, 0.5
"""Of units in one answer; whichever is reached first."""
_CAS_MARKS = (b"uima", b"%TYPES", b"%FEATURE_STRUCTURES", b"_context")


def read_head(file: InputFile, kind: str, options: ImportOptions) -> FileHead:
    """Format, columns and first rows. kind: the format, or `auto`. Raises UnreadableFile."""
    name = detect_format(file, options.mapping) if kind == "auto" else kind
    return FileHead(name, read_table_head(file, name) if has_columns(name) else None)


def read_outlook(file: InputFile, kind: str, options: ImportOptions) -> Outlook:
    """What the first rows would become. Raises UnreadableFile, and ValueError for an unusable mapping."""
    return look_ahead(file, kind, with_texts(file, options))


def needs_process(file: InputFile, kind: str) -> bool:
    """Whether a file is opened by code that is not ours: archives, office files, binary tables, CAS. Texts of all kinds
    are read line by line, within bounds, where no second process is worth its start. Raises UnreadableFile."""
    packed = (b"PK", GZIP, *(begin for known in FORMATS.values() for begin in known.first_bytes))
    if kind == "cas" or (kind in FORMATS and (FORMATS[kind].first_bytes or FORMATS[kind].member)):
        return True
    begins = [each.magic() for each in (file, file.texts) if each is not None]
    return any(begin.startswith(packed) or any(mark in begin for mark in _CAS_MARKS) for begin in begins)


def answer(request: Request) -> Iterator[Answer]:
    """Read the beginning of the file, or all of its units."""
    file = replace(request.file, notes=Notes())
    try:
        if request.asks == HEAD:
            head = read_head(replace(file, part=FilePart()), request.kind, request.options)
            yield Answer(file.encoding, head=head)
        elif request.asks == OUTLOOK:
            outlook = read_outlook(replace(file, part=FilePart()), request.kind, request.options)
            yield Answer(file.encoding, outlook=outlook)
        else:
            yield from _read_units(file, request.options, joins=request.asks == JOINED_UNITS)
    except UnreadableFile as error:
        yield Answer(file.encoding, fault=error.fault)
    except (MemoryError, OSError) as error:
        if isinstance(error, OSError) and error.errno != errno.ENOMEM:
            raise
        message = "needs too much memory to be read; split it into smaller files"
        yield Answer(file.encoding, fault=file.fault(message, code="too_large", fatal=True))
    except RowsRepeat as error:
        yield Answer(file.encoding, repeats=str(error))
    except ValueError as error:
        yield Answer(file.encoding, refusal=str(error))


def _read_units(file: InputFile, options: ImportOptions, *, joins: bool) -> Iterator[Answer]:
    """All units, several in an answer: as many as come in a while, unless they are long."""
    progress = (0, 0)

    def keep_progress(n_read: int, total: int) -> None:
        nonlocal progress
        progress = (n_read, total)

    units: list[Unit] = []
    n_words, ends = 0, time.monotonic() + MOST_SECONDS
    for unit in read_sources(replace(file, progress=keep_progress), options, joins=joins):
        units.append(unit)
        n_words += unit.n_words if isinstance(unit, SourceRecord) else 0
        if len(units) >= MOST_UNITS or n_words >= MOST_WORDS or time.monotonic() > ends:
            yield Answer(units=units, progress=progress, is_last=False)
            units, n_words, ends = [], 0, time.monotonic() + MOST_SECONDS
    yield Answer(file.encoding, units=units, progress=progress, notes=list(file.notes.by_message.values()))


def _limit(request: Request) -> None:
    limits = ((resource.RLIMIT_AS, request.memory), (resource.RLIMIT_CPU, request.seconds), (resource.RLIMIT_CORE, 0))
    for kind, limit in limits:
        with contextlib.suppress(ValueError, OSError):  # the machine's own limit is lower, or it has none of this kind
            resource.setrlimit(kind, (limit, limit + 1))  # at the second one the end would be by SIGKILL, as any other


def _send(answers: IO[bytes], text: bytes) -> None:
    answers.write(LENGTH.pack(len(text)))
    answers.write(text)
    answers.flush()


def main() -> None:
    """Answer requests until there are no more. What a library prints goes to standard error, so that it does not damage
    the answers."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with answers:
        for line in sys.stdin.buffer:
            request = Request.of_json(line)
            _limit(request)
            for each in answer(request):
                _send(answers, each.as_json(request.mark))


if __name__ == "__main__":
    main()

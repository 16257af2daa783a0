"""Opens files of other people's formats in a process apart, so that a file which ends, fills or halts its reader is
refused with a sentence, and the process of the web or of the job lives on."""

import contextlib
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from types import TracebackType
from typing import IO, NamedTuple, Self

from django.conf import settings
from django.utils.translation import gettext as _

from annotation.models import SchemaVersion
from epitome.formats import apart
from epitome.formats.apart import LENGTH
from epitome.formats.apart_messages import HEAD, JOINED_UNITS, OUTLOOK, UNITS, Answer, FileHead, Request
from epitome.formats.options import ImportOptions
from epitome.formats.outlook import Outlook
from epitome.formats.reading import InputFile, UnreadableFile
from epitome.formats.records import Unit
from epitome.formats.row_table import RowsRepeat
from epitome.formats.sources import read_sources

TRIES = 2
"""A process that ended by itself, perhaps for want of memory on a busy machine, is started once more."""
COMMAND = [sys.executable, "-m", "epitome.formats.apart"]
MOST_BYTES = 200_000_000
"""Of one answer."""
WAIT_SECONDS = 0.5


class Limits(NamedTuple):
    """Of one process: bytes of address space, seconds of processor time, and seconds until it says something."""

    memory: int
    cpu_seconds: int
    silent_seconds: float


LOOK = Limits(2 * 2**30, 20, 60.0)
"""Where a person waits: the beginning of a file is read."""
WHOLE = Limits(4 * 2**30, 3600, 1200.0)
"""Where a job reads all of it."""


class ReaderEnded(Exception):
    """The process ended by itself."""


class _Silent(Exception):
    """The process took longer than it may."""


class FileReader:
    """Reads files of any format. Archives, office files, binary tables and CAS are opened in one process apart, started
    when the first of them is met and ended with `close`."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or LOOK
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process, whatever it does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    with contextlib.suppress(BrokenPipeError):
                        pipe.close()
            self.process = None

    def read_head(self, file: InputFile, kind: str, options: ImportOptions | None = None) -> FileHead:
        """Format, columns and first rows of a file. kind: the format, or `auto`. Raises UnreadableFile."""
        options = options or ImportOptions()
        if not apart.needs_process(file, kind):
            return apart.read_head(file, kind, options)
        answered = self._ask(self._request(HEAD, file, kind, options))
        assert answered.head is not None
        return answered.head

    def read_column_names(self, file: InputFile, kind: str) -> frozenset[str]:
        """The columns of a file; none of one that has none or cannot be read."""
        try:
            table = self.read_head(file, kind).table
        except UnreadableFile:
            return frozenset()
        return frozenset(table.columns if table is not None else ())

    def read_outlook(self, file: InputFile, kind: str, options: ImportOptions, version: SchemaVersion) -> Outlook:
        """What the first rows would become. version: of the schema, where the options have one. Raises UnreadableFile,
        and ValueError for an unusable mapping."""
        if not apart.needs_process(file, kind):
            return apart.read_outlook(file, kind, options)
        answered = self._ask(self._request(OUTLOOK, file, kind, options, version))
        assert answered.outlook is not None
        return answered.outlook

    def read_units(
        self, file: InputFile, options: ImportOptions, version: SchemaVersion, *, joins: bool
    ) -> Generator[Unit]:
        """All units of a file, as `read_sources` yields them. Its progress is called now and then, also while nothing
        comes. Raises ReaderEnded, after which the file may be read again from its beginning, and UnreadableFile where
        that takes too long or too much memory."""
        if not apart.needs_process(file, options.format):
            yield from read_sources(file, options, joins=joins)
            return
        request = self._request(JOINED_UNITS if joins else UNITS, file, options.format, options, version)
        n_read, total = 0, 0

        def report() -> None:
            if file.progress is not None:
                file.progress(n_read, total)

        self._send(request)
        is_last = False
        while not is_last:
            answered = self._receive(request, report)
            n_read, total = answered.progress
            report()
            _raise_what_it_says(request, answered)
            yield from answered.units
            is_last = answered.is_last
        for note in answered.notes:
            file.notes.join(note)

    def _request(
        self, asks: str, file: InputFile, kind: str, options: ImportOptions, version: SchemaVersion | None = None
    ) -> Request:
        schema = version.text if version is not None and options.schema is not None else ""
        return Request(asks, file, kind, options, schema, self.limits.memory, self.limits.cpu_seconds)

    def _ask(self, request: Request) -> Answer:
        """The one answer to a request. Raises UnreadableFile, also where the process ended or took too long, and
        ValueError."""
        for _try in range(TRIES):
            try:
                self._send(request)
                answered = self._receive(request)
            except ReaderEnded:
                continue
            _raise_what_it_says(request, answered)
            return answered
        raise ended_fault(request.file)

    def _send(self, request: Request) -> None:
        if self.process is None:
            self.process = subprocess.Popen(
                COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd=settings.BASE_DIR
            )
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(request.as_json() + b"\n")
        except BrokenPipeError:
            raise self._end(request) from None

    def _receive(self, request: Request, report: Callable[[], None] | None = None) -> Answer:
        """The next answer. Raises ReaderEnded, and UnreadableFile where the process takes too long."""
        assert self.process is not None and self.process.stdout is not None
        ends = time.monotonic() + self.limits.silent_seconds
        try:
            head = _read_exactly(self.process.stdout, LENGTH.size, ends, report)
            size = LENGTH.unpack(head)[0] if head else 0
            if size > MOST_BYTES:
                self.close()
                raise request.file.unreadable(_("holds too much in one piece. Split it."), code="too_large")
            text = _read_exactly(self.process.stdout, size, ends, report)
        except _Silent:
            self.close()
            raise _too_slow(request.file) from None
        if not text:
            raise self._end(request)
        return Answer.of_json(text, request.mark)

    def _end(self, request: Request) -> Exception:
        """What to raise about a process that says no more."""
        assert self.process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(WAIT_SECONDS)
        ended_by = self.process.returncode
        self.close()
        return _too_slow(request.file) if ended_by == -signal.SIGXCPU else ReaderEnded(f"reading ended by {ended_by}")


def _raise_what_it_says(request: Request, answered: Answer) -> None:
    request.file.encoding.join(answered.encoding)
    if answered.fault is not None:
        raise UnreadableFile(answered.fault)
    if answered.repeats:
        raise RowsRepeat(answered.repeats)
    if answered.refusal:
        raise ValueError(answered.refusal)


def _read_exactly(pipe: IO[bytes], size: int, ends: float, report: Callable[[], None] | None) -> bytes:
    """So many bytes; none where the pipe ends before. report: called while nothing comes. Raises _Silent."""
    pieces, n_read = [], 0
    while n_read < size:
        if not select.select([pipe], [], [], WAIT_SECONDS)[0]:
            if time.monotonic() > ends:
                raise _Silent
            if report is not None:
                report()
            continue
        piece = pipe.read(size - n_read)
        if not piece:
            return b""
        pieces.append(piece)
        n_read += len(piece)
    return b"".join(pieces)


def ended_fault(file: InputFile) -> UnreadableFile:
    """The error of a file whose reading ended the process."""
    message = _("cannot be opened: reading it ended the program that tried. Save it again, or in another format.")
    return file.unreadable(message, code="damaged")


def _too_slow(file: InputFile) -> UnreadableFile:
    message = _("takes too long to be opened. Split it into smaller files, or save it in another format.")
    return file.unreadable(message, code="too_large")

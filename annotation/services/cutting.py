"""A staging file, and the second process that cuts large plain texts into it while the rest is still being checked."""

import io
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

from django.conf import settings

HELPED_FROM = 8_000_000
"""Bytes of a file from which a process of its own cuts its texts: starting one takes as long as cutting 2 MB."""
WAIT_SECONDS = 0.002


class CuttingBroke(RuntimeError):
    """The process that cuts the texts ended early."""


class StagingFile:
    """What an import has checked. With `helped`, what is written goes through the cutting process, and the file
    grows behind it: `stream` waits for what is still to come. Close it in any case; the file is gone then."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.process: subprocess.Popen[bytes] | None = None

    @contextmanager
    def writing(self, *, helped: bool) -> Iterator[BinaryIO]:
        """Where to write. Raises CuttingBroke."""
        with self.path.open("wb", buffering=1 << 20) as out:
            if not helped:
                yield out
                return
            command = [sys.executable, "-m", "annotation.formats.staged"]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=out, cwd=settings.BASE_DIR, bufsize=1 << 20
            )
        try:
            with cast(BinaryIO, self.process.stdin) as pipe:
                yield pipe
        except BrokenPipeError as error:
            raise self._broke() from error

    @contextmanager
    def stream(self) -> Iterator[IO[bytes]]:
        """The sources from the first on; at the end, the process has ended well. Raises CuttingBroke."""
        with self.path.open("rb", buffering=0) as raw:
            if self.process is None:
                yield io.BufferedReader(raw, 1 << 20)
                return
            yield io.BufferedReader(_Growing(raw, self.process), 1 << 20)
            if self.process.wait() != 0:
                raise self._broke()

    def _broke(self) -> CuttingBroke:
        code = self.process.wait() if self.process is not None else None
        return CuttingBroke(f"cutting the texts ended with {code}; import the file again")

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.path.unlink(missing_ok=True)


class _Growing(io.RawIOBase):
    """A file that a process still writes to: its end is where the process has ended."""

    def __init__(self, raw: io.FileIO, process: "subprocess.Popen[bytes]") -> None:
        self.raw, self.process = raw, process

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int | None:  # type: ignore[override]
        while True:
            ended = self.process.poll() is not None  # asked first: what it wrote before its end is then in the file
            found = self.raw.readinto(buffer)
            if found or ended:
                return found
            time.sleep(WAIT_SECONDS)

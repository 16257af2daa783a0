"""A staging file, and the second process that segments large plain texts while the file is still being checked."""

import io
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from django.conf import settings

from epitome.formats.staged import WAIT_SECONDS, GrowingFile

HELPED_FROM = 8_000_000
"""File size in bytes from which on a second process segments the texts: starting it takes as long as 2 MB."""


class CuttingBroke(RuntimeError):
    """The process that segments the texts ended early."""


class StagingFile:
    """The checked sources of an import. With `helped`, a second process reads the file while it is written and writes
    the segmented texts to a second file, which `stream` reads. Always close it; this deletes the files."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cut_path = path.with_suffix(".cut.staged")
        self.process: subprocess.Popen[bytes] | None = None

    @contextmanager
    def writing(self, *, helped: bool) -> Iterator[BinaryIO]:
        """Open the staging file for writing."""
        with self.path.open("wb", buffering=1 << 20) as out:
            if helped:
                self._start()
            yield out
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()  # signals the end of the file; so does the end of this process

    def _start(self) -> None:
        command = [sys.executable, "-m", "epitome.formats.staged", str(self.path)]
        with self.cut_path.open("wb") as out:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, cwd=settings.BASE_DIR)

    @contextmanager
    def stream(self) -> Iterator[IO[bytes]]:
        """Read all sources; the process has ended successfully at the end. Raises CuttingBroke."""
        process = self.process
        if process is None:
            with self.path.open("rb", buffering=1 << 20) as lines:
                yield lines
            return

        def ended() -> bool:
            if process.poll() is not None:
                return True
            time.sleep(WAIT_SECONDS)
            return False

        with self.cut_path.open("rb", buffering=0) as raw:
            yield io.BufferedReader(GrowingFile(raw, ended), 1 << 20)
        if process.wait() != 0:
            raise CuttingBroke(f"cutting the texts ended with {process.returncode}; import the file again")

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            if self.process.stdin is not None:
                self.process.stdin.close()
        self.path.unlink(missing_ok=True)
        self.cut_path.unlink(missing_ok=True)

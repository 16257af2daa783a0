"""A staging file, and the second process that cuts large plain texts while the rest is still being checked."""

import io
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from django.conf import settings

from annotation.formats.staged import WAIT_SECONDS, GrowingFile

HELPED_FROM = 8_000_000
"""Bytes of a file from which a process of its own cuts its texts: starting one takes as long as cutting 2 MB."""


class CuttingBroke(RuntimeError):
    """The process that cuts the texts ended early."""


class StagingFile:
    """What an import has checked. With `helped`, the cutting process follows what is written and writes a second
    file, which `stream` follows in turn. Close it in any case; the files are gone then."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cut_path = path.with_suffix(".cut.staged")
        self.process: subprocess.Popen[bytes] | None = None

    @contextmanager
    def writing(self, *, helped: bool) -> Iterator[BinaryIO]:
        """Where to write."""
        with self.path.open("wb", buffering=1 << 20) as out:
            if helped:
                self._start()
            yield out
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()  # tells that nothing more comes; so does the end of this process

    def _start(self) -> None:
        command = [sys.executable, "-m", "annotation.formats.staged", str(self.path)]
        with self.cut_path.open("wb") as out:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, cwd=settings.BASE_DIR)

    @contextmanager
    def stream(self) -> Iterator[IO[bytes]]:
        """The sources from the first on; at the end, the process has ended well. Raises CuttingBroke."""
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

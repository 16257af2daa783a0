"""Progress of a command on a terminal. Needs no Django."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

LONG = 10_000
"""Texts from which on functions of the library show progress by themselves."""


class TerminalProgress:
    """A progress bar on a terminal, otherwise a line every 10 %; always on stderr."""

    def __init__(self, title: str) -> None:
        from tqdm import tqdm

        self.title, self.done, self.total, self.said = title, 0, 0, -1
        self.bar = tqdm(desc=title, file=sys.stderr, unit="") if sys.stderr.isatty() else None

    def set(self, done: int, total: int | None = None, note: str = "") -> None:
        self.done, self.total = done, total or self.total
        if self.bar is not None:
            self.bar.total = self.total or None
            self.bar.set_postfix_str(note, refresh=False)
            self.bar.update(done - self.bar.n)
        elif self.total and done * 10 // self.total > self.said:
            self.said = done * 10 // self.total
            print(f"{self.title}: {done} of {self.total}", file=sys.stderr)

    def advance(self, n: int = 1) -> None:
        self.set(self.done + n)

    def check(self) -> None:
        return None

    def carry(self, counts: dict[str, Any]) -> dict[str, Any]:
        return counts

    def keep(self) -> None:
        return None

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


@contextmanager
def show_long_progress(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yields what is called with the number of texts done since the last call; shown for LONG texts and more."""
    if total < LONG:
        yield lambda n: None
        return
    progress = TerminalProgress(title)
    try:
        progress.set(0, total)
        yield progress.advance
    finally:
        progress.close()

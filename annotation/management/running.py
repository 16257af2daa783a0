"""Helpers shared by the commands: errors as one line on stderr, results on stdout, progress on stderr."""

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError

from annotation.jobs import TerminalProgress
from annotation.models import Project
from annotation.services.core.errors import ServiceError
from epitome.cli.faults import CommandFault
from epitome.cli.sample_options import read_sample_options
from epitome.formats.sample_files import SampleFileOptions

MAX_LINE = 480  # Django writes "CommandError: " before it; together at most 500 characters


def command_error(message: str) -> CommandError:
    """Exit code 1 with the message as one line of at most 500 characters."""
    line = " ".join(str(message).split())
    return CommandError(line if len(line) <= MAX_LINE else line[: MAX_LINE - 3] + "...", returncode=1)


def run_library_command(run: Callable[[Namespace], str], options: dict[str, Any]) -> str:
    """What a command of `epitome` that needs no database prints; its faults become CommandErrors."""
    try:
        return run(Namespace(**options))
    except CommandFault as fault:
        raise CommandError(str(fault), returncode=fault.status) from fault


def load_sample_options(options: Mapping[str, Any]) -> SampleFileOptions:
    """How a command reads the samples of its file, from its options."""
    try:
        return read_sample_options(Namespace(**options))
    except CommandFault as fault:
        raise CommandError(str(fault), returncode=fault.status) from fault


@contextmanager
def convert_service_errors() -> Iterator[None]:
    """Convert a service error into a one-line CommandError with exit code 1."""
    try:
        yield
    except ServiceError as error:
        field = f"{error.field}: " if error.field and error.field not in ("file", "schema") else ""
        raise command_error(field + error.message) from error


def get_project(slug: str) -> Project:
    project = Project.objects.filter(slug=slug, pilot_of=None).first()
    if project is None:
        raise command_error(f"there is no project {slug[:60]!r}; make one with create_project")
    return project


class CommandProgress:
    """A progress bar on a terminal, plain lines elsewhere; these start at `quiet_until` percent, with valid input."""

    def __init__(self, title: str, *, quiet_until: int = 0) -> None:
        self.shown = TerminalProgress(title)
        self.quiet_until = 0 if sys.stderr.isatty() else quiet_until
        self.done = 0

    def set(self, done: int, total: int | None = None, note: str = "") -> None:
        self.done = done
        if done >= self.quiet_until:
            self.shown.set(done, total, note)

    def advance(self, n: int = 1) -> None:
        self.set(self.done + n)

    def check(self) -> None:
        return None

    def checkpoint(self) -> None:
        self.check()

    def is_turn_over(self) -> bool:
        return False

    def carry(self, counts: dict[str, Any]) -> dict[str, Any]:
        return counts

    def keep(self) -> None:
        return None

    def close(self) -> None:
        self.shown.close()


@contextmanager
def progress_of(title: str, *, quiet_until: int = 0) -> Iterator[CommandProgress]:
    """Progress of a command; the bar is closed before any other output."""
    progress = CommandProgress(title, quiet_until=quiet_until)
    try:
        yield progress
    finally:
        progress.close()


def as_json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)

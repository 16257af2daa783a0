"""The steps of a start, each with its number and how long it took, so that nobody looks at a silent terminal."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

BEFORE = "STEPS_BEFORE"
"""How many steps came before this command; make has one, the packages."""


class StartSteps:
    """Prints "2/5 database (56 migrations) ... 8.1 s". n: the steps of the command itself."""

    def __init__(self, stream: TextIO, n: int) -> None:
        steps_before = os.environ.get(BEFORE, "0")
        self.stream, self.number = stream, int(steps_before) if steps_before.isdecimal() else 0
        self.total = self.number + n

    def name_next(self, name: str) -> str:
        """The next step with its number."""
        self.number += 1
        return f"{self.number}/{self.total} {name} ..."

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Print the step at its beginning, and its time at its end."""
        self.stream.write(f"{self.name_next(name)} ")
        self.stream.flush()
        begun = time.monotonic()
        yield
        self.stream.write(f"{time.monotonic() - begun:.1f} s\n")
        self.stream.flush()

    def migrate(self) -> None:
        """The step of the database, with the number of its migrations where there are any to run."""
        executor = MigrationExecutor(connection)
        n = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
        words = "1 migration" if n == 1 else f"{n} migrations" if n else "up to date"
        with self.step(f"database ({words})"):
            if n:
                call_command("migrate", verbosity=0)

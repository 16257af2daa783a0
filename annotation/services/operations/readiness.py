"""Whether this process can serve requests: the database answers and its tables are those of the code."""

from dataclasses import dataclass, field

from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor

from annotation.jobs import count_workers

_are_migrations_applied = False
"""Once seen applied they stay so for the life of the process: a change of the code starts a new one."""


@dataclass
class Readiness:
    """reasons: why the process is not ready. workers: how many run per queue; information only."""

    reasons: list[str] = field(default_factory=list)
    workers: dict[str, int] = field(default_factory=dict)


def check_readiness() -> Readiness:
    """The reasons are fixed sentences: anybody may read them."""
    readiness = Readiness()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        if not check_migrations():
            readiness.reasons.append("Migrations are not applied.")
            return readiness
        readiness.workers = dict(sorted(count_workers().items()))
    except (DatabaseError, InterfaceError):
        connection.close()
        readiness.reasons.append("The database does not answer.")
    return readiness


def check_migrations() -> bool:
    """Whether every migration of the code is applied."""
    global _are_migrations_applied
    if not _are_migrations_applied:
        executor = MigrationExecutor(connection)
        _are_migrations_applied = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return _are_migrations_applied

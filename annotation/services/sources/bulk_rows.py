"""Many rows of a model without an object for each: COPY on PostgreSQL, executemany on SQLite. Inside a transaction."""

import json
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.db import connection
from django.db.models import JSONField, Model
from django.utils import timezone

encode_json = json.JSONEncoder().encode
"""JSON as Django's JSONField stores it."""


def reserve_ids(model: type[Model], n: int) -> Sequence[int]:
    """Ids for new rows, in ascending order. On SQLite the transaction is IMMEDIATE, so no other writer takes them; the
    inserts advance AUTOINCREMENT."""
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)", [table, n])
            return [row[0] for row in cursor.fetchall()]
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        sequence_row = cursor.fetchone()
        first = (sequence_row[0] if sequence_row else 0) + 1
        return range(first, first + n)


def now_value() -> Any:
    """The time as the database's driver takes it."""
    now = timezone.now()
    return connection.ops.adapt_datetimefield_value(now) if connection.vendor == "sqlite" else now


def uuid_maker() -> Callable[[], Any]:
    """Makes random UUIDs as the database's driver takes them."""
    return uuid.uuid4 if connection.features.has_native_uuid_field else lambda: uuid.uuid4().hex


def insert_rows(
    model: type[Model], shared: Mapping[str, Any], names: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Insert rows, each with the values of the columns `names`, JSON as text. shared: columns of one value in all rows;
    columns in neither have the default of their field. Raises Django's IntegrityError."""
    fixed = {**_default_columns(model), **shared}
    fixed = {name: value for name, value in fixed.items() if name not in names}
    tail = list(fixed.values())
    columns = ", ".join(f'"{name}"' for name in (*names, *fixed))
    table = model._meta.db_table
    with connection.wrap_database_errors, connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row([*row, *tail])
            return
        places = ", ".join(["%s"] * (len(names) + len(fixed)))
        cursor.executemany(
            f"INSERT INTO {table} ({columns}) VALUES ({places})",  # noqa: S608 - names of our own
            [[*row, *tail] for row in rows],
        )


def _default_columns(model: type[Model]) -> dict[str, Any]:
    """The default of each column but the id, None where it has none."""
    defaults: dict[str, Any] = {}
    for field in model._meta.concrete_fields:
        if field.primary_key:
            continue
        value = field.get_default()
        defaults[str(field.column)] = encode_json(value) if isinstance(field, JSONField) else value
    return defaults

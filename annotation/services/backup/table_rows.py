"""Rows of every table as JSON lines that do not depend on the database engine, read and stored in batches."""

import base64
import json
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import islice
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.migrations.recorder import MigrationRecorder

FETCHED_ROWS = 100
"""Rows of one fetch: the rows of source texts may have megabytes each."""
INSERTED_ROWS = 500
INSERTED_CHARACTERS = 4_000_000

REPLACED = ("contenttypes.ContentType", "auth.Permission", "annotation.WorkerHeartbeat", "modelbridge.WarmSystem")
"""Tables whose rows a restore replaces: `migrate` fills two, with ids of its own, and workers that ran the others."""


def list_models() -> list[type[models.Model]]:
    """Every model with a table, an upper app's first.

    The order is that of a restore. Foreign keys are checked at the commit, so any order would do, but the trigger of
    evaluation's items reads annotation's rows, and must not judge what was stored after the item.
    """
    every_model = apps.get_models(include_auto_created=True)
    return [model for model in reversed(every_model) if model._meta.managed and not model._meta.proxy]


def list_columns(model: type[models.Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


def list_migrations() -> list[str]:
    """The migrations applied to the database, as `app.name`, sorted."""
    return sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())


@contextmanager
def read_snapshot() -> Iterator[None]:
    """One state of the database for every query of the block; writers are not held up.

    Plain SQL on SQLite, because Django begins each transaction there with the write lock.
    """
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
        return
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def encode_rows(model: type[models.Model]) -> Iterator[bytes]:
    """One JSON list per row, in the order of the primary key, each with a newline."""
    assert model._meta.pk is not None
    key, columns = model._meta.pk.attname, list_columns(model)
    rows = model._base_manager.order_by(key).values_list(*columns)
    # By key, not by a cursor of the server, which a connection pooler may not keep.
    batch = list(rows[:FETCHED_ROWS])
    while batch:
        for row in batch:
            yield json.dumps(row, ensure_ascii=False, default=_encode_value, separators=(",", ":")).encode() + b"\n"
        batch = list(rows.filter(**{f"{key}__gt": batch[-1][columns.index(key)]})[:FETCHED_ROWS])


def _encode_value(value: Any) -> Any:
    match value:
        case datetime() | date():
            return value.isoformat()
        case timedelta():
            return value // timedelta(microseconds=1)
        case uuid.UUID() | Decimal():
            return str(value)
        case bytes() | memoryview():
            return base64.b64encode(value).decode("ascii")
    raise TypeError(f"{type(value).__name__} has no form in a backup")


def _make_decoder(field: "models.Field[Any, Any]") -> Callable[[Any], Any]:
    """From the JSON value of a column to what the database driver takes."""

    def decode(value: Any) -> Any:
        if isinstance(field, models.JSONField):
            # In a column that takes no NULL, None is the JSON value null.
            sql_null = value is None and field.null
            return None if sql_null else connection.ops.adapt_json_value(value, field.encoder)
        if value is None:
            return None
        if isinstance(field, models.DurationField):
            value = timedelta(microseconds=value)
        return field.get_db_prep_value(field.to_python(value), connection)

    return decode


class RowWriter:
    """Stores the rows of one table in batches; inside a transaction of the caller."""

    def __init__(self, model: type[models.Model]) -> None:
        fields = model._meta.concrete_fields
        quote = connection.ops.quote_name
        columns = ", ".join(quote(str(field.column)) for field in fields)
        places = ", ".join(["%s"] * len(fields))
        self.insert = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({places})"  # noqa: S608
        self.decoders = [_make_decoder(field) for field in fields]

    def insert_lines(self, lines: Iterable[bytes]) -> int:
        """Insert rows from their lines; returns how many. Raises ValueError for a line that is no row of the table."""
        line_iterator, inserted = iter(lines), 0
        with connection.cursor() as cursor:
            while batch := [self._decode_row(line) for line in _take_batch(line_iterator)]:
                cursor.executemany(self.insert, batch)
                inserted += len(batch)
        return inserted

    def _decode_row(self, line: bytes) -> list[Any]:
        values = json.loads(line)
        if not isinstance(values, list) or len(values) != len(self.decoders):
            raise ValueError("a row does not have the columns of its table")
        return [decode(value) for decode, value in zip(self.decoders, values, strict=True)]


def _take_batch(lines: Iterator[bytes]) -> Iterator[bytes]:
    size = 0
    for line in islice(lines, INSERTED_ROWS):
        yield line
        size += len(line)
        if size >= INSERTED_CHARACTERS:
            return


def find_filled_table() -> str | None:
    """The name of a table that has rows, other than those of REPLACED; None for an empty database."""
    for model in list_models():
        if model._meta.label not in REPLACED and model._base_manager.exists():
            return model._meta.db_table
    return None


def delete_replaced_rows() -> None:
    for label in reversed(REPLACED):
        apps.get_model(label)._base_manager.all().delete()


def reset_sequences() -> None:
    """Let PostgreSQL continue its ids after the greatest one; SQLite does so by itself."""
    statements = connection.ops.sequence_reset_sql(no_style(), list_models())
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def check_foreign_keys() -> None:
    """Raise IntegrityError now, not at the commit, if a row refers to one that is not there."""
    connection.check_constraints()

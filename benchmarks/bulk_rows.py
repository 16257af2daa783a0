"""Rows in bulk for benchmarks: COPY on PostgreSQL, executemany on SQLite; keys are given by the caller."""

import json
import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import connection, models

CHUNK = 5000


def next_key(model: type[models.Model]) -> int:
    """The first free primary key."""
    newest = model._base_manager.order_by("-pk").values_list("pk", flat=True).first()
    return (newest or 0) + 1


def insert_rows(model: type[models.Model], columns: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> None:
    """Store rows of these columns (attribute names); all other columns get the default of their field, public ids are
    drawn. Dicts and lists are stored as JSON. rows must not run queries: the connection is busy with COPY."""
    fields = {field.attname: field for field in model._meta.concrete_fields}
    drawn = ["public_id"] if "public_id" in fields and "public_id" not in columns else []
    rest = [field for name, field in fields.items() if name not in columns and name not in drawn]
    rest = [field for field in rest if not field.primary_key]
    constants = tuple(_plain(field.get_default()) for field in rest)
    names = [*(fields[name].column for name in columns), *drawn, *(field.column for field in rest)]
    quoted = ", ".join(connection.ops.quote_name(name) for name in names)
    as_uuid = connection.features.has_native_uuid_field

    def build() -> Iterable[tuple[Any, ...]]:
        for row in rows:
            public_id = (uuid.uuid4() if as_uuid else uuid.uuid4().hex,) if drawn else ()
            yield (*map(_plain, row), *public_id, *constants)

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor, cursor.cursor.copy(_copy_sql(model, quoted)) as copy:
            for row in build():
                copy.write_row(row)
    else:
        _insert_many(model, quoted, len(names), build())
    _reset_sequence(model)


def _copy_sql(model: type[models.Model], quoted: str) -> str:
    return f"COPY {connection.ops.quote_name(model._meta.db_table)} ({quoted}) FROM STDIN"


def _insert_many(model: type[models.Model], quoted: str, width: int, rows: Iterable[tuple[Any, ...]]) -> None:
    places = ", ".join(["%s"] * width)
    table = connection.ops.quote_name(model._meta.db_table)
    sql = f"INSERT INTO {table} ({quoted}) VALUES ({places})"
    chunk: list[tuple[Any, ...]] = []
    with connection.cursor() as cursor:
        for row in rows:
            chunk.append(row)
            if len(chunk) == CHUNK:
                cursor.executemany(sql, chunk)
                chunk = []
        cursor.executemany(sql, chunk)


def _plain(value: Any) -> Any:
    if isinstance(value, dict | list):
        return json.dumps(value)
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return value


def _reset_sequence(model: type[models.Model]) -> None:
    from django.core.management.color import no_style

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for sql in connection.ops.sequence_reset_sql(no_style(), [model]):
                cursor.execute(sql)

"""Queries of the hot path, compiled by the ORM once per connection and run many times.

Building and compiling a query with several joins takes Django longer than the database takes to answer it. A prepared
query is an ordinary queryset with named parameters (`IntParam("annotator")`); its SQL is compiled at first use and
cached with the thread's connection, later uses only bind values. Rows are the same model instances or tuples.

Prepared are queries that run with every request of annotators and raters: signing in, the project and one's roles in
it, claiming, loading one's own task, saving, submitting, rating. All others, and all of lists and dashboards, are plain
querysets; a guard counts the definitions.
"""

import functools
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.models import Expression, QuerySet
from django.db.models.constants import OnConflict
from django.db.models.sql.compiler import SQLCompiler

from annotation.services.core.query_compilation import (
    SQL,
    RowReader,
    Rows,
    compile_insert,
    compile_select,
    compile_update,
)

Row = TypeVar("Row")
PLAIN_WORD = re.compile("[a-z_]+")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """Position of a named value in a statement's parameter list."""

    name: str
    field: models.Field  # type: ignore[type-arg]


class Param(Expression):
    """A named parameter whose value is bound when the query runs."""

    def __init__(self, name: str, output_field: models.Field) -> None:  # type: ignore[type-arg]
        super().__init__(output_field=output_field)
        self.name = name

    def as_sql(self, _compiler: SQLCompiler, _connection: Any) -> tuple[str, list[Any]]:  # type: ignore[override]
        return "%s", [Placeholder(self.name, self.output_field)]


def IntParam(name: str) -> Param:
    """An integer or a primary key."""
    return Param(name, models.BigIntegerField())


def TextParam(name: str) -> Param:
    return Param(name, models.CharField())


def DateTimeParam(name: str) -> Param:
    """A datetime with time zone."""
    return Param(name, models.DateTimeField())


def DurationParam(name: str) -> Param:
    """A timedelta."""
    return Param(name, models.DurationField())


def FloatParam(name: str) -> Param:
    return Param(name, models.FloatField())


def JSONParam(name: str) -> Param:
    """A JSON value, passed as Python objects."""
    return Param(name, models.JSONField())


def UUIDParam(name: str) -> Param:
    """A UUID, or its text; ValidationError if the text is none."""
    return Param(name, models.UUIDField())


class _Statement:
    """SQL with placeholders, compiled for one connection."""

    def __init__(self, statement: SQL) -> None:
        self.sql, self.params = _inline_constants(*statement)

    def fetch(self, values: Mapping[str, Any]) -> Rows:
        """Execute with these values; the rows that it returns."""
        with _open_cursor(self.sql) as cursor:
            cursor.execute(self.sql, self._bind(values))
            return list(cursor.fetchall())

    def _bind(self, values: Mapping[str, Any]) -> list[Any]:
        return [
            param.field.get_db_prep_value(values[param.name], connection) if isinstance(param, Placeholder) else param
            for param in self.params
        ]

    def send(self, values: Mapping[str, Any]) -> "Sent":
        """Execute; inside `pipeline()` without waiting for the answer."""
        with _open_cursor(self.sql) as cursor:
            cursor.execute(self.sql, self._bind(values))
            return Sent(cursor)


class Sent:
    """A statement that was sent, perhaps not yet answered."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor
        self._rowcount: int = cursor.rowcount  # closing a cursor that was answered forgets it

    @property
    def changed(self) -> int:
        """The number of changed rows; after the end of the pipeline, or when a later statement's rows were read.
        Raises RuntimeError before: the database has not answered yet."""
        if self._rowcount < 0:
            self._rowcount = self._cursor.rowcount
        if self._rowcount < 0:
            raise RuntimeError("a statement in a pipeline has not been answered yet")
        return self._rowcount


@contextmanager
def pipeline() -> Iterator[None]:
    """Statements that are only sent inside (`send`) do not wait for each other's answers: on PostgreSQL they cost one
    exchange together. All have been answered at the end of the block, where an error of one of them is raised; the
    block should be inside the transaction. Nothing on SQLite."""
    if not _binds_on_server():
        yield
        return
    connection.ensure_connection()
    with connection.wrap_database_errors, connection.connection.pipeline():
        yield


def _binds_on_server() -> bool:
    return (
        connection.vendor == "postgresql" and connection.settings_dict["OPTIONS"].get("prepare_threshold") is not None
    )


@contextmanager
def _open_cursor(sql: str) -> Iterator[Any]:
    """Django's cursor; on PostgreSQL one that binds values on the server if `prepare_threshold` is among the OPTIONS of
    the database: psycopg then lets the server plan each statement once, and planning a ten-table join takes longer than
    running it. Django's own cursors insert the values into the SQL, so that the server plans every query again.
    """
    if not _binds_on_server():
        with connection.cursor() as cursor:
            yield cursor
        return
    import psycopg

    connection.ensure_connection()
    started = time.monotonic()
    server_binding: Any = psycopg.Cursor(connection.connection)
    with connection.make_cursor(server_binding) as cursor:
        try:
            yield cursor
        finally:
            if connection.queries_logged:
                connection.queries_log.append({"sql": sql, "time": f"{time.monotonic() - started:.3f}"})


def _inline_constants(sql: str, params: Sequence[Any]) -> tuple[str, list[Any]]:
    """Inline constant words and integers into the SQL, so that the database can use partial indexes
    (`WHERE state = 'open'`). Placeholders, which carry user input, always stay parameters."""
    literals = [_write_literal(param) for param in params]
    filled_sql = sql.replace("%%", "%%%%") % tuple(literal or "%s" for literal in literals)
    return filled_sql, [param for param, literal in zip(params, literals, strict=True) if literal is None]


def _write_literal(param: Any) -> str | None:
    """A constant word or integer as SQL; None for everything else."""
    if isinstance(param, str) and PLAIN_WORD.fullmatch(param):
        return f"'{param}'"
    return str(int(param)) if isinstance(param, int) and not isinstance(param, bool) else None  # psycopg's Int4 too


class _StatementCache(threading.local):
    """Compiled statements of this thread's connection; emptied when the connection changes."""

    connection: Any = None

    def __init__(self) -> None:
        self.statements: dict[object, Any] = {}

    def get(self, owner: object, compile_it: Callable[[], Any]) -> Any:
        current = connections[DEFAULT_DB_ALIAS]
        if self.connection is not current:
            self.connection, self.statements = current, {}
        compiled = self.statements.get(owner)
        if compiled is None:
            compiled = self.statements[owner] = compile_it()
        return compiled


_statement_cache = _StatementCache()


class Prepared(Generic[Row]):
    """A query: `Prepared(lambda: Claim.objects.filter(annotator=IntParam("annotator")))`, then `.rows(annotator=7)`."""

    def __init__(self, build: Callable[[], QuerySet[Any]]) -> None:
        self.build = build

    def rows(self, **values: Any) -> list[Row]:
        statement, read_rows = _statement_cache.get(self, self._compile)
        return read_rows(statement.fetch(values))

    def first(self, **values: Any) -> Row | None:
        """The first row or None; the queryset itself should be limited to one row."""
        rows = self.rows(**values)
        return rows[0] if rows else None

    def _compile(self) -> tuple[_Statement, RowReader]:
        statement, read_rows = compile_select(self.build())
        return _Statement(statement), read_rows


class PreparedUpdate:
    """Update one table: `PreparedUpdate(lambda: (Slot.objects.filter(pk=IntParam("slot")), {"state": "open"}))`."""

    def __init__(self, build: Callable[[], tuple[QuerySet[Any], dict[str, Any]]]) -> None:
        self.build = build

    def run(self, **values: Any) -> int:
        """Execute; returns the number of changed rows. Not inside a pipeline."""
        return self.send(**values).changed

    def send(self, **values: Any) -> Sent:
        """Execute; see `pipeline`."""
        statement: _Statement = _statement_cache.get(self, self._compile)
        return statement.send(values)

    def _compile(self) -> _Statement:
        return _Statement(compile_update(*self.build()))


def _number_values(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {f"{name}{i}": value for i, row in enumerate(rows) for name, value in row.items()}


class PreparedInsert:
    """Insert rows into one table; every column is passed by name (`document_id=7`) or set by one of `expressions`.
    No defaults and no auto_now are applied. on_conflict: IGNORE skips rows that exist already."""

    def __init__(
        self,
        model: type[models.Model],
        *,
        on_conflict: OnConflict | None = None,
        **expressions: Callable[[], Expression],
    ) -> None:
        self.model = model
        self.on_conflict = on_conflict
        self.expressions = expressions
        self.owners_by_count: dict[int, object] = {}

    def run(self, rows: Sequence[Mapping[str, Any]]) -> list[int]:
        """Insert; returns the primary keys of the new rows."""
        return [row[0] for row in self._statement(len(rows)).fetch(_number_values(rows))]

    def one(self, **values: Any) -> int:
        return self.run([values])[0]

    def send(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert; see `pipeline`."""
        self._statement(len(rows)).send(_number_values(rows))

    def _statement(self, count: int) -> _Statement:
        owner = self.owners_by_count.setdefault(count, object())
        statement: _Statement = _statement_cache.get(owner, functools.partial(self._compile, count))
        return statement

    def _compile(self, count: int) -> _Statement:
        fields = [field for field in self.model._meta.concrete_fields if not isinstance(field, models.AutoField)]
        rows = [self._row(fields, i) for i in range(count)]
        return _Statement(compile_insert(self.model, fields, rows, on_conflict=self.on_conflict))

    def _row(self, fields: list[Any], number: int) -> SimpleNamespace:
        """Stand-in for a model instance, with placeholders as field values."""
        row = SimpleNamespace()
        for field in fields:
            if field.name in self.expressions:
                value: Expression = self.expressions[field.name]()
            else:
                target = field.target_field if field.is_relation else field
                value = Param(f"{field.attname}{number}", target)
            setattr(row, field.attname, value)
        return row

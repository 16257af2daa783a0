"""Queries of the hot path, built by the ORM once per connection and run many times.

Building and compiling a query with several joins takes Django longer than the database takes to answer it. A prepared
query is an ordinary queryset with named parameters (`IntParam("annotator")`); its SQL is compiled at first use and
cached with the thread's connection, later uses only bind values. Rows are the same model instances or tuples.
"""

import functools
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Generic, TypeVar, cast

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.models import Expression, QuerySet
from django.db.models.constants import OnConflict
from django.db.models.query import ModelIterable, get_related_populators
from django.db.models.sql import InsertQuery, UpdateQuery
from django.db.models.sql.compiler import SQLCompiler

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
    return Param(name, models.BigIntegerField())


def TextParam(name: str) -> Param:
    return Param(name, models.CharField())


def DateTimeParam(name: str) -> Param:
    return Param(name, models.DateTimeField())


def DurationParam(name: str) -> Param:
    return Param(name, models.DurationField())


def JSONParam(name: str) -> Param:
    """A JSON value, passed as Python objects."""
    return Param(name, models.JSONField())


def UUIDParam(name: str) -> Param:
    return Param(name, models.UUIDField())


class _Statement:
    """SQL with placeholders, compiled for one connection."""

    def __init__(self, sql: str, params: tuple[Any, ...]) -> None:
        self.sql, self.params = _inline_constants(sql, params)

    def run(self, values: Mapping[str, Any], *, returns: bool) -> tuple[int, list[tuple[Any, ...]]]:
        """Execute with these values; returns (number of affected rows, fetched rows)."""
        bound = [
            param.field.get_db_prep_value(values[param.name], connection) if isinstance(param, Placeholder) else param
            for param in self.params
        ]
        with _open_cursor() as cursor:
            cursor.execute(self.sql, bound)
            return cursor.rowcount, list(cursor.fetchall()) if returns else []


def _open_cursor() -> Any:
    """On PostgreSQL a cursor with server-side prepared statements: planning a ten-table join takes longer than running
    it. Disabled by EPITOME_DB_PREPARE=0, for connection poolers that share server sessions."""
    if connection.vendor != "postgresql" or not settings.EPITOME_DB_PREPARE:
        return connection.cursor()
    connection.ensure_connection()
    link: Any = connection.connection
    if link.prepare_threshold is None:
        link.prepare_threshold = 1
    with connection.wrap_database_errors:
        return cast(Any, connection)._prepare_cursor(_planned_cursor_class()(link))


@functools.cache
def _planned_cursor_class() -> type:
    from django.db.backends.postgresql.base import ServerBindingCursor

    class PlannedCursor(ServerBindingCursor):
        def execute(self, query: str, params: Any = None) -> Any:
            result = super().execute(query, params, prepare=True)  # type: ignore[misc]
            logged_query: Any = self._query  # type: ignore[has-type]
            if logged_query is None:  # so that Django's query log shows what ran
                self._query = SimpleNamespace(query=query.encode())
            return result

    return PlannedCursor


def _inline_constants(sql: str, params: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """Inline constant words and integers into the SQL, so that SQLite can use partial indexes
    (`WHERE state = 'open'`). Placeholders, which carry user input, always stay parameters."""
    pieces = sql.split("%s")
    if len(pieces) != len(params) + 1:
        return sql, list(params)
    filled_sql, remaining = pieces[0], []
    for param, piece in zip(params, pieces[1:], strict=True):
        if isinstance(param, str) and PLAIN_WORD.fullmatch(param):
            filled_sql += f"'{param}'{piece}"
        elif type(param) is int:
            filled_sql += f"{param}{piece}"
        else:
            filled_sql += f"%s{piece}"
            remaining.append(param)
    return filled_sql, remaining


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
        statement, shape = _statement_cache.get(self, self._compile)
        return shape(statement.run(values, returns=True)[1])

    def first(self, **values: Any) -> Row | None:
        """The first row or None; the queryset itself should be limited to one row."""
        rows = self.rows(**values)
        return rows[0] if rows else None

    def _compile(self) -> tuple[_Statement, Callable[[list[tuple[Any, ...]]], list[Row]]]:
        queryset = self.build()
        compiler = queryset.query.get_compiler(connection=connection)
        statement = _Statement(*compiler.as_sql())
        return statement, _build_instance_reader(
            compiler
        ) if queryset._iterable_class is ModelIterable else _build_tuple_reader(compiler)


def _build_tuple_reader(compiler: SQLCompiler) -> Callable[[list[tuple[Any, ...]]], list[Any]]:
    converters = compiler.get_converters([column[0] for column in compiler.select])

    def build(rows: list[tuple[Any, ...]]) -> list[Any]:
        return [tuple(row) for row in compiler.apply_converters(rows, converters)] if converters else rows

    return build


def _build_instance_reader(compiler: SQLCompiler) -> Callable[[list[tuple[Any, ...]]], list[Any]]:
    """Like django.db.models.query.ModelIterable, with everything that does not depend on the rows done once."""
    converters = compiler.get_converters([column[0] for column in compiler.select])
    select, info = compiler.select, compiler.klass_info
    start, end = info["select_fields"][0], info["select_fields"][-1] + 1
    names = [column[0].target.attname for column in select[start:end]]
    related = get_related_populators(info, select, connection.alias)  # type: ignore[call-arg]
    annotated = list((compiler.annotation_col_map or {}).items())
    model, alias = info["model"], connection.alias

    def build(rows: list[tuple[Any, ...]]) -> list[Any]:
        instances = []
        for row in compiler.apply_converters(rows, converters) if converters else rows:
            instance = model.from_db(alias, names, row[start:end])
            for populator in related:
                populator.populate(row, instance)
            for name, place in annotated:
                setattr(instance, name, row[place])
            instances.append(instance)
        return instances

    return build


class PreparedUpdate:
    """Update one table: `PreparedUpdate(lambda: (Slot.objects.filter(pk=IntParam("slot")), {"state": "open"}))`."""

    def __init__(self, build: Callable[[], tuple[QuerySet[Any], dict[str, Any]]]) -> None:
        self.build = build

    def run(self, **values: Any) -> int:
        """Rows changed."""
        return int(_statement_cache.get(self, self._compile).run(values, returns=False)[0])

    def _compile(self) -> _Statement:
        queryset, changes = self.build()
        query: Any = queryset.query.chain(UpdateQuery)
        query.add_update_values(changes)
        return _Statement(*query.get_compiler(connection=connection).as_sql())


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
        self.counts: dict[int, object] = {}

    def run(self, rows: Sequence[Mapping[str, Any]]) -> list[int]:
        """The primary keys of the new rows."""
        owner = self.counts.setdefault(len(rows), object())
        statement = _statement_cache.get(owner, functools.partial(self._compile, len(rows)))
        values = {f"{name}{i}": value for i, row in enumerate(rows) for name, value in row.items()}
        return [row[0] for row in statement.run(values, returns=True)[1]]

    def one(self, **values: Any) -> int:
        return self.run([values])[0]

    def _compile(self, count: int) -> _Statement:
        meta = self.model._meta
        fields = [field for field in meta.concrete_fields if not isinstance(field, models.AutoField)]
        query = InsertQuery(self.model, on_conflict=self.on_conflict)
        query.insert_values(fields, [self._row(fields, i) for i in range(count)], raw=True)  # type: ignore[misc]
        compiler: Any = query.get_compiler(connection=connection)
        compiler.returning_fields = [meta.pk]
        ((sql, params),) = compiler.as_sql()
        return _Statement(sql, params)

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

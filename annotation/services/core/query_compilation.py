"""Everything that annotation.services.core.prepared_queries uses of Django's undocumented query compiler.

Django documents no way to compile a query once and run it many times. The names used here are listed and checked one
by one in tests/tasks/test_query_compilation.py: a test that fails names the part that a new version of Django changed.
pyproject.toml caps Django below the next minor version for that reason.
"""

import inspect
from collections.abc import Callable
from typing import Any

from django.db import connection, models
from django.db.models import QuerySet
from django.db.models.constants import OnConflict
from django.db.models.query import ModelIterable, get_related_populators
from django.db.models.sql import InsertQuery, UpdateQuery
from django.db.models.sql.compiler import SQLCompiler

SQL = tuple[str, tuple[Any, ...]]
"""A statement with %s for each parameter, and its parameters."""
Rows = list[tuple[Any, ...]]
RowReader = Callable[[Rows], list[Any]]
"""Turns the rows of the database into what the queryset yields."""


def compile_select(queryset: QuerySet[Any]) -> tuple[SQL, RowReader]:
    compiler = queryset.query.get_compiler(connection=connection)
    statement = compiler.as_sql()
    yields_instances = queryset._iterable_class is ModelIterable
    return statement, _instance_reader(compiler, queryset) if yields_instances else _tuple_reader(compiler)


def compile_update(queryset: QuerySet[Any], changes: dict[str, Any]) -> SQL:
    query: Any = queryset.query.chain(UpdateQuery)
    query.add_update_values(changes)
    return query.get_compiler(connection=connection).as_sql()  # type: ignore[no-any-return]


def compile_insert(
    model: type[models.Model], fields: list[Any], rows: list[Any], *, on_conflict: OnConflict | None
) -> SQL:
    """An insert that returns the primary keys. rows: objects with an expression for each field's column."""
    query = InsertQuery(model, on_conflict=on_conflict)
    query.insert_values(fields, rows, raw=True)
    compiler: Any = query.get_compiler(connection=connection)
    compiler.returning_fields = [model._meta.pk]
    (statement,) = compiler.as_sql()
    return statement  # type: ignore[no-any-return]


def _fetch_mode_of(queryset: QuerySet[Any]) -> dict[str, Any]:
    """How rows of related models fetch what is deferred: an argument since Django 6.1."""
    takes_mode = "fetch_mode" in inspect.signature(get_related_populators).parameters
    return {"fetch_mode": queryset._fetch_mode} if takes_mode else {}  # type: ignore[attr-defined]


def _tuple_reader(compiler: SQLCompiler) -> RowReader:
    converters = compiler.get_converters([column[0] for column in compiler.select])
    if not converters:
        return lambda rows: rows
    return lambda rows: [tuple(row) for row in compiler.apply_converters(rows, converters)]


def _instance_reader(compiler: SQLCompiler, queryset: QuerySet[Any]) -> RowReader:
    """Like django.db.models.query.ModelIterable, with everything that does not depend on the rows done once."""
    converters = compiler.get_converters([column[0] for column in compiler.select])
    select, info = compiler.select, compiler.klass_info
    start, end = info["select_fields"][0], info["select_fields"][-1] + 1
    names = [column[0].target.attname for column in select[start:end]]
    related = get_related_populators(info, select, connection.alias, **_fetch_mode_of(queryset))  # type: ignore[call-arg]
    annotations = list((compiler.annotation_col_map or {}).items())
    model, alias = info["model"], connection.alias

    def read(rows: Rows) -> list[Any]:
        instances = []
        for row in compiler.apply_converters(rows, converters) if converters else rows:
            instance = model.from_db(alias, names, row[start:end])
            for populator in related:
                populator.populate(row, instance)
            for name, index in annotations:
                setattr(instance, name, row[index])
            instances.append(instance)
        return instances

    return read

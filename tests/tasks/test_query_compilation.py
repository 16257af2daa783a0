"""Every undocumented name of Django that query_compilation uses, checked alone: the failed test names what changed."""

import inspect

import django
import pytest
from django.db import connection
from django.db.models import F
from django.db.models.constants import OnConflict
from django.db.models.query import ModelIterable, RelatedPopulator, get_related_populators
from django.db.models.sql import InsertQuery, UpdateQuery

from annotation.models import Slot

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]


def compiled(queryset):
    compiler = queryset.query.get_compiler(connection=connection)
    compiler.as_sql()
    return compiler


def parameters(function) -> list[str]:
    return list(inspect.signature(function).parameters)


def insert_sql():
    query = InsertQuery(Slot, on_conflict=OnConflict.IGNORE)
    query.insert_values([Slot._meta.get_field("number")], [Slot(number=7)], raw=True)
    compiler = query.get_compiler(connection=connection)
    compiler.returning_fields = [Slot._meta.pk]
    return compiler.as_sql()


def update_sql():
    query = Slot.objects.filter(pk=7).query.chain(UpdateQuery)
    query.add_update_values({"number": 8})
    return query.get_compiler(connection=connection).as_sql()


def with_group():
    return compiled(Slot.objects.select_related("group").annotate(doubled=F("number") * 2))


IGNORES = {"sqlite": "INSERT OR IGNORE", "postgresql": "ON CONFLICT DO NOTHING RETURNING"}
USED = {
    "QuerySet._iterable_class of model instances": lambda: Slot.objects.all()._iterable_class is ModelIterable,
    "QuerySet._iterable_class of values_list": lambda: (
        Slot.objects.values_list("pk", "number")._iterable_class is not ModelIterable
    ),
    "SQLCompiler.as_sql() -> (sql, params)": lambda: compiled(Slot.objects.filter(pk=7)).as_sql()[1] == (7,),
    "SQLCompiler.select: (expression, ...) for each column": lambda: (
        [column[0].target.attname for column in compiled(Slot.objects.only("number")).select] == ["id", "number"]
    ),
    "SQLCompiler.klass_info: model": lambda: with_group().klass_info["model"] is Slot,
    "SQLCompiler.klass_info: select_fields, positions without gaps": lambda: (
        (places := with_group().klass_info["select_fields"]) == list(range(places[0], places[0] + len(places)))
    ),
    "SQLCompiler.annotation_col_map: name -> position": lambda: (
        with_group().annotation_col_map == {"doubled": len(Slot._meta.concrete_fields)}
    ),
    "SQLCompiler.get_converters(expressions), apply_converters(rows, converters)": lambda: (
        (compiler := with_group()) and [*compiler.apply_converters([(1,)], compiler.get_converters([]))] == [[1]]
    ),
    "get_related_populators(klass_info, select, db)": lambda: (
        parameters(get_related_populators)[:3] == ["klass_info", "select", "db"]
    ),
    "RelatedPopulator.populate(row, from_obj)": lambda: (
        parameters(RelatedPopulator.populate) == ["self", "row", "from_obj"]
    ),
    "Model.from_db(db, field_names, values)": lambda: parameters(Slot.from_db)[:3] == ["db", "field_names", "values"],
    "QuerySet._fetch_mode, where get_related_populators takes one": lambda: (
        "fetch_mode" not in parameters(get_related_populators) or hasattr(Slot.objects.all(), "_fetch_mode")
    ),
    "Query.chain(UpdateQuery), UpdateQuery.add_update_values(values)": lambda: (
        (written := update_sql()) and written[0].startswith("UPDATE") and written[1] == (8, 7)
    ),
    "InsertQuery(on_conflict).insert_values(fields, objs, raw), SQLInsertCompiler.returning_fields": lambda: (
        (written := insert_sql())
        and len(written) == 1
        and IGNORES[connection.vendor] in written[0][0]
        and written[0][1] == (7,)
    ),
    "connection.wrap_database_errors": lambda: (
        callable(connection.wrap_database_errors.__enter__) and callable(connection.wrap_database_errors.__exit__)
    ),
    "connection.make_cursor(cursor), queries_logged, queries_log": lambda: (
        callable(connection.make_cursor)
        and connection.queries_logged in (True, False)
        and connection.queries_log.append
    ),
}


@pytest.mark.parametrize("name", USED)
def test_the_compiler_of_django_is_as_query_compilation_uses_it(name):
    assert USED[name](), f"Django {django.get_version()} changed {name}"


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no plans that are kept")
def test_prepared_queries_are_planned_once_and_logged_like_others(django_assert_num_queries):
    from annotation.services.core.prepared_queries import IntParam, Prepared

    query = Prepared(lambda: Slot.objects.filter(pk=IntParam("slot")))
    with django_assert_num_queries(3) as log:
        for key in (1, 2, 3):
            assert query.rows(slot=key) == []
    assert all("annotation_slot" in row["sql"] for row in log.captured_queries)
    with connection.cursor() as cursor:
        cursor.execute("SELECT generic_plans FROM pg_prepared_statements WHERE statement LIKE '%annotation_slot%$1%'")
        assert (3,) in cursor.fetchall()

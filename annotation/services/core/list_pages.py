"""Pages of long lists: the keys of a page are read from the nearer end, then only its rows; large counts are kept.

A count of a large project is kept in this process as long as the project's newest audit events are the same, since
every write leaves one: it is exact whenever it is shown. Events may commit out of the order of their ids, so the newest
`WATCHED` ones are compared, not just the last.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeVar, cast

from django.core.paginator import Page, Paginator
from django.db import connection
from django.db.models import Count, Model, QuerySet

from annotation.models import AuditEvent, Project
from annotation.services.core.prepared_queries import Among, IntParam, Prepared

LARGE = 2_000
"""Rows from which on a count is kept."""
KEYS_FIRST = 1000
"""Rows from which on the keys of a page are read first."""
WATCHED = 100
MOST_KEPT = 500

Kept = TypeVar("Kept")
Rows = TypeVar("Rows", bound="QuerySet[Any]")
NEWEST_EVENTS: Prepared[tuple[int]] = Prepared(
    lambda: AuditEvent.objects.filter(project=IntParam("project")).order_by("-id").values_list("id")[:WATCHED]
)
_kept_results: dict[tuple[Any, ...], tuple[list[tuple[int]], Any]] = {}


def rows_of_project(rows: Rows, project: Project) -> Rows:
    """The rows of a project, as a range: with an order by project_id and id the database then walks the index of both.
    For one value it would ignore the first column and walk the primary key, past the rows of all older projects."""
    return rows.filter(project__gte=project.pk, project__lte=project.pk)


def count_rows(rows: "QuerySet[Any]", project: Project) -> int:
    """The number of rows; of many, without counting them again until something is written in the project. Only for rows
    that change by audited writes."""
    statement, params = rows.order_by().values("pk").query.sql_with_params()
    return keep_while_unchanged(project, (statement, repr(params)), rows.count, is_large=lambda n: n >= LARGE)


def count_by(rows: "QuerySet[Any]", field: str, project: Project) -> dict[Any, int]:
    """The numbers of rows by the value of a field; kept like those of `count_rows`."""
    counts = _group_by(rows, field)
    statement, params = counts.query.sql_with_params()
    return keep_while_unchanged(project, (statement, repr(params)), lambda: dict(counts.all()), is_large=_are_many)


def count_named(name: str, rows: "Callable[[], QuerySet[Any]]", field: str, project: Project) -> dict[Any, int]:
    """What `count_by` gives, of rows that their name tells from all others: their query is built where it runs only."""
    return keep_while_unchanged(project, (name, field), lambda: dict(_group_by(rows(), field)), is_large=_are_many)


def _group_by(rows: "QuerySet[Any]", field: str) -> "QuerySet[Any]":
    return rows.order_by().values_list(field).annotate(n=Count("pk"))


def _are_many(n_by_value: dict[Any, int]) -> bool:
    return sum(n_by_value.values()) >= LARGE


def keep_while_unchanged(
    project: Project,
    name: tuple[str, ...],
    compute: Callable[[], Kept],
    *,
    is_large: Callable[[Kept], bool] | None = None,
) -> Kept:
    """What `compute` returns now; a large result (without `is_large`: any) is kept until something is written in the
    project."""
    key = (connection.alias, connection.settings_dict["NAME"], project.pk, *name)
    kept = _kept_results.get(key)
    if kept is None and is_large is not None and not is_large(result := compute()):
        return result
    newest = NEWEST_EVENTS.rows(project=project.pk)  # before computing: a write meanwhile makes the result stale
    if kept is not None and kept[0] == newest:
        return cast(Kept, kept[1])
    result = compute()
    if is_large is not None and not is_large(result):
        _kept_results.pop(key, None)
        return result
    if len(_kept_results) >= MOST_KEPT:
        _kept_results.clear()
    _kept_results[key] = (newest, result)
    return result


class ListPaginator(Paginator):  # type: ignore[type-arg]
    """Pages of a queryset with a unique order. project: keeps large counts (see `count_rows`)."""

    def __init__(self, rows: Any, per_page: int, *, project: Project | None = None) -> None:
        super().__init__(rows, per_page)
        self.project = project

    @cached_property
    def count(self) -> int:  # type: ignore[override]
        if self.project is None or not isinstance(self.object_list, QuerySet):
            return int(super().count)
        return count_rows(self.object_list, self.project)

    def page(self, number: int | str) -> "Page[Any]":
        number = self.validate_number(number)
        rows: Any = self.object_list
        if not isinstance(rows, QuerySet) or self.count <= KEYS_FIRST:
            return super().page(number)
        return KeyedPage(rows, self._read_keys(rows, (number - 1) * self.per_page), number, self)

    def _read_keys(self, rows: "QuerySet[Any]", start: int) -> list[Any]:
        """The keys of a page, in the order of the rows."""
        stop = min(start + self.per_page, self.count)
        if start <= self.count // 2:
            return list(rows.values_list("pk", flat=True)[start:stop])
        from_the_end = rows.reverse().values_list("pk", flat=True)[self.count - stop : self.count - start]
        return list(from_the_end)[::-1]


class KeyedPage(Page):  # type: ignore[type-arg]
    """A page whose keys are known; its rows are read when they are asked for."""

    def __init__(self, rows: "QuerySet[Any]", keys: list[Any], number: int, paginator: Paginator) -> None:  # type: ignore[type-arg]
        self.rows, self.keys = rows, keys
        self.number, self.paginator = number, paginator

    @cached_property
    def object_list(self) -> "QuerySet[Any]":  # type: ignore[override]
        return self.rows.filter(pk__in=self.keys)


class PageColumns:
    """Some columns of the rows of a page. Where the keys of the page were read first, they are all that the query of
    the columns depends on, so that it is compiled once."""

    def __init__(self, model: type[Model], columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        self.of_keys: Prepared[tuple[Any, ...]] = Prepared(
            lambda: model._default_manager.filter(Among("pk", "keys")).values_list("pk", *self.columns)
        )

    def read(self, page: "Page[Any]") -> list[tuple[Any, ...]]:
        """The key and the columns of every row, in the order of the page."""
        if not isinstance(page, KeyedPage):
            return list(cast("QuerySet[Any]", page.object_list).values_list("pk", *self.columns))
        rows = {row[0]: row for row in self.of_keys.rows(keys=page.keys)}
        return [rows[key] for key in page.keys if key in rows]

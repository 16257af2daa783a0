"""Pages of long lists: the keys of a page are read from the nearer end, then only its rows; large counts are kept.

A count of a large project is kept in this process as long as the project's newest audit events are the same, since
every write leaves one: it is exact whenever it is shown. Events may commit out of the order of their ids, so the newest
`WATCHED` ones are compared, not just the last.
"""

from functools import cached_property
from typing import Any

from django.core.paginator import Page, Paginator
from django.db import connection
from django.db.models import QuerySet

from annotation.models import AuditEvent, Project

LARGE = 20_000
"""Rows from which on a count is kept."""
KEYS_FIRST = 1000
"""Rows from which on the keys of a page are read first."""
WATCHED = 100
MOST_KEPT = 500

_kept_counts: dict[tuple[Any, ...], tuple[tuple[int, ...], int]] = {}


def rows_of_project(rows: "QuerySet[Any]", project: Project) -> "QuerySet[Any]":
    """The rows of a project, as a range: with an order by project_id and id the database then walks the index of both.
    For one value it would ignore the first column and walk the primary key, past the rows of all older projects."""
    return rows.filter(project__gte=project.pk, project__lte=project.pk)


def count_rows(rows: "QuerySet[Any]", project: Project) -> int:
    """The number of rows; of many, without counting them again until something is written in the project. Only for rows
    that change by audited writes."""
    statement, params = rows.order_by().values("pk").query.sql_with_params()
    key = (connection.alias, connection.settings_dict["NAME"], project.pk, statement, repr(params))
    kept = _kept_counts.get(key)
    if kept is None and (n := rows.count()) < LARGE:
        return n
    newest = _newest_events(project)  # before counting: what is written meanwhile makes the count stale
    if kept is not None and kept[0] == newest:
        return kept[1]
    n = rows.count()
    if len(_kept_counts) >= MOST_KEPT:
        _kept_counts.clear()
    _kept_counts[key] = (newest, n)
    return n


def _newest_events(project: Project) -> tuple[int, ...]:
    events = AuditEvent.objects.filter(project=project.pk).order_by("-id")
    return tuple(events.values_list("id", flat=True)[:WATCHED])


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
        keys = self._read_keys(rows, (number - 1) * self.per_page)
        return self._get_page(rows.filter(pk__in=keys), number, self)  # type: ignore[attr-defined,no-any-return]

    def _read_keys(self, rows: "QuerySet[Any]", start: int) -> list[Any]:
        stop = min(start + self.per_page, self.count)
        if start <= self.count // 2:
            return list(rows.values_list("pk", flat=True)[start:stop])
        return list(rows.reverse().values_list("pk", flat=True)[self.count - stop : self.count - start])

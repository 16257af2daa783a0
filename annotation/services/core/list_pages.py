"""Pages of long lists (`ListPaginator`), and large counts that are kept.

A count of a large project is kept until something is written in the project (see kept_results): it is exact whenever it
is shown.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Count, QuerySet

from annotation.models import Project
from annotation.services.core.kept_results import keep_while_unchanged

LARGE = 2_000
"""Rows from which on a count is kept."""
KEYS_FIRST = 1000
"""Rows from which on the keys of a page are read first."""

Rows = TypeVar("Rows", bound="QuerySet[Any]")


def rows_of_project(rows: Rows, project: Project) -> Rows:
    """The rows of a project for a list in the order of project_id and id, as a range: the database then walks the index
    of both. For one value it would walk the primary key wherever it must read the rows themselves, past those of all
    older projects."""
    return rows.filter(project__gte=project.pk, project__lte=project.pk)


def count_rows(rows: "QuerySet[Any]", project: Project) -> int:
    """The number of rows; of many, without counting them again until something is written in the project. Only for rows
    that change by audited writes."""
    statement, params = rows.order_by().values("pk").query.sql_with_params()
    return keep_while_unchanged(project, (statement, repr(params)), rows.count, is_large=lambda n: n >= LARGE)


def count_named(name: str, rows: "Callable[[], QuerySet[Any]]", field: str, project: Project) -> Mapping[Any, int]:
    """The numbers of rows by the value of a field; kept like those of `count_rows`. The name identifies the rows: their
    query is built where it runs only."""

    def count() -> Mapping[Any, int]:
        return MappingProxyType(dict(rows().order_by().values_list(field).annotate(n=Count("pk"))))

    return keep_while_unchanged(project, (name, field), count, is_large=lambda counts: sum(counts.values()) >= LARGE)


class ListPaginator(Paginator):  # type: ignore[type-arg]
    """Pages of a queryset in a unique order, at 200,000 rows as at 50. A page first reads its keys, from the nearer end
    of the list, then the columns and joins of the queryset for these rows only; they are read when they are asked for.

    Put joins (`select_related`) and `annotate` on the queryset, but `values` with columns of other tables on the page
    (`page.object_list.values(...)`): otherwise the count and the keys would join these tables too.
    project: keeps a large count of rows that change by audited writes only (see `count_rows`).
    """

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
        return Page(rows.filter(pk__in=self._read_keys(rows, (number - 1) * self.per_page)), number, self)

    def _read_keys(self, rows: "QuerySet[Any]", start: int) -> list[Any]:
        """The keys of a page, in any order."""
        stop = min(start + self.per_page, self.count)
        if start > self.count // 2:
            rows, start, stop = rows.reverse(), self.count - stop, self.count - start
        return list(rows.values_list("pk", flat=True)[start:stop])

"""Sorting of lists by an allow-list of columns; the URL names a column, never a database field."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from annotation.services.core.errors import BadInput
from annotation.services.core.word_patterns import join_names


@dataclass(frozen=True)
class Column:
    """A sortable column: name in the URL, heading, fields to order by."""

    name: str
    label: str | Promise
    fields: tuple[str, ...]
    number: bool = False


@dataclass(frozen=True)
class Heading:
    """A column's heading: its current direction ("", "ascending", "descending") and the sort value its link sets."""

    label: str | Promise
    sort: str
    direction: str = ""
    number: bool = False


def parse_sorting(request: HttpRequest, columns: Sequence[Column], *, default: str) -> tuple[list[Heading], list[str]]:
    """Headings, and the fields to order by, from ?sort=name or ?sort=-name. Raises BadInput for anything else."""
    sort = request.GET.get("sort") or default
    name, descending = sort.removeprefix("-"), sort.startswith("-")
    known = {column.name: column for column in columns}
    if name not in known:
        raise BadInput(
            _("The list cannot be sorted by %(seen)s; use %(names)s.")
            % {"seen": sort[:40], "names": join_names(known)},
            field="sort",
        )
    headings = []
    for column in columns:
        is_sorted = column.name == name
        direction = ("descending" if descending else "ascending") if is_sorted else ""
        next_sort = f"-{column.name}" if is_sorted and not descending else column.name
        headings.append(Heading(column.label, next_sort, direction, column.number))
    return headings, [f"-{field}" if descending else field for field in known[name].fields]

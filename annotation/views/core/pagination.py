"""Pages of lists, and the filters of their forms."""

from typing import Any, TypeVar

from django import forms
from django.core.paginator import Page as Rows
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core.errors import BadInput
from annotation.services.core.list_pages import ListPaginator
from annotation.views.core.decorators import Row

PAGE_SIZE = 50


def paginate_rows(
    request: HttpRequest, rows: "QuerySet[Row]", *, size: int = PAGE_SIZE, project: Project | None = None
) -> "Rows[Row]":
    """One page of rows, by ?page=. Raises BadInput when there is no such page.

    project: keeps a large count of rows that change by audited writes only.
    """
    pages = ListPaginator(rows, size, project=project)
    page_number = request.GET.get("page", "1")
    if (
        not page_number.isascii()
        or not page_number.isdigit()
        or len(page_number) > 9
        or not 1 <= int(page_number) <= pages.num_pages
    ):
        raise BadInput(
            _("There is no page %(page)s; the last page is %(last)d.")
            % {"page": page_number[:20], "last": pages.num_pages}
        )
    return pages.page(int(page_number))


Filters = TypeVar("Filters", bound=forms.Form)


def filters_of(request: HttpRequest, form_class: type[Filters], **options: Any) -> Filters:
    """The checked filter form of a list; options: of the form. Raises BadInput naming the value that is not allowed."""
    form = form_class(request.GET, **options)
    if not form.is_valid():
        name, faults = next(iter(form.errors.items()))
        raise BadInput(f"{name}: {faults[0]}", field=name)
    return form

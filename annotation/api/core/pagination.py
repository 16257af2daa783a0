"""Pages of lists: ?page= from 1 and ?page_size= up to 200, in an envelope with count, next, previous, results."""

from collections.abc import Sequence
from typing import Any

from django.core.paginator import EmptyPage
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation.api.core.query import BadQuery, number_parameter
from annotation.models import Project
from annotation.services.core.list_pages import ListPaginator

LAST = 10**9


class Pages(PageNumberPagination):
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200

    def __init__(self, project: Project | None = None) -> None:
        self.project = project

    def get_page_size(self, request: Request) -> int:
        """The requested page size, at most `max_page_size`."""
        requested_size = number_parameter(request, "page_size", low=1, high=LAST) or self.page_size
        return min(requested_size, self.max_page_size)

    def paginate_queryset(
        self, queryset: "QuerySet[Any] | Sequence[Any]", request: Request, view: APIView | None = None
    ) -> list[Any]:
        """The rows of the page; a page out of range is a 400 that names the last one."""
        self.request = request
        pages = ListPaginator(queryset, self.get_page_size(request), project=self.project)
        number = number_parameter(request, "page", low=1, high=LAST) or 1
        try:
            self.page = pages.page(number)
        except EmptyPage:
            raise BadQuery(
                _("There is no page %(n)d; the last page is %(last)d.") % {"n": number, "last": pages.num_pages},
                field="page",
            ) from None
        return list(self.page)

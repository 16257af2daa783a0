"""Query parameters, validated: an unknown, malformed or out-of-range parameter is a 400 that names it."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from annotation.services.core.errors import BadInput
from annotation.services.core.text_search import contains
from annotation.services.core.word_patterns import join_names

Rows = TypeVar("Rows", bound="QuerySet[Any]")

PAGING = ("page", "page_size")


class BadQuery(BadInput):
    """A query parameter cannot be used."""

    status = 400


def refuse_unknown_parameters(request: Request, allowed: Iterable[str]) -> None:
    """Refuse parameters that the view does not know, so that a typo is not silently ignored."""
    known = {*allowed}
    for name in request.query_params:
        if name not in known:
            raise BadQuery(
                _("There is no such parameter; use: %(list)s.") % {"list": join_names(sorted(known)) or _("none")},
                field=name[:60],
            )


def text_parameter(request: Request, name: str, *, longest: int = 200) -> str:
    """A parameter as text that a database can compare; empty where it is absent."""
    value = request.query_params.get(name, "")
    if "\x00" in value or len(value) > longest:
        raise BadQuery(_("Use at most %(n)d characters and no NUL.") % {"n": longest}, field=name)
    return value


def search_parameter(where: str) -> OpenApiParameter:
    """The parameter `q` of a list, for its description. where: what is searched."""
    return OpenApiParameter("q", OpenApiTypes.STR, description=f"contained in {where}, in any case")


def filter_containing(request: Request, rows: Rows, *columns: str, name: str = "q") -> Rows:
    """The rows in which one of the columns contains the parameter; all rows where it is absent."""
    words = text_parameter(request, name)
    return rows.filter(contains(words, *columns)) if words else rows


def choice_parameter(request: Request, name: str, allowed: Sequence[str]) -> str:
    """One of a few words; empty where it is absent."""
    value = request.query_params.get(name, "")
    if value and value not in allowed:
        raise BadQuery(_("Use one of: %(list)s.") % {"list": join_names(allowed)}, field=name)
    return value


def flag_parameter(request: Request, name: str) -> bool | None:
    value = request.query_params.get(name, "").lower()
    if not value:
        return None
    if value not in ("true", "false", "1", "0"):
        raise BadQuery(_("Use true or false."), field=name)
    return value in ("true", "1")


def number_parameter(request: Request, name: str, *, low: int, high: int) -> int | None:
    """A whole number within limits; None where it is absent."""
    value = request.query_params.get(name, "")
    if not value:
        return None
    digits = value.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 20 and low <= int(value) <= high):
        raise BadQuery(_("Use a whole number from %(low)d to %(high)d.") % {"low": low, "high": high}, field=name)
    return int(value)


def order_parameter(request: Request, allowed: Sequence[str], default: str) -> str:
    """The `order` parameter, from an allow-list; a leading minus reverses it."""
    order = request.query_params.get("order") or default
    if order.removeprefix("-") not in allowed:
        raise BadQuery(_("Order by one of: %(list)s.") % {"list": join_names(allowed)}, field="order")
    return order

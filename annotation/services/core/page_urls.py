"""URLs of pages that are named by one public id, for answers of services on the hot path."""

from functools import cache
from uuid import UUID

from django.urls import get_script_prefix, reverse

_NO_ID = UUID(int=0)


def page_url(route: str, public_id: UUID) -> str:
    """The URL of a route whose only argument is a public id; reverse() runs once per route, not once per answer."""
    return _url_pattern(route, get_script_prefix()).replace(str(_NO_ID), str(public_id))


@cache
def _url_pattern(route: str, _script_prefix: str) -> str:
    """The URL with a placeholder id. The script prefix is part of the key, since reverse() puts it in front."""
    return reverse(route, args=[_NO_ID])

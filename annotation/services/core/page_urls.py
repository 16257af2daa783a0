"""URLs of pages that are named by a public id, for answers on the hot path and for the rows of lists."""

from functools import lru_cache
from uuid import UUID

from django.urls import get_script_prefix, reverse

_NO_ID = UUID(int=0)


def page_url(route: str, public_id: UUID, *, slug: str = "") -> str:
    """The URL of a route whose arguments are the slug of a project, where given, and a public id; reverse() runs once
    per route and project, not once per answer or row."""
    return _url_pattern(route, slug, get_script_prefix()).replace(str(_NO_ID), str(public_id))


@lru_cache(maxsize=1000)
def _url_pattern(route: str, slug: str, _script_prefix: str) -> str:
    """The URL with a placeholder id. The script prefix is part of the key, since reverse() puts it in front."""
    return reverse(route, args=[slug, _NO_ID] if slug else [_NO_ID])

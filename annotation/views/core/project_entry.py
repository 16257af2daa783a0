"""The page on which somebody enters a project."""

from collections.abc import Collection

from django.urls import reverse

from annotation.services.core import access
from annotation.views.core.sections import list_own_pages

STAFF_ROLES = frozenset(role.value for role in access.STAFF)


def find_entry_url(slug: str, roles: Collection[str]) -> str:
    """The overview for staff, else the person's own work or rounds."""
    if STAFF_ROLES & {*roles}:
        return reverse("project", args=[slug])
    names = (page.name for page in list_own_pages() if page.enters and page.role.value in roles)
    name = next(names, None)
    return reverse(name, args=[slug]) if name is not None else reverse("home")

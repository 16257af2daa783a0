"""The page on which somebody enters a project."""

from collections.abc import Collection

from django.urls import reverse

from annotation.models import Role
from annotation.services.core import access

STAFF_ROLES = frozenset(role.value for role in access.STAFF)


def find_entry_url(slug: str, roles: Collection[str]) -> str:
    """The overview for staff, else the person's own work or rounds."""
    if STAFF_ROLES & {*roles}:
        return reverse("project", args=[slug])
    if Role.ANNOTATOR.value in roles:
        return reverse("work", args=[slug])
    return reverse("rating", args=[slug]) if Role.RATER.value in roles else reverse("home")

"""Notices at the head of a project's overview, and below the projects of Home, that higher rooms add."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.models import Project


@dataclass(frozen=True)
class Notice:
    """A template that is included with `notice`, and what it shows."""

    template: str
    shows: Any


NOTICES = ExtensionPoint[Callable[[HttpRequest, Project], Notice | None]]("overview notices", key=qualified_name)


HOME_NOTICES = ExtensionPoint[Callable[[HttpRequest], Notice | None]]("notices of Home", key=qualified_name)


def list_notices(request: HttpRequest, project: Project) -> list[Notice]:
    """The notices for this user, in the order of their registration."""
    return [notice for build in NOTICES if (notice := build(request, project)) is not None]


def list_home_notices(request: HttpRequest) -> list[Notice]:
    return [notice for build in HOME_NOTICES if (notice := build(request)) is not None]

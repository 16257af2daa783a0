"""Where the texts come from that annotators may start from: named sources, registered by the rooms that have them.

A project names one as `key:argument` (`run:ID`), which says nothing about the system.
"""

from collections.abc import Collection
from typing import Protocol

from django.utils.translation import gettext as _

from annotation.extension_points import ExtensionPoint
from annotation.kinds import get_task_kind
from annotation.models import Project
from annotation.services.core.errors import BadInput

FIELD = "suggestions_from"


class SuggestionSource(Protocol):
    """One kind of source."""

    key: str

    def list_arguments(self, project: Project) -> list[tuple[str, str]]:
        """(argument, words for staff) of everything that can be chosen in a project, newest first."""
        ...

    def has_texts(self, project: Project, argument: str) -> bool:
        """Whether the project has such a source."""
        ...

    def read_texts(self, project: Project, argument: str, samples: Collection[int]) -> dict[int, str]:
        """sample id -> its text; samples without one are absent. One query."""
        ...


SUGGESTION_SOURCES: ExtensionPoint[SuggestionSource] = ExtensionPoint(
    "sources of suggestions", key=lambda source: source.key
)


def list_suggestion_choices(project: Project) -> list[tuple[str, str]]:
    """(name, words for staff) of every source of a project."""
    return [
        (f"{source.key}:{argument}", words)
        for source in SUGGESTION_SOURCES
        for argument, words in source.list_arguments(project)
    ]


def check_suggestion_settings(project: Project) -> None:
    """Raise BadInput unless the project's setting fits: a source that exists where some tasks begin with a text."""
    name = project.suggestions_from
    if project.assistance in Project.Assistance.SUGGESTING:
        if not get_task_kind(project.kind, has_sample=True).takes_suggestion:
            raise BadInput(_("Tasks of this kind cannot start from a suggested text."), field="assistance")
        if not name:
            message = _("Choose a finished run whose outputs writers start from. A new project has none yet.")
            raise BadInput(message, field=FIELD)
    if name and not _has_source(project, name):
        message = _("%(seen)s is no finished run of this project. Name one as run:ID.")
        raise BadInput(message % {"seen": repr(name)[:60]}, field=FIELD)


def _has_source(project: Project, name: str) -> bool:
    key, _colon, argument = name.partition(":")
    return project.pk is not None and key in SUGGESTION_SOURCES and SUGGESTION_SOURCES[key].has_texts(project, argument)


def read_suggested_texts(project: Project, samples: Collection[int]) -> dict[int, str]:
    """sample id -> the text that its writers start from; {} where the project names no source."""
    key, _colon, argument = project.suggestions_from.partition(":")
    if key not in SUGGESTION_SOURCES or not samples:
        return {}
    return SUGGESTION_SOURCES[key].read_texts(project, argument, samples)

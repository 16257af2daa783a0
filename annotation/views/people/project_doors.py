"""The ways into a new project: making a dataset, and what a higher room adds, such as evaluating summaries."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.extension_points import ExtensionPoint


class ProjectDoor(NamedTuple):
    """One way in. url: name of its page. title, sentence: what it is for, in the reader's language. needs: what one
    brings or invites."""

    url: str
    title: str | Promise
    sentence: str | Promise
    needs: str | Promise


PROJECT_DOORS = ExtensionPoint[ProjectDoor]("ways into a new project", key=lambda door: door.url)
PROJECT_DOORS.register(
    ProjectDoor(
        "project-new",
        _("Make a dataset"),
        _("People write summaries on request: of a given length, style or topic."),
        _("Needs texts and annotators."),
    )
)

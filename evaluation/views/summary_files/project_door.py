"""The second way into a new project."""

from django.utils.translation import gettext_lazy as _

from annotation.views.people.project_doors import PROJECT_DOORS, ProjectDoor

PROJECT_DOORS.register(
    ProjectDoor(
        "evaluation-new",
        _("Evaluate summaries I have"),
        _("Measure the summaries of several systems, or have them rated blind."),
        _("Needs one table: texts, and a column for each system."),
    )
)

"""What is shown while somebody writes, where a project leaves it to chance."""

from typing import Any

from annotation.models import Project, SourceDocument
from annotation.sampling.generator import Generator
from annotation.services.prepared import IntParam, Prepared

ASSISTANCE = "assistance@1"
"""How `randomised` tosses its coin; another way would be another name."""
EXTERNAL_ID: Prepared[Any] = Prepared(
    lambda: SourceDocument.everything.filter(pk=IntParam("document")).values_list("external_id")
)


def assistance_by_document_id(project: Project, document_id: int) -> str:
    if project.assistance != Project.Assistance.RANDOMISED:
        return project.assistance
    return assistance_by_external_id(project, EXTERNAL_ID.rows(document=document_id)[0][0])


def assistance_by_external_id(project: Project, external_id: str) -> str:
    """What is shown while writing on this source. `randomised` is a coin of the source's own, seeded by the project's
    salt: the same for every annotator and in whatever order sources are stored, and nobody outside can foretell it."""
    if project.assistance != Project.Assistance.RANDOMISED:
        return project.assistance
    arms = (Project.Assistance.MINIMAL.value, Project.Assistance.FULL.value)
    return Generator(project.export_salt, ASSISTANCE, external_id).pick(arms)

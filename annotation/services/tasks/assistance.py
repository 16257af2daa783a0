"""Which assistance is shown while writing, including random assignment per source."""

from typing import Any

from annotation.models import Project, SourceDocument
from annotation.sampling.generator import Generator
from annotation.services.core.prepared_queries import IntParam, Prepared

ASSISTANCE = "assistance@1"
"""Name and version of the randomisation method; a changed method needs a new name."""
EXTERNAL_ID: Prepared[Any] = Prepared(
    lambda: SourceDocument.everything.filter(pk=IntParam("document")).values_list("external_id")
)


def assistance_by_document_id(project: Project, document_id: int) -> str:
    if project.assistance != Project.Assistance.RANDOMISED:
        return project.assistance
    return assistance_by_external_id(project, EXTERNAL_ID.rows(document=document_id)[0][0])


def assistance_by_external_id(project: Project, external_id: str) -> str:
    """The assistance for a source. `randomised` draws per source, seeded by the project's salt: the same for every
    annotator, independent of storage order, and unpredictable from outside."""
    if project.assistance != Project.Assistance.RANDOMISED:
        return project.assistance
    arms = (Project.Assistance.MINIMAL.value, Project.Assistance.FULL.value)
    return Generator(project.export_salt, ASSISTANCE, external_id).pick(arms)

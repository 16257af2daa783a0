"""Which assistance is shown while writing, including random assignment per source."""

from annotation.models import Project, SourceDocument
from annotation.sampling.generator import Generator

ASSISTANCE = "assistance@1"
"""Name and version of the randomisation method; a changed method needs a new name."""


def assistance_by_document_id(project: Project, document_id: int) -> str:
    if project.assistance != Project.Assistance.RANDOMISED:
        return project.assistance
    external_id = SourceDocument.everything.values_list("external_id", flat=True).get(pk=document_id)
    return assistance_by_external_id(project, external_id)


def assistance_by_external_id(project: Project, external_id: str) -> str:
    """The assistance for a source. `randomised` draws per source, seeded by the project's salt: the same for every
    annotator, independent of storage order, and unpredictable from outside."""
    if project.assistance != Project.Assistance.RANDOMISED:
        return project.assistance
    arms = (Project.Assistance.MINIMAL.value, Project.Assistance.FULL.value)
    return Generator(project.export_salt, ASSISTANCE, external_id).pick(arms)

"""Which assistance is shown while writing, including random assignment per source."""

from annotation.models import Project, SourceDocument
from epitome.sampling.generator import Generator

ASSISTANCE = "assistance@1"
"""Name and version of the randomisation method; a changed method needs a new name."""


ARMS = {
    Project.Assistance.RANDOMISED: (Project.Assistance.MINIMAL, Project.Assistance.FULL),
    Project.Assistance.RANDOMISED_THREE: (
        Project.Assistance.MINIMAL,
        Project.Assistance.FULL,
        Project.Assistance.SUGGESTED,
    ),
}
"""Setting of a project -> the arms that are drawn from."""


def assistance_by_document_id(project: Project, document_id: int) -> str:
    """The assistance for a source. A pilot suggests nothing, as it shows how a person writes."""
    arm = _arm_of_document(project, document_id)
    is_left_out = arm == Project.Assistance.SUGGESTED and project.pilot_of_id is not None
    return Project.Assistance.MINIMAL.value if is_left_out else arm


def _arm_of_document(project: Project, document_id: int) -> str:
    if project.assistance not in ARMS:
        return project.assistance
    external_id = SourceDocument.everything.values_list("external_id", flat=True).get(pk=document_id)
    return assistance_by_external_id(project, external_id)


def assistance_by_external_id(project: Project, external_id: str) -> str:
    """The assistance for a source. The randomised settings draw per source, seeded by the project's salt: the same for
    every annotator, independent of storage order, and unpredictable from outside."""
    if project.assistance not in ARMS:
        return project.assistance
    arms = [arm.value for arm in ARMS[Project.Assistance(project.assistance)]]
    return Generator(project.export_salt, ASSISTANCE, external_id).pick(arms)

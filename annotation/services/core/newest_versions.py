"""The newest schema and guideline of a project, for pages that staff open many times a day."""

from annotation.models import GuidelineVersion, Project, SchemaVersion
from annotation.services.core.prepared_queries import IntParam, Prepared

SCHEMA: Prepared[SchemaVersion] = Prepared(
    lambda: SchemaVersion.objects.filter(project=IntParam("project")).order_by("-number")[:1]
)
GUIDELINE: Prepared[GuidelineVersion] = Prepared(
    lambda: GuidelineVersion.objects.filter(project=IntParam("project")).order_by("-number")[:1]
)


def load_versions(project: Project) -> None:
    """Set `project.schema_version` and `project.guideline_version`, which would ask one by one. Two queries."""
    (project.schema_version,) = SCHEMA.rows(project=project.pk)
    (project.guideline_version,) = GUIDELINE.rows(project=project.pk)

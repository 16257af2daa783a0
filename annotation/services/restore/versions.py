"""Schema and guideline versions on restore: a project with work keeps its own, an unused one adopts the file's."""

from django.contrib.auth.models import AbstractBaseUser

from annotation.models import (
    Annotation,
    Assignment,
    GuidelineReading,
    GuidelineVersion,
    Project,
    Sample,
    SchemaVersion,
)
from annotation.services.restore.checks import Head
from epitome.formats.faults import FieldFault
from epitome.schema import content_hash, parse_schema


def is_unused(project: Project) -> bool:
    """Whether the project has no samples, annotations or assignments, so that its versions may be replaced."""
    return not any(model.objects.filter(project=project).exists() for model in (Sample, Annotation, Assignment))


def current_versions(project: Project) -> Head:
    guidelines = GuidelineVersion.objects.filter(project=project)
    return Head(
        {},
        dict(SchemaVersion.objects.filter(project=project).values_list("number", "text")),
        dict(guidelines.values_list("number", "text")),
        {number: (change, note) for number, change, note in guidelines.values_list("number", "change", "note")},
    )


def check_versions_fit(*, project: Project, head: Head) -> None:
    """Raises FieldFault when a project with work has other versions than the file, or is of another kind."""
    if is_unused(project):
        return
    if head.settings["kind"] != project.kind:
        raise FieldFault(("kind",), f"must be {project.kind}, the project's", head.settings["kind"])
    now = current_versions(project)
    for name, theirs, ours in (
        ("schemas", head.schemas, now.schemas),
        ("guidelines", head.guidelines, now.guidelines),
    ):
        for number, text in theirs.items():
            if ours.get(number) != text:
                message = "is not the project's, which has samples already; import the file into a new project"
                raise FieldFault((name,), message, f"version {number}", "versions")


def adopt_versions(*, project: Project, head: Head, by: AbstractBaseUser | None) -> None:
    """Give an unused project the file's versions and settings. Inside a transaction."""
    if not is_unused(project):
        return
    newest = parse_schema(head.schemas[max(head.schemas)], needs_attributes=False)
    for key in ("kind", "preset", "language"):
        setattr(project, key, head.settings[key])
    project.domain = newest.domain
    project.save(update_fields=["kind", "preset", "language", "domain"])
    now = current_versions(project)
    author = by.pk if by is not None else None
    if now.schemas != head.schemas:
        SchemaVersion.objects.filter(project=project).exclude(number__in=head.schemas).delete()
        for number, text in head.schemas.items():
            SchemaVersion.objects.update_or_create(
                project=project,
                number=number,
                defaults={"text": text, "content_hash": content_hash(text)},
                create_defaults={"text": text, "content_hash": content_hash(text), "created_by_id": author},
            )
    if (now.guidelines, now.changes) != (head.guidelines, head.changes):
        GuidelineReading.objects.filter(project=project).delete()  # they confirm texts that are replaced now
        GuidelineVersion.objects.filter(project=project).exclude(number__in=head.guidelines).delete()
        for number, text in head.guidelines.items():
            change, note = head.changes[number]
            values = {"text": text, "change": change, "note": note}
            GuidelineVersion.objects.update_or_create(
                project=project, number=number, defaults=values, create_defaults={**values, "created_by_id": author}
            )
    for cached in ("schema_version", "guideline_version"):
        project.__dict__.pop(cached, None)

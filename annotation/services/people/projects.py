"""Creating projects, changing their settings, and adding versions of schema and guideline."""

from functools import cache
from typing import Any
from zoneinfo import available_timezones

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, GuidelineVersion, Membership, Project, Role, SchemaVersion
from annotation.schema import PRESETS, Schema, SchemaError, content_hash, guideline_text, parse_schema, preset_text
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.transactions import write_transaction

SETTINGS = (
    "name",
    "language",
    "timezone",
    "overlap",
    "claim_unit",
    "phases",
    "assistance",
    "lease_minutes",
    "skip_limit",
)
MAX_TEXT = 200_000
FILE_NAME = "schema.toml"


def create_project(
    *,
    slug: str,
    name: str = "",
    schema: str | None = None,
    schema_text: str | None = None,
    guideline: str | None = None,
    created_by: AbstractBaseUser | None = None,
    **settings: Any,
) -> Project:
    """A new project with the first version of its schema and guideline; its creator becomes its admin.

    schema: the key of a preset; schema_text: custom TOML instead. guideline: Markdown (default: the preset's).
    settings: any of SETTINGS. Raises Conflict when the slug is taken, BadInput naming the field.
    """
    text = _schema_text(schema, schema_text)
    parsed = checked_schema(text)
    preset = parsed.key if parsed.key in PRESETS else schema
    if guideline is None:
        guideline = guideline_text(preset) if preset in PRESETS else _("# Guideline\n\nNothing is written yet.\n")
    _check_text(guideline, "guideline")
    project = Project(slug=slug, name=name or slug, domain=parsed.domain, preset=preset or parsed.key)
    _apply_settings(project, {"language": parsed.language, **settings})
    if Project.objects.filter(slug=slug).exists():
        raise _slug_taken_error(slug)
    try:
        with write_transaction():
            project.save(force_insert=True)
            _add_schema(project, text, 1, created_by)
            _add_guideline(project, guideline, 1, created_by)
            if created_by is not None:
                Membership.objects.create(project=project, user_id=created_by.pk, role=Role.ADMIN)
            audit.record_event(
                project=project, actor=created_by, verb=AuditVerb.PROJECT_CREATE, target=f"project:{project.public_id}"
            )
    except IntegrityError as error:
        raise _slug_taken_error(slug) from error
    return project


def _slug_taken_error(slug: str) -> Conflict:
    return Conflict(_("The name %(slug)s is taken; choose another.") % {"slug": slug[:60]}, field="slug")


def _schema_text(schema: str | None, schema_text: str | None) -> str:
    if schema_text is not None:
        return schema_text
    if schema not in PRESETS:
        raise BadInput(
            _("%(seen)s is no preset; use one of: %(list)s.") % {"seen": repr(schema)[:60], "list": ", ".join(PRESETS)},
            field="schema",
        )
    return preset_text(schema)


def checked_schema(text: str) -> Schema:
    """The schema a TOML text declares. Raises BadInput with line and key."""
    _check_text(text, "schema")
    try:
        return parse_schema(text, name=FILE_NAME)
    except SchemaError as error:
        raise BadInput(str(error)[:480], field="schema") from error


def _check_text(text: str, field: str) -> None:
    if not text.strip():
        raise BadInput(_("This text is empty."), field=field)
    if len(text) > MAX_TEXT:
        raise BadInput(_("This text is longer than %(n)d characters.") % {"n": MAX_TEXT}, field=field)
    if "\0" in text or not _is_encodable(text):
        raise BadInput(_("This text holds a character that cannot be stored (NUL, or half a pair)."), field=field)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@cache
def known_timezones() -> frozenset[str]:
    """Cached: listing them opens six hundred files."""
    return frozenset(available_timezones())


def _apply_settings(project: Project, settings: dict[str, Any]) -> None:
    """Set and check settings on an unsaved copy. Raises BadInput naming the field."""
    for key, value in settings.items():
        if key not in SETTINGS:
            raise BadInput(_("There is no setting %(key)s.") % {"key": key[:60]}, field=key[:60])
        setattr(project, key, value)
    if project.timezone not in known_timezones():
        raise BadInput(_("This is no known time zone; write one like Europe/Berlin."), field="timezone")
    try:
        project.clean_fields(exclude=["sampler", "column_mapping"])
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise BadInput(messages[0], field=field) from error
    if not project.name.isprintable():
        raise BadInput(_("The name holds characters that cannot be shown."), field="name")


def change_settings(*, project: Project, by: AbstractBaseUser | None, **settings: Any) -> Project:
    """Change some of SETTINGS. Overlap and phases apply only to samples drawn afterwards.

    Raises BadInput naming the field; the project object is then left unchanged.
    """
    old_values = {key: getattr(project, key) for key in SETTINGS}
    try:
        _apply_settings(project, settings)
    except BadInput:
        for key, value in old_values.items():
            setattr(project, key, value)
        raise
    changed = sorted(key for key in settings if old_values[key] != getattr(project, key))
    if changed:
        with write_transaction():
            project.save(update_fields=changed)
            audit.record_event(
                project=project,
                actor=by,
                verb=AuditVerb.PROJECT_CHANGE_SETTINGS,
                target=f"project:{project.public_id}",
                settings=changed,
            )
    return project


def new_schema_version(*, project: Project, text: str, by: AbstractBaseUser | None) -> SchemaVersion:
    """Add a schema version; returns the newest one if the text is unchanged. Samples keep the version they were drawn
    under. Raises BadInput with line and key, or when the domain differs."""
    schema = checked_schema(text)
    if schema.domain != project.domain:
        raise BadInput(_("A project keeps its domain: %(domain)s.") % {"domain": project.domain}, field="schema")
    with write_transaction():
        Project.objects.select_for_update().get(pk=project.pk)
        newest = project.schema_versions.order_by("-number")[0]
        if newest.content_hash == content_hash(text):
            return newest
        version = _add_schema(project, text, newest.number + 1, by)
        audit.record_event(
            project=project,
            actor=by,
            verb=AuditVerb.SCHEMA_ADD_VERSION,
            target=f"schema:{project.public_id}",
            number=version.number,
        )
    project.__dict__.pop("schema_version", None)
    return version


def new_guideline_version(
    *,
    project: Project,
    text: str,
    by: AbstractBaseUser | None,
    change: str = GuidelineVersion.Change.RULE,
    note: str = "",
) -> GuidelineVersion:
    """Add a guideline version; returns the newest one if the text is unchanged. Raises BadInput.

    change: "rule" requires every annotator to confirm before the next task, "wording" does not.
    note: what changed, shown to readers of the previous version.
    """
    text, note = text.replace("\r\n", "\n"), note.replace("\r\n", "\n")
    _check_text(text, "text")
    if change not in GuidelineVersion.Change.values:
        raise BadInput(_("Say whether the wording changes or a rule: wording or rule."), field="change")
    if note.strip():
        _check_text(note, "note")
    with write_transaction():
        Project.objects.select_for_update().get(pk=project.pk)
        newest = project.guideline_versions.order_by("-number")[0]
        if newest.text == text:
            return newest
        version = _add_guideline(project, text, newest.number + 1, by, change=change, note=note)
        audit.record_event(
            project=project,
            actor=by,
            verb=AuditVerb.GUIDELINE_ADD_VERSION,
            target=f"guideline:{project.public_id}",
            number=version.number,
            change=change,
        )
    project.__dict__.pop("guideline_version", None)
    return version


def _add_schema(project: Project, text: str, number: int, by: AbstractBaseUser | None) -> SchemaVersion:
    return SchemaVersion.objects.create(
        project=project,
        number=number,
        text=text,
        content_hash=content_hash(text),
        created_by_id=by.pk if by is not None else None,
    )


def _add_guideline(
    project: Project,
    text: str,
    number: int,
    by: AbstractBaseUser | None,
    *,
    change: str = GuidelineVersion.Change.RULE,
    note: str = "",
) -> GuidelineVersion:
    return GuidelineVersion.objects.create(
        project=project,
        number=number,
        text=text,
        change=change,
        note=note,
        created_by_id=by.pk if by is not None else None,
    )

"""Creating projects, changing their settings, and adding versions of schema and guideline."""

import math
import re
from functools import cache
from itertools import islice
from typing import Any
from zoneinfo import available_timezones

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.utils.translation import gettext as _

from annotation.kinds import project_kinds
from annotation.models import AuditVerb, GuidelineVersion, Membership, Project, Role, SchemaVersion
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.core.suggestion_sources import check_suggestion_settings
from annotation.services.core.word_patterns import join_names
from annotation.services.people import pause_rules
from annotation.services.people.short_names import propose_short_names
from annotation.transactions import write_transaction
from epitome.schema import PRESETS, Schema, SchemaError, content_hash, guideline_text, parse_schema, preset_text
from epitome.schema.length_bands import IN_WORDS
from epitome.schema.length_bands import give_lengths_in_words as schema_with_words

SETTINGS = (
    "name",
    "language",
    "timezone",
    "overlap",
    "claim_unit",
    "phases",
    "assistance",
    "suggestions_from",
    "lease_minutes",
    "skip_limit",
    "notes_to_next",
    "extra_below",
    "extra_measure",
    "extra_most",
    *pause_rules.SETTINGS,
    "summary_minutes",
    "pay_per_hour",
    "pay_currency",
)
MAX_TEXT = 200_000
FILE_NAME = "schema.toml"
MOST_PROPOSALS = 20
CURRENCY = re.compile("[A-Z]{3}")


def create_project(
    *,
    slug: str = "",
    name: str = "",
    schema: str | None = None,
    schema_text: str | None = None,
    guideline: str | None = None,
    kind: str = "summary",
    created_by: AbstractBaseUser | None = None,
    **settings: Any,
) -> Project:
    """A new project with the first version of its schema and guideline; its creator becomes its admin.

    slug: the short name; without one it is made from the name, and unique. schema: the key of a preset; schema_text:
    custom TOML instead. guideline: Markdown (default: the preset's). kind: what a task asks, one of
    `project_kinds()`; it never changes.
    settings: any of SETTINGS. Raises Conflict when the slug is taken, BadInput naming the field.
    """
    text = _schema_text(schema, schema_text)
    _check_kind(kind, schema)
    parsed = _checked_schema(text, kind)
    preset = parsed.key if parsed.key in PRESETS else schema
    if guideline is None:
        guideline = guideline_text(preset) if preset in PRESETS else _("# Guideline\n\nNothing is written yet.\n")
    _check_text(guideline, "guideline")
    proposals = [slug] if slug else list(islice(propose_short_names(name), MOST_PROPOSALS))
    fields = {"kind": kind, "domain": parsed.domain, "preset": preset or parsed.key}
    project = Project(slug=proposals[0], name=name or slug, **fields)
    of_schema = {"language": parsed.language, **({"overlap": parsed.overlap} if parsed.overlap else {})}
    _apply_settings(project, {**of_schema, **settings})
    for project.slug in proposals:
        try:
            _store_project(project, text, guideline, created_by)
            break
        except Conflict:  # of proposals, somebody took this one just now
            if project.slug == proposals[-1]:
                raise
    return project


def _store_project(project: Project, text: str, guideline: str, created_by: AbstractBaseUser | None) -> None:
    """Store the project with its first versions. Raises Conflict when its slug is taken."""
    if Project.objects.filter(slug=project.slug).exists():
        raise _slug_taken_error(project.slug)
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
        raise _slug_taken_error(project.slug) from error


def _check_kind(key: str, preset: str | None) -> None:
    """Raise BadInput unless there is such a kind of task, and the preset fits it."""
    kinds = project_kinds()
    if key not in kinds:
        values = {"seen": repr(key)[:60], "list": join_names(kinds)}
        raise BadInput(_("%(seen)s is no kind of task; use one of: %(list)s.") % values, field="kind")
    if preset in PRESETS and preset not in kinds[key].presets:
        values = {"preset": preset, "kind": key, "list": join_names(kinds[key].presets)}
        raise BadInput(
            _("The preset %(preset)s is not for tasks of kind %(kind)s; for these there are: %(list)s.") % values,
            field="schema",
        )


def _slug_taken_error(slug: str) -> Conflict:
    return Conflict(_("The short name %(slug)s is taken. Choose another one.") % {"slug": slug[:60]}, field="slug")


def _schema_text(schema: str | None, schema_text: str | None) -> str:
    if schema_text is not None:
        return schema_text
    if schema not in PRESETS:
        raise BadInput(
            _("%(seen)s is not a preset; use one of: %(list)s.")
            % {"seen": repr(schema)[:60], "list": join_names(PRESETS)},
            field="schema",
        )
    return preset_text(schema)


def _checked_schema(text: str, kind: str) -> Schema:
    """The schema a TOML text declares, for tasks of this kind. Raises BadInput with line and key."""
    _check_text(text, "schema")
    try:
        return parse_schema(text, FILE_NAME, needs_attributes=project_kinds()[kind].needs_attributes)
    except SchemaError as error:
        raise BadInput(str(error)[:480], field="schema") from error


def _check_text(text: str, field: str) -> None:
    if not text.strip():
        raise BadInput(_("This text is empty."), field=field)
    if len(text) > MAX_TEXT:
        raise BadInput(_("This text is longer than %(n)d characters.") % {"n": MAX_TEXT}, field=field)
    if "\0" in text or not _is_encodable(text):
        raise BadInput(
            _("This text contains a character that cannot be stored (NUL or an unpaired surrogate)."), field=field
        )


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
        raise BadInput(_("Unknown time zone. Use a name like Europe/Berlin."), field="timezone")
    for name in ("extra_below", *pause_rules.SETTINGS):
        value = getattr(project, name)
        if isinstance(value, float) and not math.isfinite(value):
            raise BadInput(_("This must be a number."), field=name)
    if not math.isfinite(project.summary_minutes + (project.pay_per_hour or 0)):
        raise BadInput(_("This must be a number."), field="summary_minutes")
    if project.pay_currency and not CURRENCY.fullmatch(project.pay_currency):
        raise BadInput(_("Write the currency as three letters, such as EUR."), field="pay_currency")
    try:
        project.clean_fields(exclude=["sampler", "column_mapping"])
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise BadInput(messages[0], field=field) from error
    if settings.keys() & {"assistance", "suggestions_from"}:
        check_suggestion_settings(project)
    if not project.name.isprintable():
        raise BadInput(_("The name contains characters that cannot be displayed."), field="name")


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


def new_schema_version(
    *, project: Project, text: str, by: AbstractBaseUser | None, after: int | None = None
) -> SchemaVersion:
    """Add a schema version; returns the newest one if the text is unchanged. Samples keep the version they were drawn
    under. after: number of the version that was edited. Raises BadInput with line and key, or when the domain differs;
    Conflict when `after` is no longer the newest."""
    schema = _checked_schema(text, project.kind)
    if schema.domain != project.domain:
        raise BadInput(
            _("The domain of a project cannot be changed: %(domain)s.") % {"domain": project.domain}, field="schema"
        )
    with write_transaction():
        Project.objects.select_for_update().get(pk=project.pk)
        newest = project.schema_versions.order_by("-number")[0]
        if newest.content_hash == content_hash(text):
            return newest
        if after is not None and newest.number != after:
            raise Conflict(
                _("Version %(n)d was published while you were editing. Compare before you publish.")
                % {"n": newest.number},
                field="schema",
            )
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


def give_lengths_in_words(*, project: Project, by: AbstractBaseUser | None) -> SchemaVersion:
    """Publish a schema version whose lengths are numbers of words, and the guideline that says so where the project
    has the one of its preset. Raises BadInput where no length of the schema can be changed so."""
    version = project.schema_version
    text = schema_with_words(version.text, version.schema)
    if text == version.text:
        raise BadInput(_("The lengths of this project cannot be changed here. Edit the attributes."), field="schema")
    with write_transaction():
        new_version = new_schema_version(project=project, text=text, by=by, after=version.number)
        if project.preset in PRESETS and project.guideline_version.text == guideline_text(project.preset):
            note = _("Lengths are numbers of words.")
            new_guideline_version(project=project, text=guideline_text(IN_WORDS), by=by, note=note)
    return new_version


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
        raise BadInput(_("Say what changes: wording or rule."), field="change")
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

"""A site in which every table has rows: projects made by the services, and plain rows in what they leave empty."""

import json
import uuid
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection, models

from annotation.models import Role, SourceDocument
from evaluation.models import RatingSlot
from tests.rounds import factories as rounds

ODD = "Odd \u202e 👩‍👩‍👧 cafe\u0301 \x7f \\N \t \u2028 \"quoted\" 'single' end\r\n"
MOMENT = datetime(2026, 3, 29, 1, 30, 0, 123456, UTC)


EMPTY = ("undefined",)
"""Columns that a constraint of the database wants to be empty beside the others."""

AFTER = {"end"}
"""Columns that a constraint keeps above another."""
FIRST = {"attempt"}
"""Columns that a constraint keeps to the first few numbers."""
FALSE = {"unseen", "with_skip"}
"""Columns that a constraint keeps false beside the first choice, or any text, of another."""


def fill_site() -> None:
    project = rounds.project_with_gold()
    SourceDocument.objects.filter(project=project).update(title=ODD, metadata_json='{"b": 1, "a": 2.50}')
    rater, _other_rater = (rounds.member(project, name, Role.RATER) for name in ("judge1", "judge2"))
    round_ = rounds.launch_new_round(project)
    rounds.rate_all(round_, rater)
    RatingSlot.objects.filter(pk=round_.slots.latest("pk").pk).update(extra=True)
    default_storage.save("exports/old.jsonl", ContentFile(b"{}\n" * 1000))
    for model in apps.get_models(include_auto_created=True):
        fill_table(model)


def fill_table(model: type[models.Model]) -> None:
    """One row in an empty table by the kinds of its columns, past the model's own rules: the columns are tested."""
    if model._base_manager.exists():
        return
    for field in model._meta.concrete_fields:
        if field.remote_field and field.related_model is not model:
            fill_table(field.related_model)
    row = model(**{field.attname: _value_for(field) for field in model._meta.concrete_fields if not field.primary_key})
    if not isinstance(model._meta.pk, models.AutoField):
        setattr(row, model._meta.pk.attname, _value_for(model._meta.pk))
    model._base_manager.bulk_create([row])


def _value_for(field: Any) -> Any:
    if field.remote_field is not None:
        related = field.related_model._base_manager.order_by("-pk").values_list("pk", flat=True).first()
        return related
    if field.name in EMPTY:
        return ""
    if field.choices:
        return next(iter(dict(field.flatchoices)))
    if isinstance(field, models.CharField) and field.has_default() and field.default:
        return field.get_default()  # a constraint may allow few others
    match field:
        case models.JSONField():
            return {"odd": ODD, "numbers": [1, 2.5, 1e-7, 10**15], "nothing": None, "flag": True}
        case models.BooleanField():
            return field.name not in FALSE
        case models.DateTimeField():
            return MOMENT
        case models.DateField():
            return MOMENT.date()
        case models.UUIDField():
            return uuid.uuid4()
        case models.FloatField():
            return 0.1 + 0.2
        case models.DecimalField():
            return Decimal("1234567.89")
        case models.IntegerField():
            return 1 if field.name in FIRST else 8 if field.name in AFTER else 7
        case models.TextField():
            return ODD
        case models.CharField():
            return uuid.uuid4().hex[: min(field.max_length or 32, 32)]
    raise AssertionError(f"no value for {field}")


def read_all_rows() -> dict[str, list[dict[str, Any]]]:
    """Every row of every table, by its columns."""
    return {
        model._meta.label: list(model._base_manager.order_by("pk").values())
        for model in apps.get_models(include_auto_created=True)
    }


def empty_database() -> None:
    """Without any row, as after `migrate` (whose rows are left out too, and stored by the caller's restore)."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            tables = ", ".join(model._meta.db_table for model in apps.get_models(include_auto_created=True))
            cursor.execute(f"TRUNCATE {tables} RESTART IDENTITY CASCADE")
            return
        cursor.execute("PRAGMA foreign_keys = OFF")
        for model in apps.get_models(include_auto_created=True):
            cursor.execute(f"DELETE FROM {model._meta.db_table}")
        cursor.execute("PRAGMA foreign_keys = ON")


def read_manifest(archive: Any) -> dict[str, Any]:
    import tarfile

    with tarfile.open(archive) as tar:
        stream = tar.extractfile("manifest.json")
        assert stream is not None
        return json.load(stream)

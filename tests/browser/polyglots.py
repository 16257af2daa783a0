"""Text that would run as code wherever somebody forgot to escape it, in every text that a row can hold."""

import json
import re
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.db import IntegrityError, models, transaction

from annotation.models import AuditEvent, SchemaVersion

POLYGLOT = (
    """--></script></textarea></title></style><img data-xss src=x onerror="window.xss=1">"""
    """<script data-xss>window.xss=2</script>'"><svg data-xss onload=window.xss=3>{{7*7}}"""
    """[x](javascript:window.xss=4) ![y](x"onerror=window.xss=5) `</code><b data-xss>` ${window.xss=6}"""
)
SHORT = """'"><b data-xss>{{7*7}}"""
# Names of things, numbers and digests: no person writes them, and pages look things up by them.
STRUCTURE = {
    *("slug", "kind", "preset", "language", "timezone", "export_salt", "digest", "format", "combination", "sampler"),
    *("week", "seed", "measure", "signature", "assistance", "idempotency_key", "queue", "algorithm", "raw_json"),
    *(
        "content_hash",
        "statement_hash",
        "file_hash",
        "body_hash",
        "ids_hash",
        "password",
        "skip_reason",
        "segments_json",
    ),
    *("metadata_json", "rows_json", "id_parameter", "study_parameter", "session_parameter", "study"),
}
WRITTEN = {"summary", "title", "note", "text", "quote", "comment", "message", "field", "value", "file_name", "reason"}
"""Keys of JSON whose values are people's words."""


def text_fields(model: type[models.Model]) -> list[models.Field]:
    """The fields of a model that hold people's words."""
    return [
        field
        for field in model._meta.concrete_fields
        if isinstance(field, models.CharField | models.TextField)
        and not field.choices
        and field.name not in STRUCTURE
        and not field.name.endswith("_hash")
    ]


def fill_text_fields() -> dict[str, int]:
    """Write polyglots into every text field of every row; returns how many rows of which field."""
    fields: dict[str, int] = {}
    rows = [*apps.get_app_config("annotation").get_models(), User]
    for model in (other_row for other_row in rows if other_row is not SchemaVersion and other_row._meta.managed):
        for field in text_fields(model):
            for pk in model._base_manager.values_list("pk", flat=True):
                if store_polyglot(model, pk, field):
                    fields[f"{model.__name__}.{field.name}"] = fields.get(f"{model.__name__}.{field.name}", 0) + 1
        for field in (
            concrete_field
            for concrete_field in model._meta.concrete_fields
            if isinstance(concrete_field, models.JSONField)
        ):
            for row in model._base_manager.only("pk", field.name):
                result = getattr(row, field.name)
                changed = replace_texts(result, everything=field.name in ("chosen", "faults") or model is AuditEvent)
                if changed != result:
                    model._base_manager.filter(pk=row.pk).update(**{field.name: changed})
                    fields[f"{model.__name__}.{field.name}"] = 1
    return fields


def store_polyglot(model: type[models.Model], pk: Any, field: models.Field) -> bool:
    """One polyglot, cut to the field's length and made unique where it must be."""
    longest = field.max_length or 10**6
    text = f"{POLYGLOT} {pk}" if longest >= len(POLYGLOT) + 10 else f"{SHORT}{pk}"
    if len(text) > longest:
        return False
    try:
        with transaction.atomic():
            return bool(model._base_manager.filter(pk=pk).update(**{field.name: text}))
    except IntegrityError:
        return False


def replace_texts(told: Any, *, everything: bool, key: str = "") -> Any:
    """JSON with people's words replaced."""
    if isinstance(told, dict):
        return {name: replace_texts(inner, everything=everything, key=name) for name, inner in told.items()}
    if isinstance(told, list):
        return [replace_texts(inner, everything=everything, key=key) for inner in told]
    return POLYGLOT if isinstance(told, str) and (everything or key in WRITTEN) else told


def spoil_sources(model: Any) -> None:
    """Speakers and texts of sources, which stand as JSON in a text field."""
    for row in model.objects.all():
        segments = [
            {"speaker": POLYGLOT, "text": f"{POLYGLOT} {n}"} for n, _ in enumerate(json.loads(row.segments_json))
        ]
        model.objects.filter(pk=row.pk).update(segments_json=json.dumps(segments))


def spoil_schema() -> int:
    """Labels, guides and questions of every schema; returns how many texts."""
    written = json.dumps(POLYGLOT)
    count = 0
    for row in SchemaVersion.objects.all():
        text, n = re.subn(r'^(name|label|guide|question) = ".*"', lambda m: f"{m[1]} = {written}", row.text, flags=re.M)
        SchemaVersion.objects.filter(pk=row.pk).update(text=text)
        count += n
    return count

"""Base classes and fields shared by several models."""

import uuid
from typing import Any

from django.db import models


class PublicId(models.Model):
    """Adds a random uuid4, the only id shown in URLs and API answers; the primary key stays a bigint."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)

    class Meta:
        abstract = True


class JSONText(models.TextField):  # type: ignore[type-arg]
    """JSON stored as text, character for character (jsonb would reorder keys). The Python value is the text."""

    description = "JSON as text"

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "annotation.models.base.JSONText", args, kwargs

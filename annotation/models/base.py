"""What several rows share."""

import uuid
from typing import Any

from django.db import models


class PublicId(models.Model):
    """A bigint inside, a random uuid4 outside: the only id that URLs and API answers show."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)

    class Meta:
        abstract = True


class JSONText(models.TextField):  # type: ignore[type-arg]
    """JSON kept as text, character for character (jsonb would reorder keys). Python sees the text."""

    description = "JSON as text"

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "annotation.models.base.JSONText", args, kwargs

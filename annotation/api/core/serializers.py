"""The base of request serializers: unknown fields are refused, so that a typing mistake is reported."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.services.people.projects import MAX_TEXT


class Strict(serializers.Serializer[Any]):
    """Refuses fields it does not know, naming each."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            unknown = [key for key in data if key not in self.fields]
            if unknown:
                raise serializers.ValidationError({str(key)[:60]: [_("There is no such field.")] for key in unknown})
        return super().to_internal_value(data)


def verbatim_text(**options: Any) -> serializers.CharField:
    """A text field that keeps leading and trailing white space."""
    return serializers.CharField(max_length=MAX_TEXT, trim_whitespace=False, **options)

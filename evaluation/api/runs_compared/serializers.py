"""Serializers of the calls on tables of runs."""

from typing import Any

from rest_framework import serializers


class TablesOut(serializers.Serializer[Any]):
    """The tables of some runs."""

    runs = serializers.ListField(child=serializers.UUIDField())
    tables = serializers.ListField(
        child=serializers.DictField(), help_text="key, title, columns, rows of cells, notes, signature, quoted rows"
    )

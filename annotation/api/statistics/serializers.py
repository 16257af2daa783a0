"""Serializers of the statistics."""

from typing import Any

from rest_framework import serializers


class StatisticsOut(serializers.Serializer[Any]):
    """The last computed numbers. Numbers in full; a cell without a value says why (`undefined`)."""

    computed_at = serializers.DateTimeField(allow_null=True, help_text="null: never; start it with POST")
    stale = serializers.BooleanField(help_text="the data has changed since")
    splits = serializers.ListField(child=serializers.CharField(allow_blank=True))
    summaries = serializers.IntegerField()
    sources = serializers.IntegerField()
    unmeasured = serializers.IntegerField(help_text="summaries that lack a measure")
    missing = serializers.DictField(child=serializers.IntegerField(), help_text="measure -> summaries without it")
    flags = serializers.ListField(child=serializers.CharField(), help_text="what is conspicuous, in words")
    tables = serializers.ListField(
        child=serializers.DictField(), help_text="key, title, columns, rows of cells, notes, signature"
    )

"""Serializers of reports."""

from typing import Any

from rest_framework import serializers

from annotation.api.core.serializers import Strict


class ReportOut(serializers.Serializer[Any]):
    """What was worked out last; the table about single raters is not part of it."""

    computed_at = serializers.DateTimeField(allow_null=True, help_text="null: never; start it with POST")
    stale = serializers.BooleanField(help_text="answers or scores came since")
    methods = serializers.CharField(allow_blank=True)
    judgements = serializers.IntegerField()
    tables = serializers.ListField(
        child=serializers.DictField(), help_text="key, title, columns, rows of cells, notes, signature"
    )


class JudgeIn(Strict):
    system = serializers.CharField(max_length=60, help_text="key of a system of the project with the role judge")

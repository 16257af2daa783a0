"""Serializers of schema and guideline versions and of the gate."""

from typing import Any

from rest_framework import serializers

from annotation.api.core.serializers import Strict, verbatim_text
from annotation.models import GuidelineVersion


class GateOut(serializers.Serializer[Any]):
    open = serializers.BooleanField(help_text="false: no task can be claimed before the version is confirmed")
    asks = serializers.BooleanField(
        help_text="the newest version is not confirmed; where only its wording is new, open"
    )
    version = serializers.IntegerField()
    change = serializers.CharField(help_text="rule or wording")
    note = serializers.CharField(help_text="what changed")
    confirmed = serializers.IntegerField(allow_null=True, help_text="the newest version this person confirmed")
    consent = serializers.BooleanField(allow_null=True, help_text="to the record of how a summary came about")
    examples = serializers.ListField(child=serializers.CharField(), help_text="the worked examples to read")
    statement = serializers.CharField(help_text="what is signed")
    statement_hash = serializers.CharField(help_text="SHA-256 of the statement, to be sent back")
    guideline = serializers.URLField()


class GateIn(Strict):
    version = serializers.IntegerField(min_value=1, max_value=10**6)
    statement_hash = serializers.CharField(max_length=64)
    consent = serializers.BooleanField()


class VersionIn(Strict):
    text = verbatim_text()


class GuidelineIn(VersionIn):
    change = serializers.ChoiceField(
        GuidelineVersion.Change.choices,
        default=GuidelineVersion.Change.RULE,
        help_text="rule: every annotator confirms it before the next task; wording: nobody waits for that",
    )
    note = serializers.CharField(
        max_length=2000, help_text="what changed, in a sentence, for those who know the version before"
    )


class SchemaAttributeOut(serializers.Serializer[Any]):
    """One control attribute as the schema declares it."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    code = serializers.CharField()
    kind = serializers.CharField()
    values = serializers.ListField(child=serializers.CharField())
    filled_by = serializers.CharField()
    question = serializers.CharField()


class GuidelineOut(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    text = serializers.CharField(help_text="Markdown")
    change = serializers.CharField(help_text="rule or wording, against the version before")
    note = serializers.CharField(help_text="what changed")
    created_at = serializers.DateTimeField()


class SchemaOut(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    text = serializers.CharField(help_text="TOML")
    content_hash = serializers.CharField()
    attributes = SchemaAttributeOut(many=True, source="schema.attributes")
    created_at = serializers.DateTimeField()

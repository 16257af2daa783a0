"""Serializers of reports."""

from typing import Any

from rest_framework import serializers

from annotation.api.core.serializers import Strict


class ReportOut(serializers.Serializer[Any]):
    """The last computed numbers; the table about single raters is not part of it."""

    computed_at = serializers.DateTimeField(allow_null=True, help_text="null: never; start it with POST")
    stale = serializers.BooleanField(help_text="answers or scores came since")
    methods = serializers.CharField(allow_blank=True)
    judgements = serializers.IntegerField()
    tables = serializers.ListField(
        child=serializers.DictField(), help_text="key, title, columns, rows of cells, notes, signature"
    )


class JudgeIn(Strict):
    system = serializers.CharField(max_length=60, help_text="key of a system of the project with the role judge")


class LookOut(serializers.Serializer[Any]):
    place = serializers.IntegerField(help_text="the source's place in the frozen order, from 1")
    ratings = serializers.IntegerField(help_text="of the sources so far")
    mean = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    evidence = serializers.FloatField(help_text="against no difference; 1 / (1 - level) decides")
    decided = serializers.BooleanField()


class ComparisonOut(serializers.Serializer[Any]):
    question = serializers.CharField()
    first = serializers.CharField(help_text="a letter until the round is unblinded")
    second = serializers.CharField()
    null = serializers.FloatField(help_text="0 for differences, 0.5 for shares of wins of the first")
    level = serializers.FloatField(help_text="of this comparison; all hold together with 0.95")
    met_at = serializers.IntegerField(allow_null=True, help_text="the source at which it fulfilled the rule")
    looks = LookOut(many=True, help_text="after every complete source")


class InterimOut(serializers.Serializer[Any]):
    """Betting confidence sequences of people's answers, one per comparison; they hold at every look."""

    state = serializers.CharField()
    rule = serializers.CharField()
    width = serializers.FloatField(allow_null=True, help_text="of the rule width")
    sources = serializers.IntegerField(help_text="complete in the frozen order")
    max_sources = serializers.IntegerField()
    ratings = serializers.IntegerField(help_text="of the complete sources")
    met_at = serializers.IntegerField(allow_null=True, help_text="null: the rule is not met")
    expected_at = serializers.IntegerField(allow_null=True, help_text="null: not known yet")
    expected_day = serializers.DateTimeField(allow_null=True)
    currency = serializers.CharField(allow_blank=True)
    pay = serializers.FloatField(allow_null=True, help_text="so far; null where no pay is stated")
    expected_pay = serializers.FloatField(allow_null=True)
    comparisons = ComparisonOut(many=True)

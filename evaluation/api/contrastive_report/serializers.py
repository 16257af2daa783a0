"""Serializers of reports of runs over contrastive examples."""

from typing import Any

from rest_framework import serializers


class PieceOut(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(["same", "added", "removed", "gap"])
    text = serializers.CharField()


class WorstTupleOut(serializers.Serializer[Any]):
    """A tuple with failures, and its contrastive that scored highest."""

    sample = serializers.UUIDField()
    sample_id = serializers.CharField(help_text="as in exports")
    rule = serializers.CharField()
    state = serializers.CharField(help_text="active or excluded")
    gold = serializers.CharField()
    contrastive_id = serializers.UUIDField()
    contrastive = serializers.CharField()
    gold_score = serializers.FloatField()
    contrastive_score = serializers.FloatField()
    failures = serializers.IntegerField(help_text="contrastives of the tuple that are not dodged")
    n = serializers.IntegerField(help_text="contrastives of the tuple that count")
    pieces = PieceOut(many=True)


class WorstOfRunOut(serializers.Serializer[Any]):
    run = serializers.UUIDField()
    name = serializers.CharField()
    tuples = WorstTupleOut(many=True)


class ContrastiveReportOut(serializers.Serializer[Any]):
    """Dodged and escaped shares by system and rule, failures per tuple, and with two runs their comparison."""

    tables = serializers.ListField(
        child=serializers.DictField(), help_text="key, title, columns, rows of cells, notes, signature"
    )
    worst = WorstOfRunOut(many=True, help_text="per run up to 20 tuples with most failures")

"""Serializers of the calls on studies of changed requests."""

from typing import Any

from rest_framework import serializers

from annotation.api.core.serializers import Strict
from evaluation.services.changes.change_studies import MAX_N
from modelbridge.models import RunState
from modelbridge.services.runs.runs import MAX_SEED


class StudyIn(Strict):
    n = serializers.IntegerField(
        min_value=1, max_value=MAX_N, required=False, help_text="samples per attribute; as in the paper if absent"
    )
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, required=False, default=1)


class ChangedRunOut(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    attribute = serializers.CharField()
    state = serializers.ChoiceField(RunState.choices)
    n_samples = serializers.IntegerField()


class StudyOut(serializers.Serializer[Any]):
    """One draw of changes, and its runs."""

    n = serializers.IntegerField()
    seed = serializers.IntegerField()
    ended = serializers.BooleanField()
    runs = ChangedRunOut(many=True)
    tables = serializers.ListField(
        child=serializers.DictField(), help_text="key, title, columns, rows of cells, notes, signature"
    )


class StudiesOut(serializers.Serializer[Any]):
    studies = StudyOut(many=True)

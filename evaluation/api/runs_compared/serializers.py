"""Serializers of the calls on tables of runs."""

from typing import Any

from rest_framework import serializers

from annotation.api.jobs.serializers import JobStarted
from annotation.models import JobState


class TablesOut(serializers.Serializer[Any]):
    """The tables of some runs, as far as they are stored."""

    runs = serializers.ListField(child=serializers.UUIDField())
    state = serializers.ChoiceField(
        [JobState.DONE.value, *(state.value for state in JobState.UNDER_WAY)],
        help_text="queued, running: a job computes the tables, ask again when it has ended; done: no job does",
    )
    stale = serializers.BooleanField(help_text="a score, output or summary has changed since; true without tables")
    computed_at = serializers.DateTimeField(allow_null=True)
    job = JobStarted(allow_null=True, help_text="that computes the tables; null: none")
    tables = serializers.ListField(
        child=serializers.DictField(), help_text="key, title, columns, rows of cells, notes, signature, quoted rows"
    )

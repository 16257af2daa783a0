"""Serializers of scores and live meters."""

from typing import Any

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers

from annotation.api.core.serializers import Strict
from annotation.api.jobs.serializers import JobStarted
from annotation.services.tasks import live_meters
from annotation.services.tasks.drafts import MAX_REVISION


class ScoreOut(serializers.Serializer[Any]):
    """One number of one text, or why there is none."""

    measure = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    undefined = serializers.CharField(help_text="why there is no value")
    signature = serializers.CharField(help_text="measure, version, options and tagger: what reproduces the number")


class ScoresOut(serializers.Serializer[Any]):
    annotation = serializers.UUIDField()
    profile = serializers.CharField()
    eps_policy = serializers.CharField()
    scores = ScoreOut(many=True)


class MetersIn(Strict):
    summary = serializers.CharField(allow_blank=True, trim_whitespace=False)
    revision = serializers.IntegerField(
        min_value=0, max_value=MAX_REVISION, help_text="the caller's own count of its texts, returned with the values"
    )


class MetersStarted(JobStarted):
    revision = serializers.IntegerField()


class MetersOut(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=live_meters.STATES)
    revision = serializers.IntegerField(help_text="of the text that is, or is being, measured")
    values = serializers.DictField(
        child=inline_serializer(
            name="MeterValue",
            fields={
                "value": serializers.FloatField(allow_null=True),
                "undefined": serializers.CharField(),
                "signature": serializers.CharField(),
            },
        ),
        allow_null=True,
        help_text="measure -> its value; null while pending",
    )
    detail = serializers.CharField(help_text="message for the writer where it failed")

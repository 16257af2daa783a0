"""Serializers that compare the answers to one request: the checks that the pages show, as numbers."""

from typing import Any

from rest_framework import serializers

from annotation.services.overlap.checks import Answer


class CheckedScoreOut(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    undefined = serializers.CharField(help_text="why there is no value")
    signature = serializers.CharField()


class NamedOut(serializers.Serializer[Any]):
    asked = serializers.ListField(child=serializers.CharField())
    named = serializers.ListField(child=serializers.CharField())


class ChecksOut(serializers.Serializer[Any]):
    """What is checked of a summary. Shares and overlaps from 0 to 1."""

    words = serializers.IntegerField(help_text="white-space tokens")
    band = serializers.ListField(
        child=serializers.IntegerField(allow_null=True), allow_null=True, help_text="least and most words asked for"
    )
    in_band = serializers.ChoiceField(["below", "inside", "above", ""])
    copied = serializers.FloatField(help_text="share of words in runs of three or more that stand in the source so")
    named = serializers.DictField(child=NamedOut(), help_text="attribute key -> topics or speakers")
    segments = serializers.IntegerField(help_text="marked ones")
    spans = serializers.IntegerField()
    title = serializers.BooleanField(help_text="whether there is one")
    minutes = serializers.FloatField(allow_null=True)
    wall = serializers.BooleanField(help_text="minutes run from the first draft to handing in, not active time")
    scores = serializers.DictField(child=CheckedScoreOut(), help_text="measure -> its score")
    alike = serializers.FloatField(allow_null=True, help_text="mean overlap of words with the other summaries")
    marked_alike = serializers.FloatField(allow_null=True, help_text="the same of marked segments")
    apart = serializers.DictField(
        child=serializers.FloatField(), help_text="what -> distance from the median of the others"
    )


class AnswerOut(serializers.Serializer[Any]):
    annotation = serializers.UUIDField()
    revision = serializers.IntegerField()
    payload = serializers.DictField()
    checks = ChecksOut()


def describe_answer(answer: Answer) -> dict[str, Any]:
    """An answer in the shape of AnswerOut."""
    return {
        "annotation": answer.annotation.public_id,
        "revision": answer.annotation.revision,
        "payload": answer.annotation.payload,
        "checks": {
            "words": answer.words,
            "band": [answer.band.low, answer.band.high] if answer.band else None,
            "in_band": answer.in_band,
            "copied": answer.copied,
            "named": {
                key: {"asked": requested_values, "named": named_values}
                for key, (named_values, requested_values) in answer.mentions.items()
            },
            "segments": answer.segments,
            "spans": answer.spans,
            "title": bool(answer.title.strip()),
            "minutes": answer.minutes,
            "wall": answer.wall,
            "scores": {key: score._asdict() for key, score in answer.scores.items()},
            "alike": answer.alike,
            "marked_alike": answer.marked_alike,
            "apart": answer.apart,
        },
    }

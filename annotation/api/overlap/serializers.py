"""Serializers of summaries that are compared."""

from typing import Any

from rest_framework import serializers

from annotation.api.core.serializers import Strict
from annotation.models import OverlapMark, Sample
from annotation.services.overlap import marks as overlap_marks


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
    copied = serializers.FloatField(help_text="share of words in runs of three or more that are in the source exactly")
    named = serializers.DictField(child=NamedOut(), help_text="attribute key -> topics or speakers")
    segments = serializers.IntegerField(help_text="marked ones")
    spans = serializers.IntegerField()
    title = serializers.BooleanField(help_text="whether there is one")
    minutes = serializers.FloatField(allow_null=True)
    wall = serializers.BooleanField(help_text="minutes run from the first draft to submission, not active time")
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


class OverlapOut(serializers.Serializer[Any]):
    """A sample that several annotators wrote."""

    id = serializers.UUIDField(source="public_id")
    sample_id = serializers.SerializerMethodField(help_text="{external_id}#{position}")
    summaries = serializers.IntegerField(source="n")

    def get_sample_id(self, row: Sample) -> str:
        return f"{row.document.external_id}#{row.position}"


class MarkIn(Strict):
    choice = serializers.ChoiceField(OverlapMark.Choice.choices)
    annotation = serializers.UUIDField(required=False, help_text="with choice one: the summary to export")
    note = serializers.CharField(max_length=overlap_marks.MAX_NOTE, required=False, allow_blank=True)


class MarkOut(serializers.Serializer[Any]):
    id = serializers.UUIDField(source="public_id")
    choice = serializers.ChoiceField(OverlapMark.Choice.choices)
    annotation = serializers.UUIDField(source="annotation.public_id", default=None, allow_null=True)
    note = serializers.CharField()
    by = serializers.CharField(source="by.username")
    at = serializers.DateTimeField()


class OverlapAnswerOut(AnswerOut):
    annotator = serializers.CharField(help_text="the pseudonym that exports use")
    state = serializers.CharField(help_text="of the attempt")
    marked = serializers.BooleanField(help_text="exported where an export takes what is marked")
    verdicts = serializers.ListField(child=serializers.CharField(), help_text="of inspections, the deciding one first")


class AgreementOut(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    undefined = serializers.CharField(help_text="why there is no value")


class ComparedOut(OverlapOut):
    agreement = serializers.DictField(
        child=AgreementOut(),
        help_text="of the planned annotators: segments_f1, segments_alpha, words_f1, words_alpha, rouge_l",
    )
    mark = MarkOut(allow_null=True)
    answers = OverlapAnswerOut(many=True)

"""Serializers of the calls that check judges by hand."""

from typing import Any

from rest_framework import serializers

from annotation.api.core.serializers import Strict
from evaluation.services.judge_checks.check_draws import DEFAULT_N, MAX_N, MAX_SEED


class JudgeCheckIn(Strict):
    question = serializers.CharField(max_length=60, required=False, default="focus", help_text="a published question")
    over = serializers.CharField(max_length=80, required=False, default="references", help_text="references or run:ID")
    n = serializers.IntegerField(min_value=2, max_value=MAX_N, required=False, default=DEFAULT_N)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, required=False, default=0)


class JudgeCheckOut(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    texts = serializers.IntegerField(help_text="how many were drawn")


class ConfusionOut(serializers.Serializer[Any]):
    by_hand = serializers.CharField()
    by_judge = serializers.CharField(allow_blank=True, help_text="empty: no valid answer")
    texts = serializers.IntegerField()


class CheckedJudgeOut(serializers.Serializer[Any]):
    """One judge against the labels given by hand."""

    judge = serializers.CharField()
    texts = serializers.IntegerField()
    accuracy = serializers.FloatField()
    ci95 = serializers.ListField(child=serializers.FloatField(), help_text="Wilson interval of the accuracy")
    kappa = serializers.FloatField(allow_null=True)
    kappa_undefined = serializers.CharField(allow_blank=True, help_text="why there is no kappa")
    confusion = ConfusionOut(many=True)
    signature = serializers.CharField()


class ValidityOut(serializers.Serializer[Any]):
    """The labels given by hand, and every judge compared with them."""

    question = serializers.CharField()
    published_accuracy = serializers.FloatField(allow_null=True)
    labelled = serializers.IntegerField()
    unsure = serializers.IntegerField()
    tied = serializers.IntegerField()
    people = serializers.IntegerField()
    labelled_by_several = serializers.IntegerField()
    agreed = serializers.IntegerField()
    judges = CheckedJudgeOut(many=True)


class CheckTextOut(serializers.Serializer[Any]):
    """A text to label, without anything about where it comes from."""

    number = serializers.IntegerField()
    of = serializers.IntegerField()
    labelled = serializers.IntegerField()
    text = serializers.CharField(help_text="empty when every text is labelled")
    label = serializers.CharField(  # type: ignore[assignment]
        allow_blank=True, help_text="what you said of it; empty before"
    )
    question = serializers.CharField()
    labels = serializers.ListField(child=serializers.CharField())


class HandLabelIn(Strict):
    number = serializers.IntegerField(min_value=1, max_value=MAX_N)
    label = serializers.CharField(max_length=60)  # type: ignore[assignment]

"""Serializers of the calls on a construction."""

from typing import Any

from rest_framework import serializers

from annotation.api.core.serializers import Strict
from epitome.construction.steps import STEPS
from modelbridge.models import Rewrite, RewriteState, RewriteVerdict
from modelbridge.services.construction.rewrite_pairs import ASPECTS
from modelbridge.services.construction.steps import MAX_SEED


class StepIn(Strict):
    step = serializers.CharField(max_length=20, help_text=", ".join(STEPS))
    system = serializers.CharField(
        max_length=60,
        required=False,
        default="",
        allow_blank=True,
        help_text="the key of a system of kind chat-rewrite, for steps that ask one",
    )
    options = serializers.DictField(
        required=False, help_text="n, train, dev, test, keyword_share, exact, as the step has them"
    )
    seed = serializers.IntegerField(
        min_value=0,
        max_value=MAX_SEED,
        required=False,
        allow_null=True,
        default=None,
        help_text="0 if absent; a resumed step keeps its own",
    )
    dry_run = serializers.BooleanField(required=False, default=False)


class StepStopIn(Strict):
    step = serializers.CharField(max_length=20, help_text=", ".join(STEPS))


class StepErrorOut(serializers.Serializer[Any]):
    error = serializers.CharField()
    n = serializers.IntegerField()


class StepOut(serializers.Serializer[Any]):
    """One step. done, failed, open, retried: calls; interrupted: times that a worker ended during one. state: none
    where it was not started."""

    key = serializers.CharField()
    title = serializers.CharField()
    asks = serializers.BooleanField()
    state = serializers.CharField()
    needs = serializers.ListField(child=serializers.CharField(), help_text="steps that must be done first")
    system = serializers.CharField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField()
    open = serializers.IntegerField()
    retried = serializers.IntegerField()
    interrupted = serializers.IntegerField()
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    cost = serializers.FloatField()
    currency = serializers.CharField()
    stored = serializers.IntegerField(help_text="summaries")
    seed = serializers.IntegerField()
    options = serializers.DictField()
    result = serializers.DictField()
    error = serializers.CharField()
    errors = StepErrorOut(many=True)  # type: ignore[assignment]


class EstimateOut(serializers.Serializer[Any]):
    """Of a dry run; cost is null where the system's configuration names no price."""

    calls = serializers.IntegerField()
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    cost = serializers.FloatField(allow_null=True)
    currency = serializers.CharField()


class ConstructionOut(serializers.Serializer[Any]):
    steps = StepOut(many=True)
    tables = serializers.ListField(child=serializers.DictField(), help_text="as reports give their tables")


class RewriteOut(serializers.ModelSerializer[Rewrite]):
    """One call: what was rewritten, the answer as it came and as it was read, and what it cost."""

    id = serializers.UUIDField(source="public_id")
    step = serializers.CharField(source="step.key")
    document = serializers.CharField(source="document.external_id")
    call = serializers.ChoiceField(Rewrite.Call.choices)
    state = serializers.ChoiceField(RewriteState.choices)

    class Meta:
        model = Rewrite
        fields = [
            *("id", "step", "document", "call", "subject", "attempt", "state", "text", "raw_answer", "texts", "error"),
            *("prompt_hash", "interrupted", "usage", "cost", "versions", "decoding", "seed", "finished_at"),
        ]


class VerdictIn(Strict):
    aspect = serializers.ChoiceField(choices=list(ASPECTS))
    verdict = serializers.ChoiceField(RewriteVerdict.Verdict.choices)


class VerdictOut(serializers.Serializer[Any]):
    aspect = serializers.CharField()
    verdict = serializers.CharField()

"""Serializers of the calls on runs."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.reverse import reverse

from annotation.api.core.serializers import Strict
from annotation.api.sources.serializers import UploadField
from modelbridge.models import OutputState, Run, RunState, SystemOutput
from modelbridge.services.runs.outputs import SampleOutput, metrics_of
from modelbridge.services.runs.run_meters import read_meters
from modelbridge.services.runs.run_progress import progress_of
from modelbridge.services.runs.runs import MAX_BUDGET, MAX_SEED
from modelbridge.services.runs.system_requests import sample_key


class RunIn(Strict):
    system = serializers.CharField(max_length=60, help_text="the key of a system of the project, or a shipped one")
    revision = serializers.IntegerField(min_value=1, max_value=10**6, required=False, help_text="the newest if absent")
    split = serializers.CharField(max_length=20, required=False, default="", allow_blank=True)
    asks = serializers.CharField(
        max_length=300,
        required=False,
        default="",
        allow_blank=True,
        help_text="attributes by commas: only samples that ask for exactly these",
    )
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, required=False, default=0)
    label = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)  # type: ignore[assignment]
    budget = serializers.FloatField(
        required=False,
        allow_null=True,
        default=None,
        min_value=0,
        max_value=MAX_BUDGET,
        help_text="it stops once its outputs have cost so much, in the currency of the system's price",
    )
    over = serializers.CharField(
        max_length=80,
        required=False,
        default="",
        allow_blank=True,
        help_text="of a scorer, rewriter, ranker or judge: references, run:ID, contrastives, ...",
    )
    options = serializers.DictField(
        required=False, help_text="of a judge: question, answers, shows_source, shows_request"
    )


class RunResumeIn(Strict):
    budget = serializers.FloatField(
        required=False, allow_null=True, default=None, min_value=0, max_value=MAX_BUDGET, help_text="instead of its own"
    )


class RunUploadIn(Strict):
    file = UploadField(allow_empty_file=True)
    system = serializers.CharField(max_length=60, required=False, default="", allow_blank=True)
    name = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    split = serializers.CharField(max_length=20, required=False, default="", allow_blank=True)
    label = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)  # type: ignore[assignment]


class ReasonOut(serializers.Serializer[Any]):
    error = serializers.CharField()
    n = serializers.IntegerField()


class RunProgressOut(serializers.Serializer[Any]):
    """Counts of samples; rate in samples per second, null while there is none."""

    total = serializers.IntegerField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField()
    waiting = serializers.IntegerField()
    in_work = serializers.IntegerField()
    flagged = serializers.IntegerField()
    truncated = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True)
    seconds = serializers.FloatField(help_text="of generation, summed over samples")
    cost = serializers.FloatField()
    tokens_in = serializers.IntegerField(help_text="of prompts, as a chat server counts them")
    tokens_out = serializers.IntegerField()
    errors = ReasonOut(many=True)  # type: ignore[assignment]


class WorkerMeterOut(serializers.Serializer[Any]):
    """How busy one worker was with the run."""

    worker = serializers.CharField(help_text="host name and process id")
    device = serializers.CharField()
    outputs = serializers.IntegerField()
    batches = serializers.IntegerField()
    busy_seconds = serializers.FloatField(help_text="in which the system worked on batches")
    idle_seconds = serializers.FloatField(help_text="in which the system waited for its next batch")
    load_seconds = serializers.FloatField(help_text="in which the system was loaded")
    idle_share = serializers.FloatField(allow_null=True, help_text="of busy and idle; null before the second batch")
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    tokens_per_second = serializers.FloatField(allow_null=True, help_text="written while busy; null if none is counted")
    peak_memory = serializers.IntegerField(help_text="bytes, of the GPU or of the system's process")
    hours = serializers.FloatField()
    cost = serializers.FloatField(allow_null=True, help_text="hours times the price of an hour, if the site states one")
    currency = serializers.CharField()


class RunOut(serializers.ModelSerializer[Run]):
    id = serializers.UUIDField(source="public_id")
    system = serializers.CharField(source="revision.system.key")
    revision = serializers.IntegerField(source="revision.number")
    kind = serializers.CharField(source="revision.kind")
    state = serializers.ChoiceField(RunState.choices)
    status_url = serializers.SerializerMethodField()

    class Meta:
        model = Run
        fields = [
            *("id", "status_url", "system", "revision", "kind", "label", "state", "split", "asks", "seed", "n_samples"),
            *("over", "options", "budget", "left_out", "error", "created_at", "started_at", "finished_at"),
        ]

    def get_status_url(self, row: Run) -> str:
        return str(reverse("api-run", kwargs={"public_id": row.public_id}, request=self.context.get("request")))


class RunDetailOut(RunOut):
    """A run and how far it is."""

    progress = serializers.SerializerMethodField()
    workers = serializers.SerializerMethodField()

    class Meta(RunOut.Meta):
        fields = [*RunOut.Meta.fields, "progress", "workers"]

    @extend_schema_field(RunProgressOut)
    def get_progress(self, row: Run) -> dict[str, Any]:
        return dict(RunProgressOut(progress_of(row)).data)

    @extend_schema_field(WorkerMeterOut(many=True))
    def get_workers(self, row: Run) -> list[dict[str, Any]]:
        return [dict(WorkerMeterOut(meter).data) for meter in read_meters(row)]


class OutputOut(serializers.ModelSerializer[SystemOutput]):
    """What a system gave for a sample, and how it came about."""

    id = serializers.UUIDField(source="public_id")
    run = serializers.UUIDField(source="run.public_id")
    system = serializers.CharField(source="run.revision.system.key")
    revision = serializers.IntegerField(source="run.revision.number")
    sample = serializers.UUIDField(source="sample.public_id")
    sample_id = serializers.SerializerMethodField(help_text="{external_id}#{position}")
    state = serializers.ChoiceField(OutputState.choices)

    class Meta:
        model = SystemOutput
        fields = [
            *("id", "run", "system", "revision", "sample", "sample_id", "position", "state", "attempts", "text"),
            *("told", "prompt", "decoding", "seed", "weights", "versions", "truncated", "seconds", "usage"),
            *("candidates", "scores", "flags", "error", "finished_at"),
        ]

    def get_sample_id(self, row: SystemOutput) -> str:
        return sample_key(row.sample)


class SampleOutputOut(OutputOut):
    """An output of one sample, with its measures: each a value with its signature, or why there is none."""

    metrics = serializers.SerializerMethodField()

    class Meta(OutputOut.Meta):
        fields = [*OutputOut.Meta.fields, "metrics"]

    @extend_schema_field({"type": "object", "additionalProperties": {"type": "object"}})
    def get_metrics(self, row: SystemOutput) -> dict[str, Any]:
        metrics: dict[str, Any] = self.context["metrics"].get(row.pk, {})
        return metrics


def sample_outputs(rows: list[SampleOutput]) -> list[dict[str, Any]]:
    """The shown outputs of one sample."""
    metrics = {row.output.pk: metrics_of(row.scores) for row in rows}
    data: list[dict[str, Any]] = list(
        SampleOutputOut([row.output for row in rows], many=True, context={"metrics": metrics}).data
    )
    return data

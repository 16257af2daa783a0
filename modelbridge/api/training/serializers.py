"""Serializers of the calls on trainings."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.reverse import reverse

from annotation.api.core.serializers import Strict, verbatim_text
from modelbridge.models import TrainingGroup, TrainingRun, TrainingState
from modelbridge.services.training import groups, training
from modelbridge.services.training.groups import GroupMember

MAX_TEXTS = 20


class TrainingIn(Strict):
    """Either a configuration, or the key of one that comes with the program."""

    toml = verbatim_text(required=False, help_text="a configuration of a training")
    shipped = serializers.CharField(max_length=60, required=False, help_text="the key of a shipped configuration")


class TrainingGroupIn(TrainingIn):
    grid = serializers.ListField(
        child=serializers.CharField(max_length=500),
        min_length=1,
        max_length=20,
        help_text="one setting each with its values, such as learning_rate=1e-5,3e-5",
    )


class MetricOut(serializers.Serializer[Any]):
    """What was measured at one update."""

    step = serializers.IntegerField()
    split = serializers.CharField()
    values = serializers.DictField()


class ShownTextOut(serializers.Serializer[Any]):
    step = serializers.IntegerField()
    text = serializers.CharField()


class ShownSampleOut(serializers.Serializer[Any]):
    """A dev sample and what the model in training wrote for it, by update."""

    sample_id = serializers.CharField()
    values = serializers.DictField(help_text="what was requested")
    reference = serializers.CharField()
    texts = ShownTextOut(many=True)


class TrainingOut(serializers.ModelSerializer[TrainingRun]):
    """step of steps: updates; best: scores of the best weights so far; system, revision: null until it is done."""

    id = serializers.UUIDField(source="public_id")
    status_url = serializers.SerializerMethodField()
    state = serializers.ChoiceField(TrainingState.choices)
    group = serializers.UUIDField(source="group.public_id", allow_null=True, default=None)
    system = serializers.CharField(source="revision.system.key", allow_null=True, default=None)
    revision = serializers.IntegerField(source="revision.number", allow_null=True, default=None)

    class Meta:
        model = TrainingRun
        fields = [
            *("id", "status_url", "key", "name", "method", "state", "step", "steps", "best", "group", "changes"),
            *("system", "revision", "config_hash", "error", "created_at", "started_at", "finished_at"),
        ]

    def get_status_url(self, row: TrainingRun) -> str:
        return str(reverse("api-training", kwargs={"public_id": row.public_id}, request=self.context.get("request")))


class TrainingDetailOut(TrainingOut):
    """A training with its configuration, result, measurements and texts of the shown dev samples."""

    config = serializers.CharField(source="config_toml", help_text="TOML, as it was started")
    metrics = serializers.SerializerMethodField()
    shown_samples = serializers.SerializerMethodField()

    class Meta(TrainingOut.Meta):
        fields = [*TrainingOut.Meta.fields, "config", "result", "metrics", "shown_samples"]

    @extend_schema_field(MetricOut(many=True))
    def get_metrics(self, row: TrainingRun) -> list[dict[str, Any]]:
        return [dict(MetricOut(one).data) for one in row.metrics.order_by("step", "split")]

    @extend_schema_field(ShownSampleOut(many=True))
    def get_shown_samples(self, row: TrainingRun) -> list[dict[str, Any]]:
        return [
            {
                "sample_id": sample.sample_id,
                "values": sample.values,
                "reference": sample.reference,
                "texts": [{"step": step, "text": text} for step, text in sample.texts],
            }
            for sample in training.list_shown_samples(row, MAX_TEXTS)
        ]


class TrainingGroupOut(serializers.ModelSerializer[TrainingGroup]):
    """axes: the settings that differ and their values."""

    id = serializers.UUIDField(source="public_id")
    status_url = serializers.SerializerMethodField()

    class Meta:
        model = TrainingGroup
        fields = ["id", "status_url", "key", "name", "axes", "created_at"]

    def get_status_url(self, row: TrainingGroup) -> str:
        kwargs = {"public_id": row.public_id}
        return str(reverse("api-training-group", kwargs=kwargs, request=self.context.get("request")))


class CurvePointOut(serializers.Serializer[Any]):
    step = serializers.IntegerField()
    score = serializers.FloatField()


class GroupMemberOut(serializers.Serializer[Any]):
    """One training of a grid. dev: its scores by update, lower is better; best: the lowest, null before the first."""

    label = serializers.CharField(help_text="what sets it apart")  # type: ignore[assignment]
    best = serializers.FloatField(allow_null=True)
    dev = CurvePointOut(many=True)
    training = TrainingOut()


class TrainingGroupDetailOut(TrainingGroupOut):
    """A grid with its trainings in order. winner: id of the training with the lowest score so far, null before any."""

    winner = serializers.UUIDField(allow_null=True)
    members = GroupMemberOut(many=True)

    class Meta(TrainingGroupOut.Meta):
        fields = [*TrainingGroupOut.Meta.fields, "winner", "members"]

    def to_representation(self, row: TrainingGroup) -> dict[str, Any]:
        members = groups.list_members(row)
        winner = groups.find_winner(members)
        shape = GroupMemberOut([_describe_member(member) for member in members], many=True, context=self.context)
        return {
            **TrainingGroupOut(row, context=self.context).data,
            "winner": str(winner.training.public_id) if winner is not None else None,
            "members": shape.data,
        }


def _describe_member(member: GroupMember) -> dict[str, Any]:
    curve = [{"step": step, "score": score} for step, score in member.curve]
    return {"label": member.label, "best": member.best, "dev": curve, "training": member.training}

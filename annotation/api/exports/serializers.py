"""Serializers of exports. Unknown fields are refused, so that a typing mistake is reported."""

from typing import Any

from rest_framework import serializers

from annotation.api.core.serializers import Strict
from annotation.models import Release
from annotation.services.core.withdrawn_people import withdrawals_affecting
from annotation.services.exports import exporting

LOW, HIGH = -(2**63), 2**63 - 1
AUTHORSHIP = "add how summaries came about, as shares, where their writers agreed"


class DatasetReleaseOut(serializers.ModelSerializer[Release]):
    id = serializers.UUIDField(source="public_id")
    withdrawals = serializers.SerializerMethodField(help_text="why it cannot be built again byte for byte; usually []")

    class Meta:
        model = Release
        fields = ["id", "tag", "filters", "split_seed", "content_hash", "created_at", "withdrawals"]

    def get_withdrawals(self, row: Release) -> list[dict[str, Any]]:
        return withdrawals_affecting(row, self.context.get("withdrawals"))


class ExportIn(Strict):
    format = serializers.ChoiceField(tuple(exporting.FORMATS), required=False, default="jsonl")
    state = serializers.ChoiceField(exporting.STATES, required=False)
    overlap = serializers.ChoiceField(
        exporting.OVERLAPS, required=False, help_text="marked: of a compared sample only the marked summary"
    )
    split = serializers.ChoiceField(exporting.SPLITS, required=False)
    split_seed = serializers.IntegerField(min_value=LOW, max_value=HIGH, required=False)
    shares = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=100),
        min_length=3,
        max_length=3,
        required=False,
        help_text="percent of train, dev and test; the schema's where not given",
    )
    release = serializers.CharField(max_length=60, required=False, help_text="a new tag is frozen by the job")
    authorship = serializers.BooleanField(required=False, default=False, help_text=AUTHORSHIP)

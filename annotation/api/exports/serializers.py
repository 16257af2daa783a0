"""Serializers of exports. Unknown fields are refused, so that a typing mistake is reported."""

from typing import Any

from rest_framework import serializers

from annotation.models import Release
from annotation.services.core.withdrawn_people import withdrawals_affecting


class DatasetReleaseOut(serializers.ModelSerializer[Release]):
    id = serializers.UUIDField(source="public_id")
    withdrawals = serializers.SerializerMethodField(help_text="why it cannot be built again byte for byte; usually []")

    class Meta:
        model = Release
        fields = ["id", "tag", "filters", "split_seed", "content_hash", "created_at", "withdrawals"]

    def get_withdrawals(self, row: Release) -> list[dict[str, Any]]:
        return withdrawals_affecting(row, self.context.get("withdrawals"))

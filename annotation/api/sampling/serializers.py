"""Serializers of sampling. Unknown fields are refused, so that a typing mistake is reported."""

from rest_framework import serializers

from annotation.models import Sample


class SampleOut(serializers.ModelSerializer[Sample]):
    id = serializers.UUIDField(source="public_id")
    sample_id = serializers.SerializerMethodField(help_text="{external_id}#{position}")
    source_id = serializers.CharField(source="document.external_id")
    group = serializers.IntegerField(source="group.position")
    attributes = serializers.DictField()

    class Meta:
        model = Sample
        fields = [
            *("id", "sample_id", "source_id", "group", "position"),
            *("attributes", "combination", "seed", "sampler", "state"),
        ]

    def get_sample_id(self, row: Sample) -> str:
        return f"{row.document.external_id}#{row.position}"

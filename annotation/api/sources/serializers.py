"""Serializers of sources. Unknown fields are refused, so that a typing mistake is reported."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.api.core.serializers import Strict
from annotation.models import SourceDocument


class DocumentOut(serializers.ModelSerializer[SourceDocument]):
    id = serializers.UUIDField(source="public_id")

    class Meta:
        model = SourceDocument
        fields = [
            "id",
            "external_id",
            "origin_id",
            "title",
            "split",
            "licence",
            "may_release_text",
            "n_segments",
            "n_words",
            "n_tokens",
            "selected",
            "damaged",
            "extractor",
            "created_at",
        ]


class Segment(serializers.Serializer[Any]):
    """A turn, or a sentence of a document."""

    speaker = serializers.CharField(help_text="empty in documents")
    text = serializers.CharField()
    before = serializers.CharField(required=False, help_text="white space before the first")
    after = serializers.CharField(
        required=False, help_text="white space up to the next, where it is not one blank (nothing after the last)"
    )


class CandidateOut(serializers.Serializer[Any]):
    kind = serializers.CharField()
    text = serializers.CharField()
    rank = serializers.IntegerField()
    score = serializers.FloatField(allow_null=True)
    mentions = serializers.IntegerField()
    words = serializers.IntegerField()
    extractor = serializers.CharField()


class DocumentDetailOut(DocumentOut):
    segments = serializers.SerializerMethodField()
    metadata = serializers.SerializerMethodField()
    candidates = serializers.SerializerMethodField()
    damaged_reason = serializers.CharField()

    class Meta(DocumentOut.Meta):
        fields = [*DocumentOut.Meta.fields, "damaged_reason", "metadata", "segments", "candidates"]

    @extend_schema_field(Segment(many=True))
    def get_segments(self, row: SourceDocument) -> list[dict[str, str]]:
        return row.source_text.segments

    def get_metadata(self, row: SourceDocument) -> dict[str, Any]:
        return row.metadata

    @extend_schema_field(CandidateOut(many=True))
    def get_candidates(self, row: SourceDocument) -> list[dict[str, Any]]:
        return [dict(CandidateOut(c).data) for c in row.candidates.order_by("kind", "rank")]


class DamageIn(Strict):
    damaged = serializers.BooleanField()
    reason = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)

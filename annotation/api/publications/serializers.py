"""Serializers of publications. Unknown fields are refused, so that a typing mistake is reported."""

from typing import Any

from rest_framework import serializers

from annotation.api.core.serializers import Strict
from annotation.api.exports.serializers import HIGH, LOW
from annotation.models import HitDecision, HitKind, Publication, PublicationHit
from annotation.services.exports import exporting
from annotation.services.publications import publications
from annotation.services.publications.dataset_facts import preview_facts
from epitome.publication.datasheet import list_gaps

DECISIONS = tuple(decision.value for decision in HitDecision if decision.value)


class PublicationIn(Strict):
    tag = serializers.CharField(max_length=60, help_text="of a release; a new tag is frozen by the first check")
    state = serializers.ChoiceField(
        exporting.STATES, required=False, help_text="of a new release; accepted where not given"
    )
    split_seed = serializers.IntegerField(
        min_value=LOW, max_value=HIGH, required=False, help_text="of a new release: draws splits by origin"
    )


class DescriptionIn(Strict):
    title = serializers.CharField(required=False, allow_blank=True, max_length=publications.MAX_LINE)
    summary = serializers.CharField(required=False, allow_blank=True, max_length=publications.MAX_TEXT)
    authors = serializers.CharField(required=False, allow_blank=True, max_length=publications.MAX_TEXT)
    licence = serializers.CharField(required=False, allow_blank=True, max_length=publications.MAX_LINE)
    contact = serializers.CharField(required=False, allow_blank=True, max_length=publications.MAX_TEXT)
    homepage = serializers.CharField(required=False, allow_blank=True, max_length=publications.MAX_LINE)
    citation = serializers.CharField(required=False, allow_blank=True, max_length=publications.MAX_TEXT)
    answers = serializers.DictField(
        child=serializers.CharField(allow_blank=True, max_length=publications.MAX_TEXT),
        required=False,
        help_text="of the datasheet, by the key of their question",
    )


class PublicationChangesIn(Strict):
    description = DescriptionIn(required=False)
    unlicensed = serializers.ChoiceField(publications.UNLICENSED, required=False)
    leaks = serializers.ChoiceField(publications.LEAKS, required=False)


class PublicationOut(serializers.ModelSerializer[Publication]):
    id = serializers.UUIDField(source="public_id")
    checks = serializers.SerializerMethodField(help_text="what the last check gave; {} before the first")
    hits = serializers.SerializerMethodField(help_text="places that look like personal data")
    undecided = serializers.SerializerMethodField()
    obstacles = serializers.SerializerMethodField(help_text="why it cannot be written yet; [] when it can")
    gaps = serializers.SerializerMethodField(help_text="keys of the questions of the datasheet without an answer")

    class Meta:
        model = Publication
        fields = [
            *("id", "tag", "description", "choices", "checks", "checked_at", "created_at"),
            *("hits", "undecided", "obstacles", "gaps"),
        ]

    def get_checks(self, row: Publication) -> dict[str, Any]:
        return {name: value for name, value in row.checks.items() if name not in ("leave", "counts")}

    def get_hits(self, row: Publication) -> int:
        return row.hits.count()

    def get_undecided(self, row: Publication) -> int:
        return publications.undecided_hits(row).count()

    def get_obstacles(self, row: Publication) -> list[str]:
        return publications.list_obstacles(row)

    def get_gaps(self, row: Publication) -> list[str]:
        return [question.key for question in list_gaps(preview_facts(row))]


class PublicationLineOut(serializers.ModelSerializer[Publication]):
    id = serializers.UUIDField(source="public_id")

    class Meta:
        model = Publication
        fields = ["id", "tag", "choices", "checked_at", "created_at"]


class PublicationHitOut(serializers.ModelSerializer[PublicationHit]):
    id = serializers.UUIDField(source="public_id")
    source_id = serializers.CharField(source="document.external_id")

    class Meta:
        model = PublicationHit
        fields = ["id", "kind", "source_id", "sample_key", "field", "segment", "start", "end", "decision"]


class HitDecisionsIn(Strict):
    decision = serializers.ChoiceField(DECISIONS)
    hits = serializers.ListField(
        child=serializers.UUIDField(), required=False, max_length=1000, help_text="ids; or kind instead"
    )
    kind = serializers.ChoiceField(HitKind.values, required=False, help_text="all undecided places of this kind")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("hits" in attrs) == ("kind" in attrs):
            raise serializers.ValidationError({"hits": ["Name either the places or a kind."]})
        return attrs


class HitDecisionsOut(serializers.Serializer[Any]):
    changed = serializers.IntegerField(help_text="places that had another decision")


class UploadIn(Strict):
    repository = serializers.CharField(max_length=140, help_text="owner/name on the hub of this site")
    private = serializers.BooleanField(required=False, default=True)

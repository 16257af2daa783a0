"""Serializers of the calls on systems."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.api.core.serializers import Strict, verbatim_text
from modelbridge.models import System, SystemRevision
from modelbridge.services.runs.warm_systems import list_warm_workers


class SystemIn(Strict):
    """Either a configuration, or the key of one that comes with the program."""

    toml = verbatim_text(required=False, help_text="a configuration")
    shipped = serializers.CharField(max_length=60, required=False, help_text="the key of a shipped configuration")


class RevisionOut(serializers.ModelSerializer[SystemRevision]):
    id = serializers.UUIDField(source="public_id")

    class Meta:
        model = SystemRevision
        fields = ["id", "number", "kind", "role", "config_hash", "created_at"]


class SystemOut(serializers.ModelSerializer[System]):
    id = serializers.UUIDField(source="public_id")
    revisions = serializers.SerializerMethodField()

    class Meta:
        model = System
        fields = ["id", "key", "name", "created_at", "revisions"]

    @extend_schema_field(RevisionOut(many=True))
    def get_revisions(self, row: System) -> list[dict[str, Any]]:
        newest_first = sorted(row.revisions.all(), key=lambda revision: -revision.number)
        return [dict(self.revision_shape(item).data) for item in newest_first]

    revision_shape: type[RevisionOut] = RevisionOut


class RevisionDetailOut(RevisionOut):
    config = serializers.CharField(source="config_toml", help_text="TOML, as it was registered")
    warm_workers = serializers.SerializerMethodField(help_text="running workers that have it loaded")

    class Meta(RevisionOut.Meta):
        fields = [*RevisionOut.Meta.fields, "config", "warm_workers"]

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_warm_workers(self, row: SystemRevision) -> list[str]:
        return list_warm_workers(row.config_hash)


class SystemDetailOut(SystemOut):
    """A system with the text of every revision."""

    revision_shape = RevisionDetailOut

    @extend_schema_field(RevisionDetailOut(many=True))
    def get_revisions(self, row: System) -> list[dict[str, Any]]:
        return super().get_revisions(row)


class RegisteredOut(RevisionDetailOut):
    system = serializers.UUIDField(source="system.public_id")
    key = serializers.CharField(source="system.key")

    class Meta(RevisionDetailOut.Meta):
        fields = ["system", "key", *RevisionDetailOut.Meta.fields]

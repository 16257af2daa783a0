"""Serializers of the calls on systems."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.api.core.serializers import Strict, verbatim_text
from modelbridge.models import System, SystemRevision


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

    class Meta(RevisionOut.Meta):
        fields = [*RevisionOut.Meta.fields, "config"]


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

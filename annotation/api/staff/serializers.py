"""Serializers of summaries and of bulk actions on tasks."""

import json
import uuid
from datetime import datetime
from typing import Any, NamedTuple

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.api.core.serializers import Strict
from annotation.models import Annotation, Assignment, BulkAction
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.staff import bulk_actions, reannotation, reassignment
from annotation.services.tasks import reservations

IMPORTED = "imported"
STATES = ("submitted", "returned", "accepted", "rejected", "surplus", "void", IMPORTED)

TIME = serializers.DateTimeField()


class AnnotationContext(NamedTuple):
    """What depends on the project and on who asks. names: whether they see the names of people."""

    pseudonyms: Pseudonyms
    names: bool


class AnnotationLine(NamedTuple):
    """The columns of an annotation that its JSON needs; those of a sample, an attempt or its group are None without."""

    key: int
    id: uuid.UUID
    origin: str
    raw_json: str
    revision: int
    payload: dict[str, Any]
    assistance: str
    band_shown: dict[str, Any]
    timings: dict[str, Any]
    suggestion: dict[str, Any]
    surplus: bool
    created_at: datetime
    position: int | None
    sample_source: str | None
    sample_document: uuid.UUID | None
    assignment: uuid.UUID | None
    state: str | None
    group_source: str | None
    group_document: uuid.UUID | None
    writer: int | None
    username: str | None
    schema_version: int
    guideline_version: int | None

    def read_restored(self) -> dict[str, Any]:
        """What a line that came with an export said; it has no attempt of a person of this site."""
        if self.origin != Annotation.Origin.RESTORED or not self.raw_json:
            return {}
        line: dict[str, Any] = json.loads(self.raw_json)
        return line


def read_only_text(help_text: str) -> serializers.CharField:
    return serializers.CharField(read_only=True, allow_null=True, help_text=help_text)


class AnnotationOut(serializers.Serializer[Any]):
    """One submitted revision, or an imported summary. What a restored one says of itself is in its payload's line."""

    id = serializers.UUIDField(source="public_id")
    sample_id = read_only_text("{external_id}#{position}; null where topics were chosen")
    source_id = read_only_text("external id of the source")
    document = serializers.UUIDField(read_only=True, allow_null=True, help_text="id of the source")
    assignment = serializers.UUIDField(
        read_only=True, allow_null=True, help_text="id of the attempt; null for imported ones"
    )
    state = serializers.SerializerMethodField(help_text="of the attempt, or imported")
    origin = serializers.ChoiceField(Annotation.Origin.choices)
    revision = serializers.IntegerField()
    annotator = read_only_text("the pseudonym that exports use")
    username = read_only_text("for researchers and admins")
    payload = serializers.DictField(help_text="of the task's kind: summary, title, relevant_segments, spans")
    schema_version = serializers.IntegerField()
    guideline_version = serializers.IntegerField(read_only=True, allow_null=True)
    assistance = serializers.CharField()
    band_shown = serializers.DictField()
    timings = serializers.DictField()
    suggestion = serializers.DictField(
        help_text="of a suggested text: origin, hash, kept, of_text, identical (see the export format); empty without"
    )
    surplus = serializers.BooleanField()
    created_at = serializers.DateTimeField()

    def to_representation(self, instance: AnnotationLine) -> dict[str, Any]:
        """Written out: DRF asks each of nineteen fields for its part of each of fifty rows."""
        context: AnnotationContext = self.context["of_annotations"]
        restored = instance.read_restored()
        is_attempt = instance.assignment is not None
        return {
            "id": str(instance.id),
            "sample_id": f"{instance.sample_source}#{instance.position}" if instance.position is not None else None,
            "source_id": instance.sample_source if instance.position is not None else instance.group_source,
            "document": instance.sample_document if instance.position is not None else instance.group_document,
            "assignment": instance.assignment,
            "state": self.get_state(instance),
            "origin": instance.origin,
            "revision": instance.revision,
            "annotator": context.pseudonyms.of(instance.writer) if is_attempt else restored.get("annotator"),
            "username": instance.username if is_attempt and context.names else None,
            "payload": instance.payload,
            "schema_version": instance.schema_version,
            "guideline_version": instance.guideline_version,
            "assistance": instance.assistance,
            "band_shown": instance.band_shown,
            "timings": instance.timings,
            "suggestion": instance.suggestion,
            "surplus": instance.surplus,
            "created_at": TIME.to_representation(instance.created_at),
        }

    @extend_schema_field(serializers.ChoiceField(STATES))
    def get_state(self, line: AnnotationLine) -> str:
        return line.state if line.state is not None else str(line.read_restored().get("state", IMPORTED))


class AffectedOut(serializers.ModelSerializer[Assignment]):
    id = serializers.UUIDField(source="public_id", help_text="of the attempt")
    source_id = serializers.CharField(source="group.document.external_id")
    username = serializers.CharField(source="annotator.username")
    guideline = serializers.IntegerField(source="guideline_version.number")

    class Meta:
        model = Assignment
        fields = ["id", "source_id", "username", "guideline", "state", "finished_at"]


class BatchIn(Strict):
    action = serializers.ChoiceField(
        list(reannotation.ACTIONS), help_text="return: its writer revises it; reopen: void, the place open again"
    )
    assignments = serializers.ListField(child=serializers.UUIDField(), min_length=1, max_length=reannotation.MAX_BATCH)
    dry_run = serializers.BooleanField(default=False)


class BatchOut(serializers.Serializer[Any]):
    action = serializers.CharField()
    attempts = serializers.ListField(child=serializers.UUIDField())
    writers = serializers.IntegerField()
    left = serializers.IntegerField(help_text="not affected, or changed meanwhile: left alone")


class BulkAsked(Strict):
    kind = serializers.ChoiceField([kind.value for kind in bulk_actions.KINDS])
    person = serializers.CharField(max_length=150, help_text="account: whose tasks; for reserve, who is to get places")
    to = serializers.CharField(max_length=150, required=False, default="", help_text="reassign: who gets the tasks")
    since = serializers.DateField(required=False, allow_null=True, default=None, help_text="void: first day")
    until = serializers.DateField(required=False, allow_null=True, default=None, help_text="void: last day")
    n = serializers.IntegerField(min_value=0, max_value=reassignment.MAX_PLACES, required=False, default=0)
    days = serializers.IntegerField(
        min_value=1,
        max_value=reservations.MAX_DAYS,
        required=False,
        default=reservations.DAYS,
        help_text="places are kept",
    )


class BulkIn(BulkAsked):
    expect = serializers.IntegerField(min_value=0, help_text="the number of attempts that the preview told")


class BulkPreviewOut(serializers.Serializer[Any]):
    attempts = serializers.IntegerField()
    samples = serializers.IntegerField()
    states = serializers.DictField(child=serializers.IntegerField())
    had = serializers.IntegerField(help_text="reassign: stay where they are, the other person had the sample")


class BulkOut(serializers.ModelSerializer[BulkAction]):
    id = serializers.UUIDField(source="public_id")
    kind = serializers.CharField()
    person = serializers.CharField(source="person.username", allow_null=True, default=None)
    to = serializers.CharField(source="other.username", allow_null=True, default=None)
    tasks = serializers.SerializerMethodField()

    class Meta:
        model = BulkAction
        fields = ["id", "kind", "person", "to", "since", "until", "tasks", "at", "undone_at", "restored"]

    def get_tasks(self, row: BulkAction) -> int:
        return len(row.items)


class UndoneOut(serializers.Serializer[Any]):
    restored = serializers.IntegerField()


class FreezeIn(Strict):
    frozen = serializers.BooleanField()


class FrozenOut(serializers.Serializer[Any]):
    frozen_at = serializers.DateTimeField(allow_null=True)

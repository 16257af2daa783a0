"""Serializers of summaries and of bulk actions on tasks."""

import json
import uuid
from typing import Any, NamedTuple

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.api.core.serializers import Strict
from annotation.models import Annotation, Assignment, BulkAction, SourceDocument
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.staff import bulk_actions, reannotation, reassignment
from annotation.services.tasks import reservations

IMPORTED = "imported"
STATES = ("submitted", "returned", "accepted", "rejected", "surplus", "void", IMPORTED)


class AnnotationContext(NamedTuple):
    """What depends on the project and on who asks. names: whether they see the names of people."""

    pseudonyms: Pseudonyms
    names: bool


class AnnotationOut(serializers.Serializer[Any]):
    """One submitted revision, or an imported summary. What a restored one says of itself is in its payload's line."""

    id = serializers.UUIDField(source="public_id")
    sample_id = serializers.SerializerMethodField(help_text="{external_id}#{position}; null where topics were chosen")
    source_id = serializers.SerializerMethodField(help_text="external id of the source")
    document = serializers.SerializerMethodField(help_text="id of the source")
    assignment = serializers.UUIDField(
        source="assignment.public_id",
        read_only=True,
        allow_null=True,
        help_text="id of the attempt; null for imported ones",
    )
    state = serializers.SerializerMethodField(help_text="of the attempt, or imported")
    origin = serializers.ChoiceField(Annotation.Origin.choices)
    revision = serializers.IntegerField()
    annotator = serializers.SerializerMethodField(help_text="the pseudonym that exports use")
    username = serializers.SerializerMethodField(help_text="for researchers and admins")
    payload = serializers.DictField(help_text="of the task's kind: summary, title, relevant_segments, spans")
    schema_version = serializers.IntegerField(source="schema_version.number")
    guideline_version = serializers.IntegerField(source="guideline_version.number", read_only=True, allow_null=True)
    assistance = serializers.CharField()
    band_shown = serializers.DictField()
    timings = serializers.DictField()
    suggestion = serializers.DictField(
        help_text="of a suggested text: origin, hash, kept, of_text, identical (see the export format); empty without"
    )
    surplus = serializers.BooleanField()
    created_at = serializers.DateTimeField()

    def get_sample_id(self, row: Annotation) -> str | None:
        return f"{row.sample.document.external_id}#{row.sample.position}" if row.sample else None

    def get_source_id(self, row: Annotation) -> str | None:
        source = _find_source(row)
        return source.external_id if source else None

    def get_document(self, row: Annotation) -> uuid.UUID | None:
        source = _find_source(row)
        return source.public_id if source else None

    @extend_schema_field(serializers.ChoiceField(STATES))
    def get_state(self, row: Annotation) -> str:
        return row.assignment.state if row.assignment else str(_read_restored(row).get("state", IMPORTED))

    def get_annotator(self, row: Annotation) -> str | None:
        if row.assignment is None:
            return _read_restored(row).get("annotator")
        context: AnnotationContext = self.context["of_annotations"]
        return context.pseudonyms.of(row.assignment.annotator_id)

    def get_username(self, row: Annotation) -> str | None:
        context: AnnotationContext = self.context["of_annotations"]
        return row.assignment.annotator.username if row.assignment and context.names else None


def _find_source(row: Annotation) -> SourceDocument | None:
    """The source of its sample; where topics were chosen, that of their group."""
    if row.sample is not None:
        return row.sample.document
    return row.assignment.group.document if row.assignment is not None else None


def _read_restored(row: Annotation) -> dict[str, Any]:
    """What an imported line of an export said; it has no attempt of a person of this site."""
    if row.origin != Annotation.Origin.RESTORED or not row.raw_json:
        return {}
    line: dict[str, Any] = json.loads(row.raw_json)
    return line


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
    expect = serializers.IntegerField(min_value=0, help_text="the number of attempts that the preview reported")


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

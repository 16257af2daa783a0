"""Serializers of inspections."""

from typing import Any

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers

from annotation.api.core.serializers import Strict
from annotation.models import Inspection, InspectionSample, Verdict
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.inspection import queue as queue_service
from annotation.services.inspection import verdicts as inspection_verdicts
from annotation.services.inspection.verdicts import MAX_COMMENT


def _comment_field(**options: Any) -> serializers.CharField:
    return serializers.CharField(max_length=MAX_COMMENT, trim_whitespace=False, **options)


class PartIn(Strict):
    verdict = serializers.ChoiceField(Verdict.choices)
    comment = _comment_field(required=False, allow_blank=True)


class OnTextIn(Strict):
    """A comment on words of the summary."""

    start = serializers.IntegerField(
        min_value=0, max_value=inspection_verdicts.MAX_OFFSET, help_text="code points, inclusive"
    )
    end = serializers.IntegerField(
        min_value=1, max_value=inspection_verdicts.MAX_OFFSET, help_text="code points, exclusive"
    )
    quote = serializers.CharField(trim_whitespace=False, help_text="the text of this range")
    comment = _comment_field()


class InspectionIn(Strict):
    verdicts = serializers.DictField(child=PartIn(), help_text="one for every part that the annotation names")
    comments = serializers.ListField(child=OnTextIn(), required=False, max_length=inspection_verdicts.MAX_COMMENTS)
    comment = _comment_field(required=False, allow_blank=True)


class InspectionOut(serializers.Serializer[Any]):
    id = serializers.UUIDField(source="public_id")
    annotation = serializers.UUIDField(source="annotation.public_id")
    revision = serializers.IntegerField(source="annotation.revision")
    second = serializers.BooleanField(help_text="a second look, for the agreement; it changed no state")
    own = serializers.SerializerMethodField(help_text="whether the caller gave it")
    verdict = serializers.ChoiceField(Verdict.choices, help_text="the strictest of the parts")
    verdicts = serializers.DictField(child=PartIn())
    comments = serializers.ListField(child=OnTextIn())
    comment = serializers.CharField()
    seconds = serializers.FloatField(allow_null=True)
    created_at = serializers.DateTimeField()

    def get_own(self, row: Inspection) -> bool:
        return bool(row.reviewer_id == self.context["caller"].pk)


class QueueRowOut(serializers.Serializer[Any]):
    """One look that a week's sample asks for."""

    annotation = serializers.UUIDField(source="newest", help_text="what to inspect: the newest revision")
    sample_id = serializers.SerializerMethodField(help_text="{external_id}#{position}")
    annotator = serializers.SerializerMethodField(help_text="the pseudonym that exports use")
    week = serializers.CharField()
    second = serializers.BooleanField()
    reason = serializers.ChoiceField(InspectionSample.Reason.choices)
    inspected = serializers.SerializerMethodField()
    open = serializers.SerializerMethodField(help_text="whether the caller can give the verdict now")

    def get_sample_id(self, row: Any) -> str:
        return f"{row.annotation.sample.document.external_id}#{row.annotation.sample.position}"

    def get_annotator(self, row: Any) -> str | None:
        pseudonyms: Pseudonyms = self.context["pseudonyms"]
        return pseudonyms.of(row.annotator_id)

    def get_inspected(self, row: Any) -> bool:
        return row.verdict is not None

    def get_open(self, row: Any) -> bool:
        return queue_service.can_inspect(row, self.context["caller"])


class InspectionDrawIn(Strict):
    week = serializers.CharField(max_length=8, required=False, help_text="as in 2026-W47; the running one if absent")


DRAWN_SHAPE = inline_serializer(
    name="InspectionDrawn", fields={"week": serializers.CharField(), "added": serializers.IntegerField()}
)


PART_SHAPE = inline_serializer(
    name="InspectionPart",
    fields={
        "key": serializers.CharField(),
        "label": serializers.CharField(),
        "value": serializers.JSONField(allow_null=True),
    },
    many=True,
)


INSPECTIONS_SHAPE = inline_serializer(
    name="AnnotationInspections",
    fields={
        "parts": PART_SHAPE,
        "open": serializers.BooleanField(help_text="whether the caller can give a verdict now"),
        "reason": serializers.CharField(help_text="why not: own, inspected, superseded, closed; empty where open"),
        "inspections": serializers.ListField(
            child=InspectionOut(), help_text="shown only when the caller has no verdict left to give"
        ),
    },
)

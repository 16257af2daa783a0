"""Serializers of sources. Unknown fields are refused, so that a typing mistake is reported."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ParseError

from annotation.api.core.parsing import parse_json
from annotation.api.core.serializers import Strict
from annotation.models import SourceDocument
from annotation.models.sources import MOST_PRIORITY
from annotation.services.sources import import_types
from epitome.formats.answers import STATES
from epitome.formats.encodings import ENCODINGS
from epitome.formats.options import SUMMARY_LISTS
from epitome.formats.request_values import SEPARATORS


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
            "priority",
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


class PrioritiesIn(Strict):
    priorities = serializers.DictField(
        child=serializers.IntegerField(min_value=-MOST_PRIORITY, max_value=MOST_PRIORITY),
        allow_empty=False,
        help_text="external id -> whole number; 0 is usual",
    )


class PrioritiesOut(serializers.Serializer[Any]):
    changed = serializers.IntegerField(help_text="sources that had another priority")


class SelectionIn(Strict):
    n = serializers.IntegerField(min_value=1, max_value=10**7)
    seed = serializers.IntegerField(min_value=-(2**63), max_value=2**63 - 1, required=False, default=0)


class SelectionOut(serializers.Serializer[Any]):
    """A recorded random selection: the same seed over the same ids selects the same ones."""

    n = serializers.IntegerField()
    seed = serializers.IntegerField()
    algorithm = serializers.CharField()
    ids_hash = serializers.CharField(help_text="SHA-256 of the sorted external ids chosen from")
    created_at = serializers.DateTimeField()


class SelectionMadeOut(SelectionOut):
    chosen = serializers.ListField(child=serializers.CharField(), help_text="external ids, sorted")


@extend_schema_field({"type": "string", "description": 'JSON: our field -> the file\'s column, {"text": "body"}'})
class MappingField(serializers.CharField):
    """Column names as a JSON object of texts."""

    def to_internal_value(self, data: Any) -> Any:
        text = super().to_internal_value(data)
        try:
            mapping = parse_json(text)
        except ParseError as error:
            raise serializers.ValidationError(str(error.detail)) from None
        if not (isinstance(mapping, dict) and all(isinstance(value, str) for value in mapping.values())):
            raise serializers.ValidationError(_('Write a JSON object of texts, such as {"text": "body"}.'))
        return mapping


@extend_schema_field({"type": "string", "description": 'JSON object of texts, {"set": "readability"}'})
class TextsField(MappingField):
    """Names and values as a JSON object of texts."""


@extend_schema_field(OpenApiTypes.BINARY)
class UploadField(serializers.FileField):
    """The file itself."""


class Flag(serializers.BooleanField):
    """A switch whose absence from a form means its default, not "off"."""

    default_empty_html = serializers.empty


class ImportIn(Strict):
    file = UploadField(allow_empty_file=True)
    format = serializers.ChoiceField(import_types.FORMATS, required=False, default="auto")
    split = serializers.CharField(max_length=20, required=False, allow_blank=True)
    with_references = Flag(required=False, default=False)
    dry_run = Flag(required=False, default=False)
    partial = Flag(required=False, default=False)  # type: ignore[assignment]
    max_words = serializers.IntegerField(min_value=1, max_value=10**9, required=False)
    licence = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    may_release_text = Flag(required=False, default=False)
    mapping = MappingField(max_length=20_000, required=False)
    list_separator = serializers.ChoiceField(
        SEPARATORS, required=False, default=SEPARATORS[0], help_text="of lists in a cell"
    )
    summary_metadata = TextsField(max_length=20_000, required=False, help_text="kept with every summary of the file")
    add_summaries = Flag(
        required=False, default=False, help_text="also to sources that have summaries of an earlier import"
    )
    answer_states = serializers.MultipleChoiceField(
        choices=STATES, required=False, help_text="states of answers that become summaries (default: submitted)"
    )
    summary_lists = serializers.ChoiceField(
        SUMMARY_LISTS,
        required=False,
        default=SUMMARY_LISTS[0],
        help_text="what a list of texts in a cell of summaries is: several, or one in pieces such as sentences",
    )
    encoding = serializers.ChoiceField(
        list(ENCODINGS), required=False, help_text="of text that is not UTF-8 (default: guessed, which `notes` say)"
    )
    text_from = UploadField(required=False, help_text="texts of rows that have none, by id: JSON lines or CSV")


class ImportPreviewOut(serializers.Serializer[Any]):
    format = serializers.CharField()
    columns = serializers.ListField(child=serializers.CharField())
    encoding = serializers.CharField(help_text="in which the text of the file is read")
    mapping = serializers.DictField(child=serializers.CharField(), help_text="our field -> the file's column")
    row_ids = serializers.BooleanField(help_text="ids are made of the file's name and the row numbers")
    summary_lists = serializers.CharField(help_text="what a list of texts in a cell of summaries is read as")
    layout = serializers.CharField(help_text="the public data set whose layout it is, as far as known")
    doubts = serializers.ListField(
        child=serializers.DictField(), help_text="`field`, the column `chosen` for it, and `others` it could be"
    )
    rows = serializers.ListField(child=serializers.DictField(), help_text="the first rows, as the file has them")
    sources = serializers.ListField(child=serializers.CharField(), help_text="ids of the first sources")
    read_as = serializers.ListField(child=serializers.DictField(), help_text="the first sources, as they would be read")
    counts = serializers.DictField(help_text="of the part that was read; the whole file where `is_whole`")
    notes = serializers.ListField(child=serializers.CharField())
    faults = serializers.ListField(child=serializers.CharField())

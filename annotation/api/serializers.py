"""Request and response shapes of the API, apart from tasks. Unknown fields are refused, so that typos are noticed."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.reverse import reverse

from annotation.models import ApiToken, Job, JobState, Membership, Project, Release, Role, Sample, SourceDocument
from annotation.services.projects import MAX_TEXT
from annotation.services.withdrawn import withdrawals_affecting


class Strict(serializers.Serializer[Any]):
    """Refuses fields it does not know, naming each."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            unknown = [key for key in data if key not in self.fields]
            if unknown:
                raise serializers.ValidationError({str(key)[:60]: [_("There is no such field.")] for key in unknown})
        return super().to_internal_value(data)


def verbatim_text(**options: Any) -> serializers.CharField:
    """A text field that keeps leading and trailing white space."""
    return serializers.CharField(max_length=MAX_TEXT, trim_whitespace=False, **options)


class ProjectOut(serializers.ModelSerializer[Project]):
    id = serializers.UUIDField(source="public_id")

    class Meta:
        model = Project
        fields = [
            "id",
            "slug",
            "name",
            "kind",
            "domain",
            "preset",
            "language",
            "timezone",
            "overlap",
            "claim_unit",
            "phases",
            "assistance",
            "lease_minutes",
            "skip_limit",
            "created_at",
        ]


class ProjectSettingsIn(Strict):
    name = serializers.CharField(max_length=200, required=False)
    language = serializers.CharField(max_length=20, required=False)
    timezone = serializers.CharField(max_length=60, required=False)
    overlap = serializers.IntegerField(min_value=1, max_value=50, required=False)
    claim_unit = serializers.ChoiceField(Project.ClaimUnit.choices, required=False)
    phases = serializers.ChoiceField(Project.Phases.choices, required=False)
    assistance = serializers.ChoiceField(Project.Assistance.choices, required=False)
    lease_minutes = serializers.IntegerField(min_value=1, max_value=1440, required=False)
    skip_limit = serializers.IntegerField(min_value=1, max_value=50, required=False)


class ProjectIn(ProjectSettingsIn):
    slug = serializers.SlugField(max_length=60)
    schema = serializers.CharField(
        max_length=60, required=False, help_text="a preset: macsum-doc, macsum-dial, ccsbench"
    )
    schema_text = verbatim_text(required=False, help_text="one's own schema instead, as TOML")
    guideline = verbatim_text(required=False, help_text="Markdown; the preset's where absent")


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


class JobStarted(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    status_url = serializers.CharField()


class JobOut(serializers.ModelSerializer[Job]):
    """A job in a list."""

    id = serializers.UUIDField(source="public_id")
    project = serializers.SlugRelatedField[Project](slug_field="slug", read_only=True)

    class Meta:
        model = Job
        fields = [
            "id",
            "kind",
            "project",
            "state",
            "attempts",
            "max_attempts",
            "progress_done",
            "progress_total",
            "progress_note",
            "error",
            "created_at",
            "started_at",
            "finished_at",
        ]


class JobDetailOut(JobOut):
    """A job with what it brought and the first 100 faults of its input."""

    result = serializers.SerializerMethodField()
    faults = serializers.ListField(child=serializers.DictField(), help_text="each with its place, field and value")
    download_url = serializers.SerializerMethodField()

    class Meta(JobOut.Meta):
        fields = [*JobOut.Meta.fields, "result", "faults", "download_url"]

    def get_result(self, row: Job) -> dict[str, Any]:
        """What it made, apart from the contents of statistics, which have a call of their own."""
        return {key: value for key, value in row.result.items() if key != "views"}

    def get_download_url(self, row: Job) -> str | None:
        if not stored_file(row):
            return None
        return reverse("api-job-download", kwargs={"public_id": row.public_id}, request=self.context.get("request"))


def stored_file(job: Job) -> str:
    """The storage name of a finished export's file; empty where there is nothing to download."""
    if job.kind != "export" or job.state != JobState.DONE:
        return ""
    return str(job.result.get("file") or "")


class MemberOut(serializers.ModelSerializer[Membership]):
    username = serializers.CharField(source="user.username")

    class Meta:
        model = Membership
        fields = ["username", "role", "created_at"]


class MemberIn(Strict):
    username = serializers.CharField(max_length=150)
    role = serializers.ChoiceField(Role.choices)


class DatasetReleaseOut(serializers.ModelSerializer[Release]):
    id = serializers.UUIDField(source="public_id")
    withdrawals = serializers.SerializerMethodField(help_text="why it cannot be built again byte for byte; usually []")

    class Meta:
        model = Release
        fields = ["id", "tag", "filters", "split_seed", "content_hash", "created_at", "withdrawals"]

    def get_withdrawals(self, row: Release) -> list[dict[str, Any]]:
        return withdrawals_affecting(row, self.context.get("withdrawals"))


class TokenOut(serializers.ModelSerializer[ApiToken]):
    id = serializers.UUIDField(source="public_id")

    class Meta:
        model = ApiToken
        fields = ["id", "name", "scope", "created_at", "expires_at", "revoked_at", "last_used_at"]


class TokenIn(Strict):
    name = serializers.CharField(max_length=100)
    scope = serializers.ChoiceField(ApiToken.Scope.choices, required=False, default="read")
    days = serializers.IntegerField(min_value=1, max_value=366, required=False, default=90)


class TokenMade(TokenOut):
    token = serializers.CharField(help_text="shown once")

    class Meta(TokenOut.Meta):
        fields = [*TokenOut.Meta.fields, "token"]

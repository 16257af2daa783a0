"""What goes in and out of the API, apart from tasks. Unknown fields are refused, so that a slip is seen."""

from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.models import ApiToken, Job, Membership, Project, Release, Role, Sample, SourceDocument


class Strict(serializers.Serializer[Any]):
    """Refuses fields it does not know, naming each."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            unknown = [key for key in data if key not in self.fields]
            if unknown:
                raise serializers.ValidationError({str(key)[:60]: [_("There is no such field.")] for key in unknown})
        return super().to_internal_value(data)


class ProblemError(serializers.Serializer[Any]):
    field = serializers.CharField()
    message = serializers.CharField()


class Problem(serializers.Serializer[Any]):
    """Problem details (RFC 9457)."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    code = serializers.CharField()
    errors = ProblemError(many=True)  # type: ignore[assignment]


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


class ProjectIn(ProjectSettingsIn):
    slug = serializers.SlugField(max_length=60)
    schema = serializers.CharField(max_length=60, help_text="a preset: macsum-doc, macsum-dial, ccsbench")


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
    speaker = serializers.CharField()
    text = serializers.CharField()


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

    class Meta(DocumentOut.Meta):
        fields = [*DocumentOut.Meta.fields, "metadata", "segments", "candidates"]

    def get_segments(self, row: SourceDocument) -> list[dict[str, str]]:
        return row.source_text.segments

    def get_metadata(self, row: SourceDocument) -> dict[str, Any]:
        return row.metadata

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


class SamplingIn(Strict):
    algorithm = serializers.CharField(max_length=40, required=False)
    seed = serializers.IntegerField(min_value=0, max_value=2**53, required=False, default=0)
    add = serializers.BooleanField(required=False, default=False)


class JobStarted(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    status_url = serializers.CharField()


class JobOut(serializers.ModelSerializer[Job]):
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
            "result",
            "faults",
            "error",
            "created_at",
            "started_at",
            "finished_at",
        ]


class MemberOut(serializers.ModelSerializer[Membership]):
    username = serializers.CharField(source="user.username")

    class Meta:
        model = Membership
        fields = ["username", "role", "created_at"]


class MemberIn(Strict):
    username = serializers.CharField(max_length=150)
    role = serializers.ChoiceField(Role.choices)


class ReleaseOut(serializers.ModelSerializer[Release]):
    id = serializers.UUIDField(source="public_id")

    class Meta:
        model = Release
        fields = ["id", "tag", "filters", "split_seed", "content_hash", "created_at"]


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


class Me(serializers.ModelSerializer[User]):
    class Meta:
        model = User
        fields = ["username"]

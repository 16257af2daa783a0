"""Serializers of projects and members. Unknown fields are refused, so that a typing mistake is reported."""

from rest_framework import serializers

from annotation.api.core.serializers import Strict, verbatim_text
from annotation.models import Membership, Project, Role


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


class MemberOut(serializers.ModelSerializer[Membership]):
    username = serializers.CharField(source="user.username")

    class Meta:
        model = Membership
        fields = ["username", "role", "created_at"]


class MemberIn(Strict):
    username = serializers.CharField(max_length=150)
    role = serializers.ChoiceField(Role.choices)

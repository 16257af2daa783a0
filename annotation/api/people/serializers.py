"""Serializers of projects and members. Unknown fields are refused, so that a typing mistake is reported."""

from typing import Any

from rest_framework import serializers

from annotation.api.core.serializers import Strict, verbatim_text
from annotation.kinds import project_kinds
from annotation.models import ConsentVersion, CrowdLink, CrowdWorker, Invitation, Membership, Project, Role
from annotation.services.people import consent, invitations, member_bulk_actions, projects, quotas


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
            *(name for name in projects.SETTINGS if name != "name"),
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
    suggestions_from = serializers.CharField(
        max_length=60,
        required=False,
        allow_blank=True,
        help_text="run:ID of a finished run, for assistance suggested and randomised-3",
    )
    lease_minutes = serializers.IntegerField(min_value=1, max_value=1440, required=False)
    skip_limit = serializers.IntegerField(min_value=1, max_value=50, required=False)
    notes_to_next = serializers.ChoiceField(
        Project.NotesToNext.choices, required=False, help_text="notes on a task for the sample's next annotator"
    )
    extra_below = serializers.FloatField(
        min_value=0,
        max_value=1,
        required=False,
        allow_null=True,
        help_text="one more text is requested where annotators agree less; null: never",
    )
    extra_measure = serializers.ChoiceField(Project.ExtraMeasure.choices, required=False, help_text="agreement of what")
    extra_most = serializers.IntegerField(
        min_value=0, max_value=1_000_000, required=False, help_text="such texts in all"
    )
    pause_after_returned = serializers.IntegerField(
        min_value=1,
        max_value=100,
        required=False,
        allow_null=True,
        help_text="verdicts in a row that returned or rejected a task pause its writer; null: never",
    )
    pause_accepted_below = serializers.FloatField(
        min_value=0,
        max_value=1,
        required=False,
        allow_null=True,
        help_text="a smaller share accepted of the latest verdicts pauses a writer; null: never",
    )
    pause_seconds_below = serializers.IntegerField(
        min_value=1,
        max_value=86_400,
        required=False,
        allow_null=True,
        help_text="a smaller median of active seconds of the latest tasks pauses a writer; null: never",
    )
    pause_window = serializers.IntegerField(
        min_value=1, max_value=200, required=False, help_text="how many verdicts or tasks are the latest ones"
    )
    summary_minutes = serializers.FloatField(min_value=0.1, max_value=600, required=False)
    pay_per_hour = serializers.FloatField(min_value=0.01, max_value=1_000_000, required=False, allow_null=True)
    pay_currency = serializers.RegexField(
        "^[A-Z]{3}$", required=False, allow_blank=True, help_text="such as EUR; only shown"
    )


class ProjectIn(ProjectSettingsIn):
    slug = serializers.SlugField(max_length=60)
    schema = serializers.CharField(
        max_length=60, required=False, help_text="a preset: macsum-doc, short-articles, macsum-dial, ccsbench"
    )
    kind = serializers.ChoiceField(choices=sorted(project_kinds()), required=False, help_text="what a task asks")
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


LINK = ["id", "name", "max_uses", "uses", "expires_at", "revoked_at", "created_at"]


class LinkIn(Strict):
    name = serializers.CharField(max_length=100, help_text="for the team: what it is for")
    max_uses = serializers.IntegerField(min_value=1, max_value=invitations.MOST_USES, required=False, default=1)
    days = serializers.IntegerField(min_value=1, max_value=invitations.MOST_DAYS, required=False, default=14)


class InvitationIn(LinkIn):
    roles = serializers.ListField(child=serializers.ChoiceField(Role.choices), min_length=1, max_length=5)


class InvitationOut(serializers.ModelSerializer[Invitation]):
    id = serializers.UUIDField(source="public_id")
    roles = serializers.ListField(child=serializers.ChoiceField(Role.choices))

    class Meta:
        model = Invitation
        fields = [*LINK, "roles"]


class InvitationMade(InvitationOut):
    url = serializers.CharField(help_text="shown once")

    class Meta(InvitationOut.Meta):
        fields = [*InvitationOut.Meta.fields, "url"]


class CrowdLinkIn(LinkIn):
    tasks = serializers.IntegerField(min_value=1, max_value=quotas.MOST_TASKS, help_text="quota of each person")
    id_parameter = serializers.CharField(max_length=40, required=False, default="PROLIFIC_PID")
    study_parameter = serializers.CharField(max_length=40, required=False, default="STUDY_ID", allow_blank=True)
    session_parameter = serializers.CharField(max_length=40, required=False, default="SESSION_ID", allow_blank=True)
    study = serializers.CharField(max_length=120, required=False, default="", allow_blank=True)
    signed = serializers.BooleanField(required=False, default=False)
    code = serializers.CharField(max_length=60, required=False, default="", allow_blank=True)
    return_url = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)
    role = serializers.ChoiceField(["annotator", "rater"], required=False, default="annotator")
    target = serializers.CharField(
        max_length=60, required=False, default="", allow_blank=True, help_text="of raters: id of an open round"
    )
    code_screened_out = serializers.CharField(max_length=60, required=False, default="", allow_blank=True)
    code_no_work = serializers.CharField(max_length=60, required=False, default="", allow_blank=True)
    pay_amount = serializers.DecimalField(
        max_digits=9, decimal_places=2, required=False, allow_null=True, default=None, help_text="for each task"
    )
    pay_currency = serializers.CharField(max_length=3, required=False, default="", allow_blank=True)


class CrowdLinkOut(serializers.ModelSerializer[CrowdLink]):
    id = serializers.UUIDField(source="public_id")

    class Meta:
        model = CrowdLink
        fields = [
            *LINK,
            *("tasks", "id_parameter", "study_parameter", "session_parameter"),
            *("study", "signed", "code", "return_url", "role", "code_screened_out", "code_no_work"),
            *("pay_amount", "pay_currency"),
        ]


class CrowdLinkMade(CrowdLinkOut):
    url = serializers.CharField(help_text="shown once; the platform adds the parameters")
    signing_key = serializers.CharField(help_text="for signed ids: sig = HMAC-SHA256(key, id), hexadecimal; else empty")

    class Meta(CrowdLinkOut.Meta):
        fields = [*CrowdLinkOut.Meta.fields, "url", "signing_key"]


class CrowdWorkerOut(serializers.ModelSerializer[CrowdWorker]):
    username = serializers.CharField(source="user.username")
    link = serializers.UUIDField(source="link.public_id")

    class Meta:
        model = CrowdWorker
        fields = ["external_id", "username", "link", "study", "session", "first_at", "last_at", "completed_at"]
        fields += ["outcome", "consent_due"]


class ConsentIn(Strict):
    purpose = serializers.CharField(max_length=consent.MAX_PURPOSE, help_text="what the data are for")
    text = verbatim_text(help_text="Markdown")


class ConsentOut(serializers.ModelSerializer[ConsentVersion]):
    agreed = serializers.IntegerField(help_text="people who agreed to it", default=0)

    class Meta:
        model = ConsentVersion
        fields = ["number", "purpose", "text", "created_at", "agreed"]


class MembersBulkIn(Strict):
    usernames = serializers.ListField(child=serializers.CharField(max_length=150), min_length=1, max_length=500)
    action = serializers.ChoiceField(member_bulk_actions.ACTIONS)
    role = serializers.ChoiceField(Role.choices, required=False, default="", help_text="for give and take")
    max_tasks = serializers.IntegerField(
        min_value=0, max_value=quotas.MOST_TASKS, required=False, allow_null=True, default=None
    )
    note = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)


class PausedMemberOut(serializers.Serializer[Any]):
    username = serializers.CharField()
    paused_at = serializers.DateTimeField()
    note = serializers.CharField(help_text="of staff, shown to the person")
    rule = serializers.JSONField(help_text="of a rule: its name and numbers; {} if staff paused the person")
    reason = serializers.CharField(help_text="of a rule, in words; empty if staff paused the person")


class WouldPauseOut(serializers.Serializer[Any]):
    username = serializers.CharField(source="user.username")
    reason = serializers.CharField()


class PausesOut(serializers.Serializer[Any]):
    paused = PausedMemberOut(many=True)
    would_pause = WouldPauseOut(many=True, help_text="annotators whom the rules of the settings would pause now")


class ChangedOut(serializers.Serializer[Any]):
    changed = serializers.IntegerField(help_text="people for whom something changed")

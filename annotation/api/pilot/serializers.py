"""Serializers of pilots."""

from typing import Any

from rest_framework import serializers

from annotation.api.core.serializers import Strict
from annotation.api.overlap.serializers import AnswerOut
from annotation.api.tasks.serializers import ChosenField
from annotation.models import PilotCandidate, PilotDecision, PilotSample, PilotState
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.pilot import decisions as pilot_decisions


class PilotSampleOut(serializers.Serializer[Any]):
    id = serializers.UUIDField(source="sample.public_id")
    sample_id = serializers.SerializerMethodField(help_text="{external_id}#{position}")
    origin = serializers.UUIDField(source="origin.public_id", help_text="the sample of the project it was copied from")
    attributes = serializers.DictField(source="sample.attributes")

    def get_sample_id(self, row: PilotSample) -> str:
        return f"{row.origin.document.external_id}#{row.origin.position}"


class PilotOut(serializers.Serializer[Any]):
    on = serializers.BooleanField(help_text="whether only the qualified are given ordinary tasks")
    begun = serializers.BooleanField(help_text="a candidate has begun: the samples stay")
    samples = PilotSampleOut(many=True)


class PilotIn(Strict):
    on = serializers.BooleanField()


class PilotSampleIn(Strict):
    sample = serializers.UUIDField(help_text="of the project, one that nobody works on")
    chosen = ChosenField(required=False, help_text="what it is about, where no annotator has chosen that yet")


class InviteIn(Strict):
    usernames = serializers.ListField(
        child=serializers.CharField(max_length=150), required=False, max_length=1000, help_text="all where absent"
    )


class InvitedOut(serializers.Serializer[Any]):
    invited = serializers.IntegerField()


class PilotCandidateOut(serializers.Serializer[Any]):
    id = serializers.UUIDField(source="candidate.public_id")
    annotator = serializers.SerializerMethodField(help_text="the pseudonym that exports use")
    username = serializers.SerializerMethodField(help_text="for researchers and admins")
    state = serializers.ChoiceField(PilotState.choices)
    done = serializers.IntegerField(help_text="samples submitted or skipped")
    skipped = serializers.IntegerField()
    total = serializers.IntegerField()
    reason = serializers.CharField(source="candidate.reason", help_text="of the decision")
    invited_at = serializers.DateTimeField(source="candidate.invited_at")
    decided_at = serializers.DateTimeField(source="candidate.decided_at", allow_null=True)

    def get_annotator(self, row: pilot_decisions.CandidateProgress) -> str | None:
        pseudonyms: Pseudonyms = self.context["pseudonyms"]
        return pseudonyms.of(row.candidate.user_id)

    def get_username(self, row: pilot_decisions.CandidateProgress) -> str | None:
        return str(row.candidate.user.username) if self.context["names"] else None


class DecisionIn(Strict):
    verdict = serializers.ChoiceField(PilotCandidate.Verdict.choices)
    reason = serializers.CharField(max_length=pilot_decisions.MAX_REASON, help_text="the candidate reads it")


class ReopeningIn(Strict):
    reason = serializers.CharField(max_length=pilot_decisions.MAX_REASON)


class DecisionOut(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(PilotDecision.Kind.choices)
    reason = serializers.CharField()
    at = serializers.DateTimeField()


class OneCandidateOut(PilotCandidateOut):
    decisions = serializers.SerializerMethodField()

    def get_decisions(self, row: pilot_decisions.CandidateProgress) -> list[dict[str, Any]]:
        return list(DecisionOut(pilot_decisions.list_decisions(row.candidate), many=True).data)


class PilotAnswerOut(serializers.Serializer[Any]):
    candidate = serializers.UUIDField()
    annotator = serializers.CharField()
    state = serializers.CharField(help_text="of the attempt")
    skip_reason = serializers.CharField()
    answer = AnswerOut(allow_null=True)


class PilotComparedOut(PilotSampleOut):
    answers = PilotAnswerOut(many=True)

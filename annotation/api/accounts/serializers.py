"""Serializers of accounts. Unknown fields are refused, so that a typing mistake is reported."""

from rest_framework import serializers

from annotation.api.core.serializers import Strict
from annotation.models import ApiToken


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

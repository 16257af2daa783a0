"""Serializers of withdrawals."""

from typing import Any

from rest_framework import serializers

from annotation.api.core.serializers import Strict
from annotation.models import Withdrawal


class WithdrawalAsked(Strict):
    person = serializers.CharField(max_length=150, help_text="account")
    remove_texts = serializers.BooleanField(required=False, default=False)
    mask_name = serializers.BooleanField(required=False, default=False)
    leave_out = serializers.BooleanField(required=False, default=False, help_text="of exports")
    reopen = serializers.BooleanField(required=False, default=False, help_text="offer the places to others")


class WithdrawalIn(WithdrawalAsked):
    expect = serializers.IntegerField(min_value=0, help_text="`total` of the preview")


class WithdrawalPreviewOut(serializers.Serializer[Any]):
    counts = serializers.DictField(child=serializers.IntegerField())
    releases = serializers.DictField(
        child=serializers.IntegerField(), help_text="tag of a release that cannot be built again byte for byte -> rows"
    )
    total = serializers.IntegerField()


class WithdrawalOut(serializers.ModelSerializer[Withdrawal]):
    id = serializers.UUIDField(source="public_id")
    person = serializers.CharField(source="person.username")
    counts = serializers.DictField(child=serializers.IntegerField())
    releases = serializers.DictField(child=serializers.IntegerField())

    class Meta:
        model = Withdrawal
        fields = ["id", "person", "remove_texts", "mask_name", "leave_out", "counts", "releases", "at"]

"""Serializers of the practice."""

from typing import Any

from rest_framework import serializers

from annotation.api.core.serializers import Strict
from annotation.models import PracticeItem, PracticeState, PracticeTry
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.practice import decisions, feedback, items, progress
from annotation.services.practice.right_answers import CHOSEN, LENGTH, SEGMENTS

RIGHT = (
    '{"chosen": {key: {"needed": [...], "also": [...]}}, "segments": {"needed": [...], "also": [...]}, '
    '"length": {"low": n, "high": n}}; segments from 0, words; only the parts that are asked for'
)
ANSWER = '{"chosen": {key: [...]}, "segments": [...], "text": "..."}, the parts that the item asks for'


class PracticeItemOut(serializers.Serializer[Any]):
    id = serializers.UUIDField(source="public_id")
    number = serializers.IntegerField()
    version = serializers.IntegerField()
    document = serializers.CharField(source="document.external_id")
    values = serializers.DictField(help_text="requested values")
    right = serializers.DictField(help_text=RIGHT)
    reason = serializers.CharField()


class PracticeSetupOut(serializers.Serializer[Any]):
    on = serializers.BooleanField(help_text="whether the practice comes before the tasks")
    share = serializers.FloatField(help_text="of the items, to pass")
    items = PracticeItemOut(many=True)


class PracticeSetupIn(Strict):
    on = serializers.BooleanField(required=False)
    share = serializers.FloatField(required=False, min_value=0, max_value=1)


class ItemChangeIn(Strict):
    values = serializers.DictField(help_text="a value for every sampled attribute")
    right = serializers.DictField(help_text=RIGHT)
    reason = serializers.CharField(max_length=items.MAX_REASON, help_text="shown with the feedback after each try")


class PracticeItemIn(ItemChangeIn):
    document = serializers.CharField(max_length=200, help_text="external id")


class PracticeTryIn(Strict):
    item = serializers.UUIDField()
    attempt = serializers.IntegerField(min_value=1, max_value=progress.TRIES)
    answer = serializers.DictField(help_text=ANSWER)


class PracticeTryOut(serializers.Serializer[Any]):
    attempt = serializers.IntegerField()
    answer = serializers.DictField(help_text=ANSWER)
    passed = serializers.SerializerMethodField()
    faults = serializers.SerializerMethodField(help_text="what was off, in words")
    reason = serializers.CharField(source="item.reason")

    def get_passed(self, row: PracticeTry) -> bool:
        return not row.faults

    def get_faults(self, row: PracticeTry) -> list[str]:
        return feedback.describe_faults(row.item, row.faults)


class OwnItemOut(serializers.Serializer[Any]):
    id = serializers.UUIDField(source="item.public_id")
    values = serializers.DictField(source="item.values", help_text="requested values")
    document = serializers.CharField(source="item.document.external_id")
    segments = serializers.ListField(source="item.document.source_text.segments", child=serializers.DictField())
    asks = serializers.SerializerMethodField(help_text="the parts of the answer: chosen, with what is offered; ...")
    passed = serializers.BooleanField(source="is_passed")
    finished = serializers.BooleanField(source="is_finished", help_text="passed, or no try is left")
    tries = PracticeTryOut(many=True)
    right = serializers.SerializerMethodField(help_text="null while a try is left; " + RIGHT)

    def get_asks(self, row: progress.ItemProgress) -> dict[str, Any]:
        right = row.item.right
        return {
            "chosen": {key: items.list_choices(row.item, key) for key in right.get(CHOSEN, {})},
            "segments": SEGMENTS in right,
            "text": LENGTH in right,
        }

    def get_right(self, row: progress.ItemProgress) -> dict[str, Any] | None:
        item: PracticeItem = row.answered_item
        return dict(item.right) if row.is_finished else None


class PracticeOut(serializers.Serializer[Any]):
    on = serializers.BooleanField(help_text="whether the practice comes before the tasks")
    state = serializers.ChoiceField(PracticeState.choices)
    share = serializers.FloatField(help_text="of the items, to pass")
    items = OwnItemOut(many=True)


class AnnotatorPracticeOut(serializers.Serializer[Any]):
    annotator = serializers.SerializerMethodField(help_text="the pseudonym that exports use")
    username = serializers.SerializerMethodField(help_text="for researchers and admins")
    state = serializers.ChoiceField(PracticeState.choices, source="standing.state")
    finished = serializers.IntegerField(source="standing.n_finished", help_text="items")
    passed = serializers.IntegerField(source="standing.n_passed", help_text="items")

    def get_annotator(self, row: decisions.AnnotatorPractice) -> str | None:
        pseudonyms: Pseudonyms = self.context["pseudonyms"]
        return pseudonyms.of(row.user.pk)

    def get_username(self, row: decisions.AnnotatorPractice) -> str | None:
        return str(row.user.username) if self.context["names"] else None


class PracticeDecisionIn(Strict):
    person = serializers.CharField(max_length=150, help_text="user name")
    do = serializers.ChoiceField(["let_on", "reset"])

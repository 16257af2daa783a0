"""Serializers of the calls on rating."""

from typing import Any

from rest_framework import serializers

from annotation.api.core.serializers import Strict
from annotation.services.tasks.drafts import MAX_REVISION
from epitome.rounds.answer_texts import NOTE_LENGTH, WHY_LENGTH
from evaluation.api.rounds.serializers import inline_shape


class OwnRoundOut(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    title = serializers.CharField()
    project = serializers.CharField()
    open = serializers.BooleanField()
    done = serializers.IntegerField(help_text="items finished by the caller")
    next_step = serializers.CharField(allow_blank=True, help_text="instructions, qualification, or empty")


class InstructionsOut(serializers.Serializer[Any]):
    hash = serializers.CharField()
    read = serializers.BooleanField()
    next_step = serializers.CharField(allow_blank=True)
    intro = serializers.CharField()
    definitions = serializers.ListField(child=serializers.DictField())
    examples = serializers.ListField(child=serializers.DictField())


class ConfirmIn(Strict):
    hash = serializers.CharField(max_length=64)


class QualifyIn(Strict):
    answers = serializers.DictField(child=serializers.CharField(max_length=200), help_text="{example}-{question}")


class JudgementIn(Strict):
    answer = serializers.CharField(max_length=NOTE_LENGTH, allow_blank=True, trim_whitespace=False)
    unsure = serializers.BooleanField(default=False)
    why = serializers.CharField(
        max_length=WHY_LENGTH,
        allow_blank=True,
        required=False,
        default="",
        trim_whitespace=False,
        help_text="the reason, where the question asks for one",
    )


class PayloadIn(Strict):
    answers = serializers.DictField(child=JudgementIn(), help_text="question -> answer")
    note = serializers.CharField(
        max_length=NOTE_LENGTH, allow_blank=True, required=False, default="", trim_whitespace=False
    )


class JudgementsIn(Strict):
    payload = PayloadIn()
    revision = serializers.IntegerField(
        min_value=0, max_value=MAX_REVISION, required=False, allow_null=True, default=None
    )
    done = serializers.BooleanField(default=False, help_text="the item is finished; every question must be answered")
    next = serializers.ChoiceField(
        ["", "page", "item"],
        default="",
        help_text="what the answer carries of the next item, which is claimed: its page, or all of it",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["next"] and not attrs["done"]:
            raise serializers.ValidationError({"next": "The next item comes after one that is done."})
        return attrs


class SavedOut(serializers.Serializer[Any]):
    revision = serializers.IntegerField()
    saved_at = serializers.DateTimeField()
    state = serializers.CharField(help_text="claimed or done; expired, or surplus, for what came too late")


class ItemOut(serializers.Serializer[Any]):
    """One item under the caller's own id. Nothing in it depends on the system that wrote what is shown."""

    id = serializers.UUIDField()
    state = serializers.CharField()
    page = serializers.CharField()
    round = inline_shape(
        "ItemRound",
        id=serializers.UUIDField(),
        title=serializers.CharField(),
        open=serializers.BooleanField(),
    )
    form = serializers.CharField(help_text="single, pair or list")
    progress = inline_shape(
        "ItemProgress",
        number=serializers.IntegerField(),
        done=serializers.IntegerField(),
        all=serializers.IntegerField(allow_null=True),
    )
    source = serializers.DictField(  # type: ignore[assignment]
        allow_null=True, help_text="title, domain, n_words, segments"
    )
    request = serializers.ListField(child=serializers.DictField())
    reference = serializers.CharField(allow_null=True)
    metadata = serializers.ListField(child=serializers.DictField(), help_text="field, text: of the source")
    summaries = serializers.ListField(child=serializers.DictField(), help_text="letter, text")
    entities = serializers.ListField(
        child=serializers.DictField(), help_text="name, url, background: where the round shows them"
    )
    context = serializers.ListField(  # type: ignore[assignment]
        child=serializers.CharField(), help_text="sentences: where the round shows them"
    )
    marks = serializers.ListField(
        child=serializers.DictField(),
        help_text="changed words of the text, where the round marks them: start, end, was (the original words)",
    )
    one_by_one = serializers.BooleanField()
    questions = serializers.ListField(child=serializers.DictField(), help_text="key, text, options, lines ...")
    revision = serializers.IntegerField()
    payload = serializers.DictField()


class JudgedOut(SavedOut):
    next = ItemOut(allow_null=True, required=False, help_text="where asked for; with next=page, its page only")
    reason = serializers.CharField(
        required=False, allow_blank=True, help_text="why there is no next item, as in the header X-Reason; or busy"
    )

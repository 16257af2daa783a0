"""Serializers of the calls on rounds."""

from typing import Any

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers

from annotation.api.core.serializers import Strict, verbatim_text
from annotation.api.sources.serializers import Flag, TextsField, UploadField
from evaluation.models import Round, RoundTemplate
from evaluation.services.monitoring.round_control import ACTIONS


def inline_shape(_name: str, /, **fields: Any) -> serializers.Serializer[Any]:
    return inline_serializer(name=_name, fields=fields)


class RoundOut(serializers.ModelSerializer[Round]):
    id = serializers.UUIDField(source="public_id")
    state = serializers.CharField(help_text="draft, open, paused, closed or unblinded")
    config = serializers.CharField(source="config_toml", help_text="the TOML text as it was given")

    class Meta:
        model = Round
        fields = [
            "id",
            "number",
            "name",
            "template",
            "form",
            "state",
            "seed",
            "raters_per_item",
            "n_items",
            "apart",
            "config",
            "config_hash",
            "items_hash",
            "created_at",
            "launched_at",
            "closed_at",
            "unblinded_at",
        ]


class RoundIn(Strict):
    config = verbatim_text(help_text="TOML; see the guide for researchers")


class RoundTemplateOut(serializers.ModelSerializer[RoundTemplate]):
    id = serializers.UUIDField(source="public_id")

    class Meta:
        model = RoundTemplate
        fields = ["id", "key", "name", "toml", "hash", "changed_at"]


class RoundTemplateIn(Strict):
    toml = verbatim_text(help_text="the template as TOML; see the guide for researchers")


class PresetOut(serializers.Serializer[Any]):
    key = serializers.CharField()
    name = serializers.CharField()
    config = serializers.CharField(help_text="the TOML text of a round")


class TemplateCheckOut(serializers.Serializer[Any]):
    key = serializers.CharField()
    name = serializers.CharField()
    form = serializers.CharField(help_text="single, pair or list")
    shows = serializers.ListField(child=serializers.CharField())
    per_attribute = serializers.CharField(allow_blank=True)
    questions = serializers.ListField(child=serializers.DictField(), help_text="key, type, about, text, why")


class MoveIn(Strict):
    do = serializers.ChoiceField(list(ACTIONS))


class ExtraRatingsOut(serializers.Serializer[Any]):
    disagreeing = serializers.IntegerField(help_text="complete items that raters disagree on and another could rate")
    requested = serializers.IntegerField(help_text="of these, now")


class ReplaceIn(Strict):
    leaves = serializers.CharField(max_length=150, help_text="the name of an account")
    joins = serializers.CharField(max_length=150, required=False, allow_blank=True, default="")
    keep = serializers.BooleanField(help_text="whether the answers given so far count; if not, they are asked again")


class ResumeIn(Strict):
    rater = serializers.CharField(max_length=150, help_text="the name of an account")


class ClearanceIn(Strict):
    rater = serializers.CharField(max_length=150)
    source = serializers.UUIDField(help_text="id of the document")  # type: ignore[assignment]
    reason = serializers.CharField(max_length=2000, trim_whitespace=False)


class CheckOut(serializers.Serializer[Any]):
    can_launch = serializers.BooleanField()
    faults = serializers.ListField(child=serializers.CharField())
    warnings = serializers.ListField(child=serializers.CharField())
    missing = serializers.ListField(child=serializers.DictField(), help_text="per target: samples without an output")
    cells = serializers.ListField(child=serializers.DictField(), help_text="target, domain, question, n")
    power = serializers.ListField(
        child=serializers.DictField(),
        help_text="by number of items: half widths of 95 % intervals and the smallest difference found, by base rate",
    )
    preference_power = serializers.ListField(
        child=serializers.DictField(), help_text="by number of pairs: the smallest wins minus losses, by share of ties"
    )
    needed = serializers.DictField(help_text="answers, or pairs, that a difference needs")
    items = serializers.IntegerField()
    judgements = serializers.IntegerField()
    minutes = serializers.FloatField(help_text="of all raters together, an estimate")
    pay = serializers.DictField(
        allow_null=True, help_text="currency, total, per_item, per_hour: by the round's pay, else the project's rate"
    )
    certainty = serializers.DictField(
        allow_null=True,
        help_text="with judges: half widths of 95 % intervals by samples for people, and samples needed by difference",
    )
    extra_ratings = serializers.IntegerField(
        help_text="at most, where raters disagree; neither judgements nor minutes and pay count them"
    )
    items_per_person = serializers.IntegerField(allow_null=True, help_text="of people who come by a crowd link")
    people_needed = serializers.IntegerField(allow_null=True, help_text="who come by a crowd link")
    raters = serializers.ListField(child=serializers.CharField())
    apart = serializers.IntegerField(allow_null=True)
    hash = serializers.CharField(help_text="of items and orders; the same for the same file and seed")


class ProgressOut(serializers.Serializer[Any]):
    places = serializers.IntegerField(help_text="items times raters, and additional ratings that were requested")
    filled = serializers.IntegerField()
    taken = serializers.IntegerField()


class PausedRaterOut(serializers.Serializer[Any]):
    rater = serializers.CharField()
    paused_at = serializers.DateTimeField()
    rule = serializers.JSONField(help_text="the rule that paused the rater, with its numbers")
    reason = serializers.CharField(help_text="the same in words")


class OneRoundOut(RoundOut):
    design = serializers.JSONField(help_text="what was frozen at launch")
    progress = ProgressOut()
    paused_raters = PausedRaterOut(many=True)

    class Meta(RoundOut.Meta):
        fields = [*RoundOut.Meta.fields, "design", "progress", "paused_raters"]


class RatersOut(serializers.Serializer[Any]):
    rater = serializers.CharField(allow_null=True, help_text="who joined")


class OutsideFileIn(Strict):
    """A file of judgments made in another tool."""

    file = UploadField(help_text="annotations.json of Pearmut; JSON lines, or a zip of them, of factgenie")
    map = TextsField(
        max_length=20_000,
        required=False,
        help_text='what the round calls words of the file: {"severity:minor": "major", "category:Grammar": "fluency"}; '
        '"-" leaves it out',
    )
    dry_run = Flag(required=False, default=False)


class OutsideWordOut(serializers.Serializer[Any]):
    word = serializers.CharField(help_text="severity:NAME, category:NAME or answer:NAME")
    n = serializers.IntegerField()
    becomes = serializers.CharField(allow_null=True)
    may_become = serializers.ListField(child=serializers.CharField())


class OutsideLeftOut(serializers.Serializer[Any]):
    reason = serializers.CharField()
    word = serializers.CharField(allow_blank=True)
    n = serializers.IntegerField()
    text = serializers.CharField(help_text="the reason in words")


class OutsideAnswersOut(serializers.Serializer[Any]):
    """What came in, or would come in, and what has no place in the round."""

    dry_run = serializers.BooleanField()
    tools = serializers.ListField(child=serializers.CharField())
    judgments = serializers.IntegerField(help_text="in the file")
    raters = serializers.IntegerField()
    items = serializers.IntegerField()
    ratings = serializers.IntegerField(help_text="items times raters")
    marks = serializers.IntegerField(help_text="errors, omissions included")
    other_answers = serializers.IntegerField()
    notes = serializers.IntegerField()
    already_imported = serializers.IntegerField()
    changed = serializers.IntegerField(help_text="imported before, and different now")
    words = OutsideWordOut(many=True)
    left_out = OutsideLeftOut(many=True)
    differences = serializers.ListField(child=serializers.CharField(), help_text="outputs that differ from the round's")
    faults = serializers.ListField(child=serializers.CharField())


class OutsideRaterOut(serializers.Serializer[Any]):
    rater = serializers.CharField(help_text="the account that stands for the person")
    tool = serializers.CharField()
    items = serializers.IntegerField()


class OutsideRatersOut(serializers.Serializer[Any]):
    raters = OutsideRaterOut(many=True)


class OutsideRaterIn(Strict):
    rater = serializers.CharField(max_length=150)

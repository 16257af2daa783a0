"""Serializers of contrastive examples. Unknown fields are refused, so that a typing mistake is reported."""

from typing import Any

from rest_framework import serializers

from annotation.api.core.serializers import Strict
from annotation.api.sources.serializers import Flag, UploadField
from annotation.models import Contrastive, ContrastiveSet
from annotation.services.contrastives.set_options import MAX_SEED, MOST_GOLDS, MOST_PER_GOLD, MOST_WITHOUT, SetOptions
from epitome.contrastives import RULES

USUAL = SetOptions()


class EditOut(serializers.Serializer[Any]):
    start = serializers.IntegerField(help_text="code point of the gold summary, inclusive")
    end = serializers.IntegerField(help_text="exclusive")
    was = serializers.CharField()
    now = serializers.CharField()


class ContrastiveOut(serializers.ModelSerializer[Contrastive]):
    id = serializers.UUIDField(source="public_id")
    sample_id = serializers.SerializerMethodField(help_text="{external_id}#{position}")
    gold_id = serializers.UUIDField(source="annotation.public_id", help_text="id of the gold summary")
    edits = EditOut(many=True)
    from_source = serializers.DictField(
        child=serializers.IntegerField(), allow_null=True, help_text="segment, start, end of the word of the source"
    )

    class Meta:
        model = Contrastive
        fields = [
            *("id", "sample_id", "gold_id", "rule", "text", "edits", "from_source"),
            *("seed", "generator", "state", "created_at"),
        ]

    def get_sample_id(self, row: Contrastive) -> str:
        return f"{row.sample.document.external_id}#{row.sample.position}"


class ContrastiveSetOut(serializers.ModelSerializer[ContrastiveSet]):
    """How examples came about; `replaced_at` is null for the present set."""

    id = serializers.UUIDField(source="public_id")
    options = serializers.DictField(help_text="with the shares of the rules; empty for an import")
    counts = serializers.DictField(help_text="by rule: pairs of words at each step; golds by number of examples")
    made_by = serializers.CharField(source="made_by.username", default=None, allow_null=True)

    class Meta:
        model = ContrastiveSet
        fields = [
            *("id", "origin", "options", "generator", "parser", "file_name", "golds", "examples", "counts", "made_by"),
            *("created_at", "finished_at", "replaced_at"),
        ]


class ContrastivesIn(Strict):
    """The options of a set."""

    split = serializers.CharField(required=False, default="", allow_blank=True, max_length=20)
    n = serializers.IntegerField(
        min_value=1, max_value=MOST_GOLDS, required=False, default=USUAL.n, help_text="at most so many gold summaries"
    )
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, required=False, default=USUAL.seed)
    per_gold = serializers.IntegerField(
        min_value=1, max_value=MOST_PER_GOLD, required=False, default=USUAL.per_gold, help_text="examples of each"
    )
    rules = serializers.ListField(
        child=serializers.ChoiceField(RULES), required=False, default=list(RULES), min_length=1, max_length=len(RULES)
    )
    estimate = serializers.IntegerField(
        min_value=0,
        max_value=MOST_GOLDS,
        required=False,
        default=0,
        help_text="work out the shares of the rules from so many gold summaries; 0: the default shares",
    )
    inflect = serializers.BooleanField(required=False, default=False)
    without = serializers.ListField(
        child=serializers.CharField(max_length=500),
        required=False,
        default=list,
        max_length=MOST_WITHOUT,
        help_text="ids of sources whose gold summaries are left out",
    )
    replace = serializers.BooleanField(
        required=False, default=False, help_text="delete the project's other examples first"
    )
    dry_run = serializers.BooleanField(
        required=False, default=False, help_text="answer at once what would be made; store nothing"
    )


class PlannedContrastives(serializers.Serializer[Any]):
    """What a run would make: counts by rule of the gold summaries that were tried."""

    golds = serializers.IntegerField(help_text="gold summaries that fit the options")
    drawn = serializers.IntegerField(help_text="of them, by the seed")
    remaining = serializers.IntegerField(help_text="of the drawn ones without examples yet")
    tried = serializers.IntegerField()
    estimated = serializers.IntegerField(help_text="gold summaries that the shares were estimated from")
    per_gold = serializers.FloatField(allow_null=True)
    expected = serializers.IntegerField(allow_null=True, help_text="examples of all remaining gold summaries")
    quotas = serializers.DictField(child=serializers.IntegerField())
    shares = serializers.DictField(child=serializers.DictField(child=serializers.FloatField()))
    rules = serializers.DictField(child=serializers.DictField(child=serializers.IntegerField()))


class ContrastivesFileIn(Strict):
    """A file of examples made elsewhere."""

    file = UploadField(help_text="JSON lines")
    replace = Flag(required=False, default=False, help_text="delete the project's other examples first")


class ExclusionsIn(Strict):
    """Which examples, and whether they are to be excluded."""

    ids = serializers.ListField(child=serializers.UUIDField(), min_length=1, max_length=1000)
    excluded = serializers.BooleanField(help_text="false: they count again")


class ExclusionsOut(serializers.Serializer[Any]):
    changed = serializers.IntegerField()

"""Serializers of sampling. Unknown fields are refused, so that a typing mistake is reported."""

from typing import Any

from rest_framework import serializers

from annotation.api.core.serializers import Strict
from annotation.models import Draw, Sample
from annotation.services.sampling.planned_draw import MOST_SAMPLES
from epitome.sampling import MORE_BY, VERSIONS
from epitome.schema import MOST_PER_SOURCE


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


class DrawIn(Strict):
    """How to draw; what is not given is the schema's."""

    algorithm = serializers.ChoiceField(tuple(VERSIONS), required=False)
    seed = serializers.IntegerField(min_value=0, max_value=2**63 - 1, required=False, default=0)
    group_size = serializers.IntegerField(min_value=1, max_value=100, required=False)
    no_topic_group = serializers.BooleanField(required=False)
    no_topic_size = serializers.IntegerField(min_value=1, max_value=100, required=False)
    whole_groups = serializers.BooleanField(required=False)
    per_2000_words = serializers.FloatField(min_value=0.001, max_value=2000, required=False)
    per_source = serializers.IntegerField(
        min_value=1,
        max_value=MOST_PER_SOURCE,
        required=False,
        help_text="samples of every source, however long it is; not beside per_2000_words",
    )
    more_writers = serializers.IntegerField(
        min_value=2, max_value=50, required=False, help_text="annotators of the samples that more_share chooses"
    )
    more_share = serializers.FloatField(
        min_value=0.001, max_value=100, required=False, help_text="per cent of the samples, chosen by the seed"
    )
    more_by = serializers.ChoiceField(MORE_BY, required=False, help_text="choose samples or whole sources")
    most_samples = serializers.IntegerField(
        min_value=1, max_value=MOST_SAMPLES, required=False, help_text="draw whole sources up to so many samples"
    )
    most_hours = serializers.FloatField(
        min_value=0, required=False, help_text="the same in hours, at the project's minutes per summary"
    )
    most_money = serializers.FloatField(
        min_value=0, required=False, help_text="the same in money, at the project's pay per hour"
    )


class SamplingIn(DrawIn):
    add = serializers.BooleanField(
        required=False, default=False, help_text="draw for sources that have samples already, too"
    )


class ChiSquareOut(serializers.Serializer[Any]):
    statistic = serializers.FloatField(allow_null=True)
    df = serializers.IntegerField()
    p = serializers.FloatField(allow_null=True)
    against = serializers.CharField()
    undefined = serializers.CharField(help_text="why there is none")


class DrawWarningOut(serializers.Serializer[Any]):
    """What a draw is too small or too uneven for."""

    kind = serializers.ChoiceField(("few-pairs", "no-topic", "short-length"))
    n = serializers.IntegerField(help_text="pairs, samples without a topic, or words that the value asks for at most")
    attribute = serializers.CharField(help_text="of few-pairs and short-length; else empty")
    value = serializers.CharField(help_text="of short-length; else empty")


class AskedLengthOut(serializers.Serializer[Any]):
    """The words that a value asks for: the least, and the most or null for no limit."""

    attribute = serializers.CharField()
    value = serializers.CharField()
    whole = serializers.ListField(
        child=serializers.IntegerField(allow_null=True), help_text="of the median text, where all of it is relevant"
    )
    marked = serializers.ListField(
        child=serializers.IntegerField(allow_null=True),
        allow_null=True,
        help_text="where one segment of mean length is marked; null where that makes no difference",
    )


class DryRunOut(serializers.Serializer[Any]):
    """What a draw will give."""

    sampler = serializers.CharField()
    seed = serializers.IntegerField()
    sources = serializers.IntegerField()
    groups = serializers.IntegerField()
    samples = serializers.IntegerField()
    overlap = serializers.IntegerField()
    summaries = serializers.IntegerField(help_text="of all samples' annotators")
    samples_by_writers = serializers.DictField(
        child=serializers.IntegerField(), help_text="annotators of a sample -> such samples"
    )
    minutes_per_summary = serializers.FloatField()
    hours = serializers.FloatField(help_text="of writing, at that pace")
    values = serializers.DictField(
        child=serializers.DictField(child=serializers.IntegerField()), help_text="attribute -> value -> samples"
    )
    combinations = serializers.DictField(child=serializers.IntegerField())
    chi_square = serializers.DictField(child=ChiSquareOut())
    pairs = serializers.DictField(
        child=serializers.IntegerField(), help_text="attribute -> pairs that control correlation is measured on"
    )
    no_topic = serializers.IntegerField(help_text="samples that ask for no topic")
    median_words = serializers.IntegerField(help_text="of the sources")
    segment_words = serializers.FloatField(help_text="of their segments on average; 0 where unknown")
    asked_lengths = AskedLengthOut(many=True)
    warnings = DrawWarningOut(many=True)
    sources_by_samples = serializers.DictField(
        child=serializers.IntegerField(), help_text="samples of a source -> number of such sources"
    )
    most_samples = serializers.IntegerField(allow_null=True, help_text="the limit; null for none")
    left_sources = serializers.IntegerField(help_text="sources that the limit leaves for a later draw")
    left_samples = serializers.IntegerField(help_text="their samples")
    pay = serializers.FloatField(allow_null=True, help_text="of all hours; null where the project has no pay per hour")
    currency = serializers.CharField()


class DrawOut(serializers.ModelSerializer[Draw]):
    id = serializers.UUIDField(source="public_id")
    drawn_by = serializers.CharField(source="drawn_by.username", default=None, allow_null=True)
    options = serializers.DictField()

    class Meta:
        model = Draw
        fields = [
            *("id", "options", "most_samples", "sources_served", "groups_stored", "samples_stored", "sources_left"),
            *("drawn_by", "created_at", "finished_at", "undone_at"),
        ]


class UndoneDrawOut(serializers.Serializer[Any]):
    """What was deleted."""

    samples = serializers.IntegerField()
    groups = serializers.IntegerField()
    slots = serializers.IntegerField()

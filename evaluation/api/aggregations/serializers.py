"""Serializers of the calls about aggregations and rankings."""

from typing import Any

from rest_framework import serializers

from annotation.api.core.serializers import Strict
from annotation.models import RankingSplit, SplitBy
from evaluation.services.aggregations.ranking_lists import MAX_SEED


class FunnelOut(serializers.Serializer[Any]):
    """From annotations to golds. An undefined number is null, its reason beside it."""

    instances = serializers.IntegerField()
    annotations = serializers.IntegerField()
    people = serializers.IntegerField()
    not_aggregatable = serializers.IntegerField(help_text="ticked so, or without an answer")
    removed = serializers.DictField(
        child=serializers.IntegerField(), help_text="non_conforming, rare_people, few_answers, in the order applied"
    )
    kept_instances = serializers.IntegerField()
    kept_annotations = serializers.IntegerField()
    kept_people = serializers.IntegerField()
    contents = serializers.DictField(help_text="all, person, location, org: instances, entity_sets, aggregations ...")
    agreement = serializers.DictField(help_text="same_answer: share of kept instances; alpha: of cannot")


class ListsIn(Strict):
    release = serializers.CharField(max_length=60, help_text="the tag of a frozen release")
    split_by = serializers.ChoiceField(choices=SplitBy.choices, required=False, default=SplitBy.RELEASE)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, required=False, default=0)


class SplitOut(serializers.Serializer[Any]):
    split = serializers.ChoiceField(choices=RankingSplit.choices)
    lists = serializers.IntegerField()
    candidates = serializers.IntegerField()
    golds = serializers.IntegerField()
    unseen = serializers.IntegerField(help_text="lists none of whose entities is in a list of train")


class ListsOut(serializers.Serializer[Any]):
    """The ranking lists of one release."""

    release = serializers.CharField()
    splits = SplitOut(many=True)


class ReleasesOut(serializers.Serializer[Any]):
    releases = ListsOut(many=True)


class RankTablesOut(serializers.Serializer[Any]):
    release = serializers.CharField()
    split = serializers.ChoiceField(choices=RankingSplit.choices)
    tables = serializers.ListField(
        child=serializers.DictField(), help_text="key, title, columns, rows of cells, notes, signature"
    )

"""The ranking lists of a release: made once from its golds, within each split."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError
from django.utils.translation import gettext as _

from annotation.models import (
    AggregationInstance,
    AuditVerb,
    Project,
    RankingList,
    RankingSplit,
    Release,
    SplitBy,
)
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.core.word_patterns import join_names
from annotation.services.exports.releases import get_release
from annotation.services.sources.splits import NAMES, draw_splits, split_from
from annotation.transactions import write_transaction
from epitome.aggregations.filters import apply_filters
from epitome.metrics.ranking import LIST_SIZE, Instance, TooManyGolds, ranking_lists
from epitome.metrics.ranking import RankingList as DrawnList
from evaluation.services.aggregations.answers import check_kind, read_answers

SHARES = (50, 25, 25)
"""Percent in train, dev and test: 2:1:1, as in the paper."""
MAX_SEED = 2**63 - 1
BATCH = 500


@dataclass(frozen=True)
class GoldInstance:
    """A kept instance with its golds, and what its split is drawn by."""

    sample: int
    key: str
    entity_type: str
    names: tuple[str, ...]
    origin: str
    split: str
    golds: tuple[str, ...]


def make_ranking_lists(
    *, project: Project, tag: str, seed: int = 0, split_by: str = SplitBy.RELEASE, by: AbstractBaseUser | None
) -> int:
    """Make and store the lists of a release; returns how many. Negatives come from the same split.

    split_by: `release` takes the splits that the release was frozen with; `origin` and `instance` draw 2:1:1.
    Raises BadInput: no golds, a source without a split, more golds than places; Conflict: it has its lists already.
    """
    check_kind(project)
    if not 0 <= seed <= MAX_SEED:
        raise BadInput(_("The seed must be a whole number from 0."), field="seed")
    if split_by not in SplitBy.values:
        raise BadInput(_("Use one of: %(list)s.") % {"list": join_names(SplitBy.values)}, field="split_by")
    release = get_release(project=project, tag=tag)
    instances = read_gold_instances(project, release)
    if not instances:
        raise BadInput(_("No instance of this release has golds after the filters."), field="release", code="nogolds")
    splits = _split_instances(release, instances, split_by, seed)
    drawn = _draw_lists(instances, splits, seed)
    seen_names = _names_in_train(instances, splits)
    rows = [
        RankingList(
            project=project,
            release=release,
            sample_id=instance.sample,
            split=splits[instance.key],
            split_by=split_by,
            unseen=splits[instance.key] != RankingSplit.TRAIN and seen_names.isdisjoint(_typed_names(instance)),
            candidates=list(drawn[instance.key].candidates),
            golds=list(drawn[instance.key].gold),
            seed=seed,
        )
        for instance in instances
    ]
    _store_lists(project, release, rows, by)
    return len(rows)


def _store_lists(project: Project, release: Release, rows: list[RankingList], by: AbstractBaseUser | None) -> None:
    try:
        with write_transaction():
            if RankingList.objects.filter(release=release).exists():
                raise _exists_error(release)
            RankingList.objects.bulk_create(rows, batch_size=BATCH)
            target = f"release:{release.public_id}"
            audit.record_event(
                project=project, actor=by, verb=AuditVerb.RELEASE_MAKE_LISTS, target=target, lists=len(rows)
            )
    except IntegrityError as error:
        raise _exists_error(release) from error


def _exists_error(release: Release) -> Conflict:
    message = _("Ranking lists are made once, and the release %(tag)s already got them.")
    return Conflict(message % {"tag": release.tag}, code="exists", field="release")


def read_gold_instances(project: Project, release: Release) -> list[GoldInstance]:
    """The instances of a release that the filters keep, by key."""
    golds = apply_filters(read_answers(project, release)).golds_by_instance()
    rows = AggregationInstance.objects.filter(project=project).order_by("key")
    fields = ("sample_id", "key", "entity_type", "entities", "sample__document__origin_id", "sample__document__split")
    return [
        GoldInstance(sample, key, entity_type, tuple(entity["name"] for entity in entities), origin, split, golds[key])
        for sample, key, entity_type, entities, origin, split in rows.values_list(*fields).iterator(2000)
        if key in golds
    ]


def _split_instances(release: Release, instances: Sequence[GoldInstance], split_by: str, seed: int) -> dict[str, str]:
    """Key -> split. Raises BadInput where the release says nothing about one."""
    if split_by == SplitBy.INSTANCE:
        return split_by_instance([instance.key for instance in instances], seed)
    if split_by == SplitBy.ORIGIN:
        counts: dict[str, int] = {}
        for instance in instances:
            counts[instance.origin] = counts.get(instance.origin, 0) + 1
        drawn = draw_splits(seed=seed, origins=sorted(counts.items()), shares=SHARES)
        return {instance.key: drawn.of(instance.origin, "") for instance in instances}
    frozen = split_from(release.rows["splits"])
    splits = {instance.key: frozen.of(instance.origin, instance.split) for instance in instances}
    lacking = sorted(key for key, split in splits.items() if split not in NAMES)
    if lacking:
        message = _(
            "Instances of this release in no split: %(n)d, such as %(key)s. Draw the splits by article or by instance."
        )
        raise BadInput(message % {"n": len(lacking), "key": lacking[0]}, field="split_by", code="nosplit")
    return splits


def split_by_instance(keys: Sequence[str], seed: int) -> dict[str, str]:
    """2:1:1 in a random order of the seed, as in the paper: 1,718 instances give 858, 430 and 430."""
    ordered = sorted(keys, key=lambda key: hashlib.sha256(f"{seed}:{key}".encode()).digest())
    quarter = (len(ordered) + 2) // 4
    cuts = (len(ordered) - 2 * quarter, len(ordered) - quarter)
    return {key: NAMES[(index >= cuts[0]) + (index >= cuts[1])] for index, key in enumerate(ordered)}


def _draw_lists(instances: Sequence[GoldInstance], splits: Mapping[str, str], seed: int) -> dict[str, DrawnList]:
    """Key -> list; each split by itself. Raises BadInput for more golds than places."""
    drawn: dict[str, DrawnList] = {}
    for name in NAMES:
        of_split = [
            Instance(instance.key, instance.entity_type, instance.golds)
            for instance in instances
            if splits[instance.key] == name
        ]
        try:
            drawn |= {row.key: row for row in ranking_lists(of_split, seed)}
        except TooManyGolds as error:
            over = next(instance for instance in of_split if len(instance.golds) > LIST_SIZE)
            message = _("Too many golds for a list of %(size)d: the instance %(key)s has %(n)d.")
            values = {"key": over.key, "n": len(over.golds), "size": LIST_SIZE}
            raise BadInput(message % values, field="release", code="toomanygolds") from error
    return drawn


def _typed_names(instance: GoldInstance) -> set[tuple[str, str]]:
    return {(instance.entity_type, name) for name in instance.names}


def _names_in_train(instances: Sequence[GoldInstance], splits: Mapping[str, str]) -> set[tuple[str, str]]:
    in_train = (instance for instance in instances if splits[instance.key] == RankingSplit.TRAIN)
    return {name for instance in in_train for name in _typed_names(instance)}


def count_lists(project: Project, tag: str) -> list[dict[str, Any]]:
    """Per split: lists, candidates, golds, and how many are unseen."""
    counts = {name: dict.fromkeys(("lists", "candidates", "golds", "unseen"), 0) for name in NAMES}
    rows = RankingList.objects.of_release(project, tag).values_list("split", "golds", "unseen")
    for split, golds, unseen in rows.iterator(2000):
        counted = counts[split]
        counted["lists"] += 1
        counted["candidates"] += len(golds)
        counted["golds"] += sum(golds)
        counted["unseen"] += unseen
    return [{"split": name, **counted} for name, counted in counts.items()]

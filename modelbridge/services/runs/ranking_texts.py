"""The text set `ranking`: the candidates of a release's ranking lists, for systems that rank."""

from collections import Counter
from collections.abc import Collection
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Project, RankingList, RankingSplit, Release
from annotation.services.core.errors import BadInput
from annotation.services.core.word_patterns import join_names
from epitome.systems.protocol import Role
from modelbridge.services.runs.text_sets import ALONE, TEXT_SETS, Material

KEY = "ranking"
SPLIT_MARK = "/"
"""Between the tag of a release and a split: `ranking:v1/test`. No tag has it."""


def releases_with_lists(project: Project) -> list[Release]:
    """Newest first."""
    return list(Release.objects.filter(project=project, ranking_lists__isnull=False).distinct().order_by("-pk"))


def name_release(project: Project, over: str) -> str:
    """`ranking` alone is the newest release with lists; a run stores which, so that it stays the same when resumed."""
    if over != KEY:
        return over
    releases = releases_with_lists(project)
    return f"{KEY}:{releases[0].tag}" if releases else over


def count_train_golds(project: Project, tag: str) -> Counter[str]:
    """Text -> for how many instances of the train split it is gold."""
    counts: Counter[str] = Counter()
    lists = RankingList.objects.of_release(project, tag).filter(split=RankingSplit.TRAIN)
    for candidates, golds in lists.values_list("candidates", "golds"):
        counts.update(text for text, gold in zip(candidates, golds, strict=True) if gold)
    return counts


def parse_argument(argument: str) -> tuple[str, str]:
    """(tag, split) of `v1/test`; split "": all."""
    tag, _mark, split = argument.partition(SPLIT_MARK)
    return tag, split


def find_lists(project: Project, argument: str) -> "QuerySet[RankingList]":
    """The lists that `v1` or `v1/test` names."""
    tag, split = parse_argument(argument)
    lists = RankingList.objects.of_release(project, tag)
    return lists.filter(split=split) if split else lists


class RankingLists:
    """The candidates of each instance, with how often each is gold in the train split. Argument: the tag of a release,
    or one split of it as `v1/test`."""

    key = KEY
    title: Any = gettext_lazy("Ranking lists")
    roles: frozenset[Role] = frozenset({"rank"})

    def list_arguments(self, project: Project) -> list[tuple[str, str]]:
        tags = [release.tag for release in releases_with_lists(project)]
        splits = [(f"{SPLIT_MARK}{split}", f", {split.label}") for split in RankingSplit]
        return [(tag + ending, tag + words) for tag in tags for ending, words in (("", ""), *splits)]

    def check(self, project: Project, argument: str) -> None:
        if not find_lists(project, argument).exists():
            known = join_names(release.tag for release in releases_with_lists(project))
            if not known:
                message = _("No release has ranking lists yet: make them on the page Rankings.")
                raise BadInput(message, field="over", code="over")
            message = _("There are no ranking lists %(name)s; these releases have some: %(known)s.")
            raise BadInput(message % {"name": argument[:80], "known": known}, field="over", code="over")

    def list_samples(self, project: Project, argument: str) -> Collection[int]:
        return set(find_lists(project, argument).values_list("sample_id", flat=True))

    def load(self, project: Project, argument: str, samples: Collection[int]) -> dict[int, list[Material]]:
        counts = count_train_golds(project, parse_argument(argument)[0])
        rows = find_lists(project, argument).filter(sample__in=samples)
        return {
            sample: [_build_material(pk, candidates, counts)]
            for sample, pk, candidates in rows.values_list("sample_id", "pk", "candidates")
        }


def _build_material(pk: int, candidates: list[str], counts: Counter[str]) -> Material:
    train_counts = tuple(counts[text] for text in candidates)
    return Material(ALONE, candidates=tuple(candidates), origin=f"ranking-list:{pk}", train_counts=train_counts)


TEXT_SETS.register(RankingLists())

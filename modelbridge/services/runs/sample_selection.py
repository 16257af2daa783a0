"""Selects the samples of a run and their order, and counts the reasons why others are left out."""

from collections import Counter
from typing import NamedTuple

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy

from annotation.models import Project, Sample

REASONS = {
    "damaged": gettext_lazy("%(n)s of a damaged source"),
    "not selected": gettext_lazy("%(n)s of a source that was not selected"),
    "no text": gettext_lazy("without a text of this set: %(n)s"),
    "not chosen yet": gettext_lazy("%(n)s without chosen topics and speakers"),
}


class ListedSample(NamedTuple):
    """One sample of a run. n_words: of its source."""

    pk: int
    n_words: int


def complete_samples(project: Project, split: str = "") -> "QuerySet[Sample]":
    """Samples ready for systems: active, of a usable source, with topics and speakers chosen. In file order."""
    return _active_samples(project, split).filter(
        group__frozen_at__isnull=False, document__selected=True, document__damaged=False
    ).order_by("document_id", "position")  # fmt: skip


def _active_samples(project: Project, split: str) -> "QuerySet[Sample]":
    rows = Sample.objects.active().filter(project=project, document__published=True)
    return rows.filter(document__split=split) if split else rows


def list_samples(project: Project, split: str = "") -> list[ListedSample]:
    """The samples of a run over a split (all by default), in file order."""
    return [ListedSample(*row) for row in complete_samples(project, split).values_list("pk", "document__n_words")]


def count_left_out(project: Project, split: str = "") -> dict[str, int]:
    """Reason why samples of the split are left out -> how many."""
    counts: Counter[str] = Counter()
    rows = _active_samples(project, split).values_list("group__frozen_at", "document__selected", "document__damaged")
    for frozen_at, selected, damaged in rows:
        if damaged:
            counts["damaged"] += 1
        elif not selected:
            counts["not selected"] += 1
        elif frozen_at is None:
            counts["not chosen yet"] += 1
    return dict(counts)


def describe_left_out(counts: dict[str, int]) -> str:
    """A text with the counts of count_left_out()."""
    return ", ".join(str(REASONS[why] % {"n": n}) for why, n in counts.items())


def splits_of(project: Project) -> list[str]:
    """The splits that have complete samples; "" is a missing split."""
    splits = complete_samples(project).order_by("document__split").values_list("document__split", flat=True)
    return list(splits.distinct())


def work_orders(samples: list[ListedSample]) -> list[int]:
    """Each sample's rank by source length, longest first: even batches, and lack of memory shows early."""
    order = sorted(range(len(samples)), key=lambda place: (-samples[place].n_words, place))
    places = [0] * len(samples)
    for place, number in enumerate(order):
        places[number] = place
    return places

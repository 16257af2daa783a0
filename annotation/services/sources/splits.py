"""Splits: kept from the import, or drawn by origin, so that pieces of one meeting or article stay together."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q

from annotation.models import Project, Sample, SourceDocument

NAMES = ("train", "dev", "test")
USUAL_SHARES = (80, 10, 10)
ALGORITHM = "origin-hash@1"
LISTED = 100


def place_of_origin(seed: int, origin_id: str) -> int:
    """The place of an origin in the random order of a seed: 63 bits that depend on nothing else."""
    digest = hashlib.sha256(f"{seed}:{origin_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


@dataclass(frozen=True, slots=True)
class ImportedSplits:
    """The splits from the import."""

    def of(self, origin_id: str, split: str) -> str:
        return split

    def as_dict(self) -> dict[str, Any]:
        return {"by": "import"}


@dataclass(frozen=True, slots=True)
class ByOrigin:
    """train, dev and test by an origin's place in the order of a seed. cuts: the first places of dev and of test.
    shares: percent of the sources."""

    seed: int
    cuts: tuple[int, int]
    shares: tuple[int, int, int] = USUAL_SHARES

    def of(self, origin_id: str, split: str) -> str:
        place = place_of_origin(self.seed, origin_id)
        return NAMES[(place >= self.cuts[0]) + (place >= self.cuts[1])]

    def as_dict(self) -> dict[str, Any]:
        shares = {name: share / 100 for name, share in zip(NAMES, self.shares, strict=True)}
        return {"by": "origin", "seed": self.seed, "algorithm": ALGORITHM, "shares": shares, "cuts": list(self.cuts)}


Splits = ImportedSplits | ByOrigin


def split_from(stored: dict[str, Any]) -> Splits:
    """Back from `as_dict`."""
    if stored["by"] == "import":
        return ImportedSplits()
    first, second = stored["cuts"]
    train, dev, test = (round(100 * stored["shares"][name]) for name in NAMES)
    return ByOrigin(stored["seed"], (first, second), (train, dev, test))


def draw_splits(
    *, seed: int, origins: Iterable[tuple[str, int]], shares: tuple[int, int, int] = USUAL_SHARES
) -> ByOrigin:
    """Cut the seeded order of origins so that train, dev and test get about these percents of the sources.

    origins: (origin id, number of its sources), each origin once, in any order. An origin goes to the split in which
    its middle source falls. Keeps 16 bytes per origin.
    """
    import numpy as np

    pairs = np.fromiter(
        ((place_of_origin(seed, origin), n) for origin, n in origins), dtype=[("place", "<i8"), ("sources", "<i8")]
    )
    pairs.sort(order="place")
    middles = np.cumsum(pairs["sources"]) - pairs["sources"] / 2
    total = int(pairs["sources"].sum())
    cuts = []
    for share in (shares[0], shares[0] + shares[1]):
        first = int(np.searchsorted(middles, share * total / 100))
        cuts.append(int(pairs["place"][first]) if first < len(pairs) else 2**63 - 1)
    return ByOrigin(seed, (cuts[0], cuts[1]), shares)


def draw_project_splits(*, project: Project, seed: int, shares: tuple[int, int, int]) -> ByOrigin:
    """The splits of a project's sources by origin."""
    rows = SourceDocument.objects.filter(project=project).order_by().values_list("origin_id").annotate(n=Count("pk"))
    return draw_splits(seed=seed, origins=rows.iterator(), shares=shares)


def find_crossings(*, project: Project, splits: Splits) -> dict[str, Any]:
    """Origins whose sources or summaries are in more than one split: their number, and the first hundred with their
    splits.

    There are none when the splits were drawn by origin.
    """
    if isinstance(splits, ByOrigin):
        return {"origins": 0, "listed": []}
    rows = SourceDocument.objects.filter(~Q(split=""), project=project).order_by().values("origin_id")
    across = rows.annotate(n=Count("split", distinct=True)).filter(n__gt=1).order_by("origin_id")
    by_summaries = _find_crossings_by_summaries(project)
    if by_summaries:
        crossing = by_summaries | set(across.values_list("origin_id", flat=True))
        n_crossing, listed = len(crossing), sorted(crossing)[:LISTED]
    else:
        n_crossing, listed = across.count(), [row["origin_id"] for row in across[:LISTED]]
    splits_by_origin: dict[str, set[str]] = {origin: set() for origin in listed}
    pairs = SourceDocument.objects.filter(project=project, origin_id__in=listed).order_by().values_list
    for origin, split in pairs("origin_id", "split").distinct():
        splits_by_origin[origin].add(split)
    for origin, split in _list_own_splits(project).filter(document__origin_id__in=listed if by_summaries else ()):
        splits_by_origin[origin].add(split)
    # PostgreSQL's collation and SQLite's differ: sorted here, so that both give the same report.
    entries = [{"origin_id": origin, "splits": sorted(splits_by_origin[origin])} for origin in sorted(splits_by_origin)]
    return {"origins": n_crossing, "listed": entries}


def _list_own_splits(project: Project) -> Any:
    """(origin, split) of samples with a split of their own, each pair once."""
    rows = Sample.objects.filter(~Q(split=""), project=project).order_by()
    return rows.values_list("document__origin_id", "split").distinct()


def _find_crossings_by_summaries(project: Project) -> set[str]:
    """Origins with a summary whose own split is none of its source."""
    rows = Sample.objects.filter(~Q(split=""), project=project).exclude(split=F("document__split"))
    return set(rows.order_by().values_list("document__origin_id", flat=True).distinct())

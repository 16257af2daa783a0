"""Checks of splits before publication: origins in several splits, and equal or nearly equal texts across splits."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from annotation.models import SourceDocument
from annotation.services.exports.dataset_reader import Unit
from annotation.services.sources.near_duplicates import NearDuplicates
from epitome.publication.split_names import held_out_order

LISTED = 50
MAX_COMPARED = 2_000


class SplitChecks:
    """Collects the units of a publication; `report` says what crosses splits. In memory: a few hashes per row."""

    def __init__(self) -> None:
        self.near = NearDuplicates(part=1, max_compared=MAX_COMPARED)
        self.splits_by_origin: dict[str, set[str]] = defaultdict(set)
        self.documents_by_text: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self.splits_by_summary: dict[bytes, set[str]] = defaultdict(set)
        self.split_by_document: dict[int, str] = {}
        self.n_without_split = 0

    def add(self, unit: Unit) -> None:
        source = unit.source
        split, origin = source["split"], source["origin_id"]
        self.near.add(document_id=unit.document_id, origin_id=origin, split=split, segments=unit.segments)
        self.split_by_document[unit.document_id] = split
        self.splits_by_origin[origin].update({split, *(line["split"] for line in unit.lines)})
        self.documents_by_text[source["content_hash"]].append((unit.document_id, split))
        self.n_without_split += not split
        for line in unit.lines:
            if text := " ".join((line.get("text") or "").casefold().split()):
                self.splits_by_summary[hashlib.sha256(text.encode()).digest()[:12]].add(line["split"])

    def report(self) -> dict[str, Any]:
        """JSON: numbers and examples for pages, and which rows to leave out where staff choose so: origin -> the split
        that keeps it, and the sources (keys) that leave."""
        kept_split = {
            origin: max(splits, key=held_out_order)
            for origin, splits in self.splits_by_origin.items()
            if len(splits) > 1
        }
        equal_pairs = self._find_equal_pairs()
        n_compared, near_pairs = self.near.find_pairs()
        equal = {frozenset(pair) for pair in equal_pairs}
        ids = self.near.ids
        near_pairs = [row for row in near_pairs if frozenset((ids[row[1]], ids[row[2]])) not in equal]
        pairs = [*equal_pairs, *((ids[first], ids[second]) for _share, first, second in near_pairs)]
        return {
            "crossings": {
                "origins": len(kept_split),
                "listed": [
                    {"origin_id": origin, "splits": sorted(self.splits_by_origin[origin])}
                    for origin in sorted(kept_split)[:LISTED]
                ],
            },
            "equal_texts": {"pairs": len(equal_pairs), "listed": self._name_pairs(equal_pairs[:LISTED])},
            "near_duplicates": self.near.describe_pairs(n_compared, near_pairs),
            "equal_summaries": {"texts": sum(len(splits) > 1 for splits in self.splits_by_summary.values())},
            "without_split": self.n_without_split if any(self.split_by_document.values()) else 0,
            "leaks": len(kept_split) + len(pairs),
            "leave": {
                "kept_split": kept_split,
                "documents": sorted({self._less_held_out(*pair) for pair in pairs}),
            },
        }

    def _find_equal_pairs(self) -> list[tuple[int, int]]:
        """For every text in several splits: its most held-out source with each source in another split."""
        pairs: list[tuple[int, int]] = []
        for rows in self.documents_by_text.values():
            if len({split for _pk, split in rows}) > 1:
                kept_pk, kept_split = max(rows, key=lambda row: (held_out_order(row[1]), -row[0]))
                pairs.extend((kept_pk, pk) for pk, split in rows if split != kept_split)
        return pairs

    def _less_held_out(self, first: int, second: int) -> int:
        return min(first, second, key=lambda pk: (held_out_order(self.split_by_document[pk]), -pk))

    def _name_pairs(self, pairs: list[tuple[int, int]]) -> list[dict[str, Any]]:
        ids = {pk for pair in pairs for pk in pair}
        names = dict(SourceDocument.objects.filter(pk__in=ids).values_list("pk", "external_id"))
        return [
            {"sources": [names[pk] for pk in pair], "splits": [self.split_by_document[pk] for pk in pair], "share": 1.0}
            for pair in pairs
        ]


def leave_out_leaks(unit: Unit, kept_splits: Mapping[str, str], leaving: Collection[int]) -> bool:
    """Drop in place the lines of a unit that leak into a less held-out split; False: the source leaves with all.
    kept_splits, leaving: `leave` of a report, the sources as a set."""
    if unit.document_id in leaving:
        return False
    kept_split = kept_splits.get(unit.source["origin_id"])
    if kept_split is None:
        return True
    unit.lines = [line for line in unit.lines if line["split"] == kept_split]
    if not unit.lines and unit.source["split"] != kept_split:
        return False
    unit.source["split"] = kept_split
    return True

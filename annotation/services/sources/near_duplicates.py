"""Finds sources of different origins that share much of their text but are in different splits.

Every source is hashed in runs of eight words; only hashes divisible by a number are kept. Two sources that share kept
hashes are compared word for word. The divisor grows with the corpus, so memory is bounded.
"""

from array import array
from collections import Counter
from typing import TYPE_CHECKING, Any
from zlib import crc32

from annotation.models import SourceText
from annotation.services.sources.splits import place_of_origin
from epitome.text.unspaced import cut_words, has_unspaced

if TYPE_CHECKING:
    import numpy as np

RUN = 8
THRESHOLD = 0.5
MAX_KEPT = 1_000_000
FIRST_PART = 8
MAX_SHARERS = 20
"""A run shared by more sources than this is boilerplate and is ignored."""
MAX_PAIRS = 200_000
MAX_COMPARED = 300
LISTED = 100


def words_of(segments: list[dict[str, Any]]) -> list[bytes]:
    """Lower-case words of the segments' texts, speakers left out."""
    text = " ".join(segment["text"] for segment in segments).lower()
    return [word.encode() for word in cut_words(text)] if has_unspaced(text) else text.encode().split()


def runs_of(words: list[bytes]) -> "np.ndarray[Any, np.dtype[np.uint64]]":
    """One 64-bit hash per run of RUN words, each once; a shorter text is one run."""
    import numpy as np

    if not words:
        return np.empty(0, np.uint64)
    codes = np.fromiter(map(crc32, words), np.uint64, len(words))
    n = max(len(codes) - RUN + 1, 1)
    hashes = np.zeros(n, np.uint64)
    for index in range(min(RUN, len(codes))):
        hashes = hashes * np.uint64(0x9E3779B97F4A7C15) + codes[index : index + n] + np.uint64(1)
    hashes ^= hashes >> np.uint64(29)
    return np.unique(hashes * np.uint64(0xBF58476D1CE4E5B9))


def containment(first: list[bytes], second: list[bytes]) -> float:
    """Share of the smaller text's runs that the other text has too."""
    import numpy as np

    a, b = runs_of(first), runs_of(second)
    smaller = min(len(a), len(b))
    return len(np.intersect1d(a, b, assume_unique=True)) / smaller if smaller else 0.0


class NearDuplicates:
    """Collects sources one by one; `report` lists the near duplicates among them.

    part: one of this many runs is kept; 1 keeps all, so that short texts are compared too. max_compared: how many pairs
    are compared word for word, those that share most runs first."""

    def __init__(self, *, part: int = FIRST_PART, max_compared: int = MAX_COMPARED) -> None:
        self.part, self.max_compared = part, max_compared
        self.kept, self.owner = array("Q"), array("q")
        self.ids, self.origins, self.splits = array("q"), array("q"), array("b")
        self.split_names: list[str] = []

    def add(self, *, document_id: int, origin_id: str, split: str, segments: list[dict[str, Any]]) -> None:
        if split not in self.split_names:
            self.split_names.append(split)
        runs = runs_of(words_of(segments))
        runs = runs[runs % self.part == 0]
        self.kept.frombytes(runs.tobytes())
        self.owner.extend([len(self.ids)] * len(runs))
        self.ids.append(document_id)
        self.origins.append(place_of_origin(0, origin_id))
        self.splits.append(self.split_names.index(split))
        if len(self.kept) > MAX_KEPT:
            self._thin_out()

    def _thin_out(self) -> None:
        import numpy as np

        self.part *= 2
        hashes, owner = np.frombuffer(self.kept, np.uint64), np.frombuffer(self.owner, np.int64)
        stays = hashes % self.part == 0
        hashes, owner = hashes[stays], owner[stays]
        self.kept, self.owner = array("Q", hashes.tobytes()), array("q", owner.tobytes())

    def shared_runs(self) -> "Counter[tuple[int, int]]":
        """How many kept runs two sources of different origins and splits share, by the two sources' numbers."""
        import numpy as np

        hashes, owner = np.frombuffer(self.kept, np.uint64), np.frombuffer(self.owner, np.int64)
        order = np.argsort(hashes, kind="stable")
        hashes = hashes[order]
        starts = (
            np.flatnonzero(np.concatenate(([True], hashes[1:] != hashes[:-1]))) if len(hashes) else np.empty(0, int)
        )
        sizes = np.diff(np.append(starts, len(hashes)))
        shared: Counter[tuple[int, int]] = Counter()
        for index in np.flatnonzero((sizes > 1) & (sizes <= MAX_SHARERS)):
            sharers = sorted(owner[order[starts[index] : starts[index] + sizes[index]]].tolist())
            for position, first in enumerate(sharers):
                for second in sharers[position + 1 :]:
                    if self.splits[first] != self.splits[second] and self.origins[first] != self.origins[second]:
                        shared[first, second] += 1
            if len(shared) > MAX_PAIRS:
                break
        return shared

    def find_pairs(self) -> tuple[int, list[tuple[float, int, int]]]:
        """How many pairs were compared, and (share, number, number) of those that share at least half of their runs."""
        candidates = sorted(self.shared_runs().items(), key=lambda item: (-item[1], item[0]))[: self.max_compared]
        duplicates = []
        for (first, second), _shared in candidates:
            share = self._compare(self.ids[first], self.ids[second])
            if share >= THRESHOLD:
                duplicates.append((round(share, 4), first, second))
        duplicates.sort(key=lambda row: (-row[0], row[1], row[2]))
        return len(candidates), duplicates

    def report(self) -> dict[str, Any]:
        """How many pairs were compared, and those that share at least half of their runs: source ids, splits, share."""
        return self.describe_pairs(*self.find_pairs())

    def describe_pairs(self, n_compared: int, duplicates: list[tuple[float, int, int]]) -> dict[str, Any]:
        """What `find_pairs` returned, with the ids of the sources."""
        listed = [self._row(*row) for row in duplicates[:LISTED]]
        limits = {"run_of_words": RUN, "threshold": THRESHOLD}
        return {**limits, "compared": n_compared, "pairs": len(duplicates), "listed": listed}

    def _row(self, share: float, first: int, second: int) -> dict[str, Any]:
        splits = [self.split_names[self.splits[first]], self.split_names[self.splits[second]]]
        names = dict(
            SourceText.objects.filter(pk__in=[self.ids[first], self.ids[second]]).values_list(
                "pk", "document__external_id"
            )
        )
        return {"sources": [names[self.ids[first]], names[self.ids[second]]], "splits": splits, "share": share}

    @staticmethod
    def _compare(first: int, second: int) -> float:
        texts = SourceText.objects.in_bulk([first, second])
        if len(texts) < 2:
            return 0.0
        return containment(words_of(texts[first].segments), words_of(texts[second].segments))

"""Files with the requests of MACSum's splits, and texts of their own."""

from collections.abc import Iterator, Sequence

from epitome.metrics.aggregate import Aggregate
from epitome.metrics.draws import mean_of
from epitome.metrics.known_splits import REQUESTS
from epitome.metrics.macsum_samples import ORDINAL, MacsumFile, Sample, Source
from epitome.metrics.published import find_table
from epitome.metrics.table_numbers import ContentMetric, ContentNumber, MeasuredText, TableOptions


class EveryWordANoun:
    """A tagger without a pipeline."""

    id = "nouns@1"

    def tag(self, batch: Sequence[Sequence[str]]) -> list[list[str]]:
        return [["NN"] * len(words) for words in batch]


def read_requests(key: str) -> Iterator[dict[str, str]]:
    """Requests as often as in a split; each attribute by itself."""
    columns = {
        name: [value for value, count in counts.items() for _ in range(count)] for name, counts in REQUESTS[key].items()
    }
    for row in zip(*columns.values(), strict=True):
        yield dict(zip(columns, row, strict=True))


def build_macsum_file(key: str, dataset: str, rows: list[dict[str, str]]) -> MacsumFile:
    sources = tuple(
        Source(f"id{number}", "document", ("Text.",), {"dataset": dataset})
        for number in range(int(find_table("macsum/splits").cell(key, "sources") or 0))
    )
    samples = tuple(Sample(0, f"id0#{place}", row, {}, "text", (0, "", "")) for place, row in enumerate(rows))
    return MacsumFile("made-up.json", sources, samples, tuple(ORDINAL))


def compute_length_ratio(rows: Sequence[MeasuredText], options: TableOptions) -> dict[str, Aggregate]:
    """Characters of a text per character of its reference."""
    ratios = [len(row.text) / len(row.reference.text) for row in rows if row.reference]
    return {"chars": mean_of("length-ratio", "1", ratios, options.draws_of(rows))}


LENGTH_RATIO = ContentMetric(
    "length-ratio",
    "Size",
    (ContentNumber("chars", "Chars", "Ch", "Length ratio, characters", digits=2),),
    compute_length_ratio,
    lambda language: "characters",
    better="→",
)
"""A metric of content that is not built in."""

"""Files with the requests of MACSum's splits, and texts of their own."""

from collections.abc import Iterator

from evaluation.metrics.known_splits import REQUESTS
from evaluation.metrics.macsum_file import ORDINAL, MacsumFile, Sample, Source
from evaluation.metrics.published import find_table


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

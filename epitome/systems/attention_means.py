"""Mean attention of fusion layers to their adapters over many outputs, and over those of each requested value."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from epitome.systems.protocol import RequestValue

SITES = ("encoder", "decoder")


class AttentionMeans:
    """Sums the attention of samples one by one; every sample counts the same."""

    def __init__(self) -> None:
        self.adapters: list[str] = []
        self._sums: dict[str, dict[str, list[list[float]]]] = {}
        self._counts: dict[str, int] = {}

    def add(self, values: Mapping[str, RequestValue], attention: Mapping[str, Any]) -> None:
        """attention: adapters, and layers x adapters of encoder and decoder. Samples of other adapters than the first
        one's are left out."""
        self.adapters = self.adapters or list(attention["adapters"])
        if list(attention["adapters"]) != self.adapters:
            return
        for key in ["", *requested_keys(values)]:
            sums = self._sums.setdefault(key, {})
            for site in SITES:
                sums[site] = _add_rows(sums.get(site), attention[site])
            self._counts[key] = self._counts.get(key, 0) + 1

    def as_dict(self) -> dict[str, Any]:
        """adapters; all: n and the mean rows of each site; by_value: the same for each "attribute=value" in the order
        of the names, and for each list that was requested at all. Empty without samples."""
        if not self._counts:
            return {}
        by_value = {key: self._mean(key) for key in sorted(self._counts) if key}
        return {"adapters": self.adapters, "all": self._mean(""), "by_value": by_value}

    def _mean(self, key: str) -> dict[str, Any]:
        n = self._counts[key]
        rows = {site: [[round(total / n, 5) for total in row] for row in self._sums[key][site]] for site in SITES}
        return {"n": n, **rows}


def requested_keys(values: Mapping[str, RequestValue]) -> list[str]:
    """ "attribute=value" of every requested value; of a list that is not empty its attribute alone."""
    return [f"{name}={value}" if isinstance(value, str) else name for name, value in values.items() if value]


def _add_rows(sums: list[list[float]] | None, rows: Sequence[Sequence[float]]) -> list[list[float]]:
    if sums is None:
        return [list(row) for row in rows]
    return [[a + b for a, b in zip(first, second, strict=True)] for first, second in zip(sums, rows, strict=True)]


def mean_attention(samples: Iterable[tuple[Mapping[str, RequestValue], Mapping[str, Any]]]) -> dict[str, Any]:
    """Of (requested values, attention) of each sample; {} without samples."""
    means = AttentionMeans()
    for values, attention in samples:
        means.add(values, attention)
    return means.as_dict()


def mean_over_layers(rows: Mapping[str, Any]) -> list[float]:
    """The mean weight of each adapter over all layers of encoder and decoder."""
    layers = [row for site in SITES for row in rows[site]]
    return [sum(column) / len(layers) for column in zip(*layers, strict=True)]

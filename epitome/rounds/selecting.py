"""Selects the samples of a round: seeded random order, spread over sources, and over values where configured."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from epitome.rounds.config import Selection
from epitome.sampling.generator import Generator

SELECT = "select@1"


@dataclass(frozen=True)
class Candidate:
    """A sample that could be shown. key: {source's external id}#{position}, of a contrastive example with its own id
    after a slash. request: attribute -> value or texts."""

    key: str
    source: str
    domain: str
    request: Mapping[str, object]


class NotEnough(ValueError):
    """There are fewer samples than the design asks for. `found`, `wanted`: counts.

    `too_large`: the key of the number that asks for too much, such as "n"; "" where there is none. `nearest`: the
    largest that may be enough; None where no number is.
    """

    def __init__(
        self, message: str, *, found: int, wanted: int, too_large: str = "", nearest: int | None = None
    ) -> None:
        super().__init__(message)
        self.found, self.wanted = found, wanted
        self.too_large, self.nearest = too_large, nearest


def is_empty(value: object) -> bool:
    """Whether a request asks for nothing in an attribute: no value, or no topic."""
    return value is None or value == "" or value == [] or value == ()


def select_samples(
    pool: Sequence[Candidate], selection: Selection, *, seed: int, attributes: Sequence[str], label: str = ""
) -> list[Candidate]:
    """n samples per domain in the order in which they were drawn; the same for any order of `pool`.

    attributes: those asked about, whose questions are counted where `count` says so. label: name of the draw, for
    independent ones. Raises NotEnough.
    """
    fitting = [
        candidate
        for candidate in pool
        if all(not is_empty(candidate.request.get(key)) for key in selection.require_nonempty)
    ]
    samples: list[Candidate] = []
    domains = sorted({candidate.domain for candidate in fitting}) or [""]
    for domain in domains:
        domain_candidates = sorted(
            (candidate for candidate in fitting if candidate.domain == domain), key=lambda candidate: candidate.key
        )
        order = _spread_over_sources(Generator(seed, SELECT, domain, label).shuffled(domain_candidates))
        samples += _fill_selection(order, selection, attributes, domain if len(domains) > 1 else "")
    return samples


def _spread_over_sources(order: Sequence[Candidate]) -> list[Candidate]:
    """The same candidates, reordered: one of every source before the second of any."""
    seen: Counter[str] = Counter()
    ranked = []
    for index, candidate in enumerate(order):
        ranked.append((seen[candidate.source], index, candidate))
        seen[candidate.source] += 1
    return [candidate for _rank, _place, candidate in sorted(ranked, key=lambda row: row[:2])]


def _fill_selection(
    order: Sequence[Candidate], selection: Selection, attributes: Sequence[str], domain: str
) -> list[Candidate]:
    samples = _select_floors(order, selection, domain) if selection.stratify and selection.floor else []
    keys = {candidate.key for candidate in samples}
    remaining = [candidate for candidate in order if candidate.key not in keys]
    if selection.count == "samples":
        samples += remaining[: max(0, selection.n - len(samples))]
        if len(samples) < selection.n:
            _fail_not_enough(
                f"{len(samples)} samples fit", len(samples), selection.n, domain, "n", len(samples) or None
            )
        return samples
    for candidate in remaining:
        lacking = [key for key in attributes if _count_asking(samples, key) < selection.n]
        if not lacking:
            break
        if any(not is_empty(candidate.request.get(key)) for key in lacking):
            samples.append(candidate)
    for key in attributes:
        n_asking = _count_asking(samples, key)
        if n_asking < selection.n:
            _fail_not_enough(
                f"{n_asking} samples ask about {key}", n_asking, selection.n, domain, "n", n_asking or None
            )
    return samples


def _count_asking(samples: Sequence[Candidate], key: str) -> int:
    return sum(not is_empty(candidate.request.get(key)) for candidate in samples)


def _select_floors(order: Sequence[Candidate], selection: Selection, domain: str) -> list[Candidate]:
    """The first `floor` of every value of the stratifying attribute."""
    values = sorted({str(candidate.request.get(selection.stratify)) for candidate in order})
    samples = []
    for value in values:
        value_samples = [candidate for candidate in order if str(candidate.request.get(selection.stratify)) == value][
            : selection.floor
        ]
        if len(value_samples) < selection.floor:
            _fail_not_enough(
                f"{len(value_samples)} samples ask for {selection.stratify} {value}",
                len(value_samples),
                selection.floor,
                domain,
                "floor",
                len(value_samples),
            )
        samples += value_samples
    if len(samples) > selection.n and selection.count == "samples":
        _fail_not_enough(
            f"{len(values)} values with {selection.floor} each are {len(samples)}",
            selection.n,
            len(samples),
            domain,
            "floor",
            selection.n // len(values),
        )
    places = {candidate.key: index for index, candidate in enumerate(order)}
    return sorted(samples, key=lambda candidate: places[candidate.key])


def _fail_not_enough(
    message: str, n_available: int, n_needed: int, domain: str, too_large: str, nearest: int | None
) -> None:
    where = f" in {domain}" if domain else ""
    raise NotEnough(
        f"{message}{where}, {n_needed} are needed",
        found=n_available,
        wanted=n_needed,
        too_large=too_large,
        nearest=nearest,
    )

"""Which samples a round takes: by chance, fixed by the seed, spread over sources, and over values where asked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.sampling.generator import Generator
from evaluation.rounds.config import Selection

SELECT = "select@1"


@dataclass(frozen=True)
class Candidate:
    """A sample that could be shown. key: {source's external id}#{position}. request: attribute -> value or texts."""

    key: str
    source: str
    domain: str
    request: Mapping[str, object]


class NotEnough(ValueError):
    """There are fewer samples than the design asks for. `found`, `wanted`: counts."""

    def __init__(self, message: str, *, found: int, wanted: int) -> None:
        super().__init__(message)
        self.found, self.wanted = found, wanted


def is_empty(value: object) -> bool:
    """Whether a request asks for nothing in an attribute: no value, or no topic."""
    return value is None or value == "" or value == [] or value == ()


def select(
    pool: Sequence[Candidate], selection: Selection, *, seed: int, attributes: Sequence[str], label: str = ""
) -> list[Candidate]:
    """n samples per domain in the order in which they were drawn; the same for any order of `pool`.

    attributes: those asked about, whose questions are counted where `count` says so. label: whose draw it is, for
    independent ones. Raises NotEnough.
    """
    fitting = [one for one in pool if all(not is_empty(one.request.get(key)) for key in selection.require_nonempty)]
    found: list[Candidate] = []
    for domain in sorted({one.domain for one in fitting}) or [""]:
        own = sorted((one for one in fitting if one.domain == domain), key=lambda one: one.key)
        order = _spread(Generator(seed, SELECT, domain, label).shuffled(own))
        found += _taken(order, selection, attributes, domain)
    return found


def _spread(order: Sequence[Candidate]) -> list[Candidate]:
    """The same candidates, one of every source before the second of any."""
    seen: Counter[str] = Counter()
    ranked = []
    for place, one in enumerate(order):
        ranked.append((seen[one.source], place, one))
        seen[one.source] += 1
    return [one for _rank, _place, one in sorted(ranked, key=lambda row: row[:2])]


def _taken(order: Sequence[Candidate], selection: Selection, attributes: Sequence[str], domain: str) -> list[Candidate]:
    taken = _floors(order, selection, domain) if selection.stratify and selection.floor else []
    keys = {one.key for one in taken}
    rest = [one for one in order if one.key not in keys]
    if selection.count == "samples":
        taken += rest[: max(0, selection.n - len(taken))]
        if len(taken) < selection.n:
            _refuse(f"{len(taken)} samples fit", len(taken), selection.n, domain)
        return taken
    for one in rest:
        lacking = [key for key in attributes if _asked(taken, key) < selection.n]
        if not lacking:
            break
        if any(not is_empty(one.request.get(key)) for key in lacking):
            taken.append(one)
    for key in attributes:
        if _asked(taken, key) < selection.n:
            _refuse(f"{_asked(taken, key)} samples ask about {key}", _asked(taken, key), selection.n, domain)
    return taken


def _asked(taken: Sequence[Candidate], key: str) -> int:
    return sum(not is_empty(one.request.get(key)) for one in taken)


def _floors(order: Sequence[Candidate], selection: Selection, domain: str) -> list[Candidate]:
    """The first `floor` of every value of the stratifying attribute."""
    values = sorted({str(one.request.get(selection.stratify)) for one in order})
    found = []
    for value in values:
        own = [one for one in order if str(one.request.get(selection.stratify)) == value][: selection.floor]
        if len(own) < selection.floor:
            _refuse(f"{len(own)} samples ask for {selection.stratify} {value}", len(own), selection.floor, domain)
        found += own
    if len(found) > selection.n and selection.count == "samples":
        _refuse(f"{len(values)} values with {selection.floor} each are {len(found)}", selection.n, len(found), domain)
    places = {one.key: place for place, one in enumerate(order)}
    return sorted(found, key=lambda one: places[one.key])


def _refuse(message: str, found: int, wanted: int, domain: str) -> None:
    where = f" in {domain}" if domain else ""
    raise NotEnough(f"{message}{where}, {wanted} are needed", found=found, wanted=wanted)

"""Work that is several writes by design."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

TRIES = frozenset({"annotation_auditevent"})


@dataclass(frozen=True)
class Several:
    """Each of its writes is all or nothing, and after a break between two of them the work can be done again.

    writes: at most this many. counts_tries: tables in which one attempt more leaves one row more.
    """

    work: Callable[[], Any]
    writes: int
    counts_tries: frozenset[str] = frozenset()

    def __call__(self) -> Any:
        return self.work()

    def settled(self, difference: dict[str, int]) -> dict[str, int]:
        return {table: n for table, n in difference.items() if table not in self.counts_tries}

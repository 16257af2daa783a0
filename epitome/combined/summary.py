"""All estimates of some rows together: per system, between systems, and of sequences where a round looked."""

from collections.abc import Sequence
from dataclasses import dataclass

from epitome.combined.estimates import LEVEL
from epitome.combined.formulas import list_formulas
from epitome.combined.group_estimates import GroupEstimate, estimate_differences, estimate_groups
from epitome.combined.rows import CombinedRow


@dataclass(frozen=True)
class Summary:
    """estimates: per question, system (or comparison) and judge; differences: of every two systems. notes: what was
    assumed. judges: in order of first occurrence."""

    estimates: tuple[GroupEstimate, ...]
    differences: tuple[GroupEstimate, ...]
    judges: tuple[str, ...]
    n_items: int
    n_sources: int
    notes: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[GroupEstimate, ...]:
        return (*self.estimates, *self.differences)

    @property
    def by_chance(self) -> bool:
        return any(estimate.by_chance for estimate in self.all)

    @property
    def formulas(self) -> tuple[str, ...]:
        return list_formulas("unequal" if self.by_chance else "equal")


def summarise_rows(rows: Sequence[CombinedRow], notes: Sequence[str] = (), level: float = LEVEL) -> Summary:
    """Everything that follows from rows without knowing how their round was designed."""
    return Summary(
        estimates=tuple(estimate_groups(rows, level)),
        differences=tuple(estimate_differences(rows, level)),
        judges=tuple(dict.fromkeys(row.judge for row in rows)),
        n_items=len({row.item for row in rows}),
        n_sources=len({row.source for row in rows}),
        notes=tuple(notes),
    )

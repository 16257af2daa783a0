"""Ratings: who gave which answer to what, with ratings missing."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epitome.agreement.scales import Ints

Label = str | bool | float


@dataclass(frozen=True)
class Ratings:
    """One line per rating, all as numbers from 0.

    units, raters, answers: (ratings,); a unit is one question about one item, rated at most once by a rater.
    labels: what the numbers in `answers` mean, in the order of the scale.
    clusters: (units,), the item of every unit, numbers from 0 without gaps; the bootstrap draws items.
    n_raters: number of raters.
    """

    units: Ints
    raters: Ints
    answers: Ints
    labels: tuple[Label, ...]
    clusters: Ints
    n_raters: int

    @property
    def n_units(self) -> int:
        return len(self.clusters)

    @property
    def n_items(self) -> int:
        """Items with a rating."""
        return int(self.clusters.max(initial=-1)) + 1

    @property
    def missing(self) -> float:
        """Share of the units x raters that have no rating."""
        return 1 - len(self.units) / (self.n_units * self.n_raters) if len(self.units) else 1.0

    def counts(self) -> Ints:
        """How many raters gave each answer, shape (units, labels)."""
        n_labels = len(self.labels)
        cells = np.bincount(self.units * n_labels + self.answers, minlength=self.n_units * n_labels)
        return cells.reshape(self.n_units, n_labels)

    def column(self, rater: int) -> Ints:
        """One rater's answers, shape (units,), -1 where missing."""
        column = np.full(self.n_units, -1)
        mine = self.raters == rater
        column[self.units[mine]] = self.answers[mine]
        return column


def is_missing(value: object) -> bool:
    """None, NaN, pandas' marks for a missing value, and blank text."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA has no truth value
        return True
    except ValueError:  # an array has none either, and is no missing value
        return False


def label_key(label: Label) -> tuple[int, float | str]:
    """The order of labels: numbers by size, then no before yes, then text by code point."""
    if isinstance(label, bool):
        return 1, float(label)
    return (2, label) if isinstance(label, str) else (0, label)


def is_yes(label: Label) -> bool | None:
    """Whether an answer is yes (true) or no (false); None for any other."""
    if isinstance(label, bool):
        return label
    return {"yes": True, "no": False}.get(label.strip().casefold()) if isinstance(label, str) else None


def complete_yes_no(labels: Sequence[Label]) -> tuple[Label, ...]:
    """The labels in order, with the missing one of yes and no where all of them are the other; else as they are.

    A yes/no question has two answers also where only one was ever given.
    """
    meanings = {is_yes(label) for label in labels}
    if len(meanings) != 1 or None in meanings:
        return tuple(labels)
    missing: Label = "no" if True in meanings else "yes"
    if isinstance(labels[0], bool):
        missing = not labels[0]
    return tuple(sorted((*labels, missing), key=label_key))


def ratings_of_rows(rows: Sequence[Sequence[Label | None]]) -> Ratings:
    """Ratings from one row per item with one answer per rater, None where missing; each item is its own cluster.

    Items and raters without any rating are left out. Raises ValueError for rows of different length.
    """
    width = {len(row) for row in rows}
    if len(width) > 1:
        raise ValueError(f"the rows have {sorted(width)} answers: give one per rater, None where missing")
    cells = [
        (item, rater, answer) for item, row in enumerate(rows) for rater, answer in enumerate(row) if answer is not None
    ]
    keyed = {label_key(answer): answer for _, _, answer in cells}
    order = {key: code for code, key in enumerate(sorted(keyed))}
    units = _dense_codes([item for item, _, _ in cells])
    raters = _dense_codes([rater for _, rater, _ in cells])
    answers = np.array([order[label_key(answer)] for _, _, answer in cells], dtype=np.int64)
    labels = tuple(keyed[key] for key in order)
    clusters = np.arange(int(units.max(initial=-1)) + 1)
    return Ratings(units, raters, answers, labels, clusters, int(raters.max(initial=-1)) + 1)


def _dense_codes(codes: Sequence[int]) -> Ints:
    """The codes renumbered from 0 without gaps, in their order."""
    return np.unique(np.array(codes, dtype=np.int64), return_inverse=True)[1].reshape(-1)

"""How much judges doubt an item, from their answers alone, and what that says about their errors."""

from collections.abc import Mapping, Sequence

import numpy as np

from epitome.combined.chances import ErrorModel, fit_errors, share_out
from epitome.combined.rows import CombinedRow
from epitome.metrics.bootstrap import Floats

UNKNOWN = 0.5
"""The value that is used for no answer: the middle of the scale, where doubt is greatest."""
UNLEARNT_FLOOR = 0.5
"""Without a pilot no chance is below this share of the mean chance: judges that agree may be wrong together, and the
answer about such an item, which counts by 1 / chance, would make up most of the estimate's variance."""


def describe_doubt(values: Sequence[float | None]) -> tuple[float, float, float]:
    """Features of one item under one question, from the judges' values (0 to 1, None for no answer): m (1 - m) of their
    mean m, which is greatest in the middle of the scale; their variance; m itself."""
    known = [UNKNOWN if value is None else value for value in values] or [UNKNOWN]
    mean = float(np.mean(known))
    return mean * (1 - mean), float(np.var(known)), mean


def fit_doubts(rows: Sequence[CombinedRow]) -> ErrorModel:
    """What a pilot's rows say of squared errors by the features above. Raises TooFew below 20 items that people and
    judges answered."""
    judged: dict[tuple[str, str], list[float | None]] = {}
    human: dict[tuple[str, str], float] = {}
    for row in rows:
        if row.human is not None:
            judged.setdefault((row.item, row.question), []).append(row.judged)
            human[row.item, row.question] = row.human
    features = [describe_doubt(values) for values in judged.values()]
    return fit_errors(np.array(features).reshape(-1, 3), list(human.values()), [mean for *_doubts, mean in features])


def size_units(doubts: Mapping[str, Sequence[tuple[float, float, float]]], model: ErrorModel | None = None) -> Floats:
    """(units,) what chances are shared out by: the root of the mean squared error expected of each unit's answers.

    doubts: unit -> the features of its answers. model: from a pilot; None: the judges' own doubt is used for the error.
    """
    sizes = []
    for features in doubts.values():
        rows = np.array(features, dtype=float).reshape(-1, 3)
        errors = model.predict(rows) if model is not None else rows[:, 0] + rows[:, 1]
        sizes.append(float(np.sqrt(errors.mean())) if len(rows) else 0.0)
    return np.asarray(sizes, dtype=float)


def share_chances(
    doubts: Mapping[str, Sequence[tuple[float, float, float]]],
    n: int,
    least_chance: float,
    model: ErrorModel | None = None,
) -> Floats:
    """(units,) the chance with which people see each unit, by the judges' doubts; they sum to n.

    doubts, model: as `size_units`. least_chance: of any unit; without a model at least half of n / units besides.
    Raises ValueError where n is more than there are units, or less than the least chances ask for.
    """
    floor = least_chance if model is not None else max(least_chance, UNLEARNT_FLOOR * n / max(1, len(doubts)))
    return share_out(size_units(doubts, model), n, floor)

"""What scripts with other libraries print for the same ratings, and why it differs.

A library that is installed is asked; of one that is not, its known behaviour at the version of docs/differences.md is
followed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec

import numpy as np

from epitome.agreement.alpha import alpha_statistic
from epitome.agreement.gwet import gwet_statistic
from epitome.agreement.kappa import cohen_kappa
from epitome.agreement.scales import Floats, Ints, Scale, disagreement_matrix
from epitome.agreement.table import Ratings
from epitome.measures.values import Value
from epitome.results import Compared

ROUNDING = 1e-9


def compare_ratings(ratings: Ratings, values: dict[str, Value]) -> list[Compared]:
    """Where another library gives another number than `values` (coefficient -> Epitome's) or none.

    The names of coefficients are those of `report.build_statistics`.
    """
    if ratings.n_raters < 2:
        return []
    rows = [*_compare_pairs(ratings), *_compare_tables(ratings)]
    comparisons = []
    for name, library, theirs, why in rows:
        ours = values.get(name)
        if ours is None or (isinstance(theirs, float) and ours.defined and abs(theirs - float(ours)) < ROUNDING):
            continue
        comparisons.append(Compared(name, ours.value, library, theirs, why))
    return comparisons


_Row = tuple[str, str, float | str, str]


def _compare_pairs(ratings: Ratings) -> Iterator[_Row]:
    """What is computed from the columns of two raters."""
    if ratings.n_raters != 2:
        return
    first, second = ratings.column(0), ratings.column(1)
    both = (first >= 0) & (second >= 0)
    same = float(((first == second) & both).sum() / ratings.n_units)
    yield "percent", "pandas (a == b).mean()", same, "counts what one rater left out as a disagreement"
    if not both.all():
        why = "takes no missing answer; this is over the items that both rated"
        yield "cohen_kappa", "scikit-learn cohen_kappa_score", "an error", why
        return
    used = np.unique([first, second])
    if len(used) < 2:
        yield "cohen_kappa", "scikit-learn cohen_kappa_score", "nan", "warns, and has no reason"
        return
    points = [label for label in ratings.labels if isinstance(label, float)]
    if len(points) == len(ratings.labels) > 2:
        listed = ", ".join(f"{ratings.labels[code]:g}" for code in used)
        for scale in ("linear", "quadratic"):
            theirs = _ask("sklearn.metrics", _kappa_by_steps(first, second, scale))
            why = f"goes by the steps between the answers that occur ({listed}), not by their distances; give labels="
            yield f"cohen_kappa_{scale}", "scikit-learn cohen_kappa_score", theirs, why


def _kappa_by_steps(first: Ints, second: Ints, scale: Scale) -> tuple[Callable[[object], object], float | str]:
    """scikit-learn's weighted kappa: its call, and what it gives."""
    codes, places = np.unique([first, second], return_inverse=True)
    a, b = places.reshape(2, -1)
    value = cohen_kappa(a, b, weights=scale, n_labels=len(codes)).value

    def call(module: object) -> object:
        return module.cohen_kappa_score(first, second, weights=scale)  # type: ignore[attr-defined]

    return call, "nan" if value is None else value


def _compare_tables(ratings: Ratings) -> Iterator[_Row]:
    """What is computed from how many raters gave each answer."""
    counts = ratings.counts()
    n_ratings, used = counts.sum(axis=1), counts.sum(axis=0) > 0
    if len(set(n_ratings.tolist())) > 1:
        why = "needs as many answers for every item, and says nothing else; this leaves missing ones out (Gwet 2014)"
        yield "fleiss_kappa", "statsmodels fleiss_kappa", "AssertionError", why
    elif used.sum() < 2:
        yield "fleiss_kappa", "statsmodels fleiss_kappa", "nan", "has no reason"
    if used.sum() < 2:
        yield "krippendorff_alpha", "krippendorff alpha", "ValueError", "refuses a table of one answer"
        yield "gwet_ac1", "irrCAC gwet", 1.0, "gives 1 also where no other answer of the scale is known"
        return
    observed = counts[:, used]
    ac1 = gwet_statistic(observed, disagreement_matrix("nominal", observed.shape[1])).value().value
    if ac1 is not None:
        why = "knows only the answers that occur here; this counts all that the question has in the file"
        yield "gwet_ac1", "irrCAC gwet", ac1, why
    ordinal = alpha_statistic(observed, _ordinal_weights(observed.shape[1])).value().value
    if ordinal is not None:
        why = "weighs by the pairs of answers in between; this by ranks (Krippendorff 2011)"
        yield "krippendorff_alpha_ordinal", "irrCAC krippendorff, ordinal", ordinal, why


def _ordinal_weights(n_labels: int) -> Floats:
    """Disagreements of irrCAC's ordinal weights: pairs of categories from one to the other, of all pairs."""
    places = np.arange(n_labels)
    apart = np.abs(places[:, None] - places[None, :])
    return np.asarray(apart * (apart + 1) / (n_labels * (n_labels - 1)))


def _ask(module: str, asked: tuple[Callable[[object], object], float | str]) -> float | str:
    """The library's own answer where it is installed, else what it is known to give."""
    call, known = asked
    if find_spec(module.partition(".")[0]) is None:
        return known
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = call(import_module(module))
    return float(value) if isinstance(value, float) and value == value else "nan"  # numpy's float64 is a float

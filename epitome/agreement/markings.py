"""Agreement on what annotators marked in a text, and on what they wrote about it.

A unit is whatever can be marked or not: a segment of a source, or a word. F1 says how far two people marked the same
units, whatever their number; alpha also subtracts what chance gives and knows how many units there were to mark.

Alpha is Krippendorff's for nominal data with every unit of the text as one unit of analysis and the two labels "marked"
and "not marked". The borders of marked spans play no part: two adjacent spans equal one long span, so it is not the
alpha for unitizing of Krippendorff (1995), which asks whether people find the same units.
Sources: Hripcsak and Rothschild (2005), "Agreement, the F-Measure, and Reliability in Information Retrieval", JAMIA 12;
Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability"; Lin (2004), "ROUGE".
"""

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from epitome.agreement.intervals import (
    DEFAULT_REPLICATES,
    DEFAULT_SEED,
    Estimate,
    Statistic,
    estimate_statistics,
    ratio_or_nan,
    undefined_statistic,
)
from epitome.agreement.scales import Floats
from epitome.measures.values import Value
from epitome.metrics.rouge_scores import rouge_values

NOTHING_MARKED = "nobody marked anything"
ALL_MARKED = "everybody marked everything"
ONE_ANNOTATOR = "fewer than two annotators"
NO_TEXTS = "fewer than two texts"


@dataclass(frozen=True)
class MarkedText:
    """What several people marked in one text of `n_units` units, as sets of unit numbers from 0. Raises ValueError."""

    marked: Sequence[AbstractSet[int]]
    n_units: int

    def __post_init__(self) -> None:
        for units in self.marked:
            if units and not (min(units) >= 0 and max(units) < self.n_units):
                raise ValueError(f"a marked unit is not among the {self.n_units} of the text, numbered from 0")


def pairwise_f1(marked: Sequence[AbstractSet[int]]) -> Value:
    """Mean F1 over all pairs of people, 0 to 1: 2 |A and B| / (|A| + |B|).

    {1, 2, 3} and {2, 3, 4, 5} give 4/7. A pair of people who both marked nothing has no F1 and is left out; undefined
    where that is every pair, and for fewer than two people.
    """
    if len(marked) < 2:
        return Value.none(ONE_ANNOTATOR)
    shares = [2 * len(a & b) / (len(a) + len(b)) for a, b in combinations(marked, 2) if a or b]
    return Value.of(sum(shares) / len(shares)) if shares else Value.none(NOTHING_MARKED)


def marking_alpha(text: MarkedText) -> Value:
    """Krippendorff's nominal alpha of "marked" and "not marked" over the units of one text; 1 perfect, 0 as by chance.

    Undefined where nobody marked anything or everybody everything, and for fewer than two people.
    """
    if len(text.marked) < 2:
        return Value.none(ONE_ANNOTATOR)
    value = float(_alpha_of_sums(_alpha_sums(text)))
    return Value.of(value) if np.isfinite(value) else Value.none(_why_no_alpha([text]))


def _alpha_sums(text: MarkedText) -> Floats:
    """(disagreeing pairs per possible partner, marks, no marks): what one text adds to the sums of alpha."""
    n_people = len(text.marked)
    if n_people < 2:
        return np.zeros(3)
    marks_by_unit = Counter(unit for units in text.marked for unit in units)
    n_disagreeing = sum(2 * k * (n_people - k) for k in marks_by_unit.values()) / (n_people - 1)
    n_marks = marks_by_unit.total()
    return np.array([n_disagreeing, n_marks, n_people * text.n_units - n_marks], dtype=float)


def _alpha_of_sums(sums: Floats) -> Floats:
    n_disagreeing, n_marks, n_other = sums[..., 0], sums[..., 1], sums[..., 2]
    return np.asarray(1 - ratio_or_nan((n_marks + n_other - 1) * n_disagreeing, 2 * n_marks * n_other))


def _why_no_alpha(texts: Sequence[MarkedText]) -> str:
    if not any(len(text.marked) >= 2 for text in texts):
        return ONE_ANNOTATOR
    return ALL_MARKED if any(units for text in texts for units in text.marked) else NOTHING_MARKED


def pairwise_rouge_l(texts: Sequence[str], language: str = "en") -> Value:
    """Mean F of ROUGE-L over all pairs of texts, 0 to 1; empty texts are left out. F is the same in both directions."""
    pairs = list(combinations([text for text in texts if text.strip()], 2))
    if not pairs:
        return Value.none(NO_TEXTS)
    scores = rouge_values([a for a, _ in pairs], [b for _, b in pairs], ("rougeL",), language=language)["rougeL"]
    defined = [score.value for score in scores if score.value is not None]
    return Value.of(sum(defined) / len(defined)) if defined else scores[0]


def mean_statistic(values: Sequence[Value], undefined: str = "") -> Statistic:
    """The mean of what is defined, for the bootstrap; undefined: the reason if there is nothing."""
    numbers = [value.value for value in values]
    if all(number is None for number in numbers):
        return undefined_statistic(undefined or (values[0].undefined if values else ONE_ANNOTATOR))
    rows = np.array([[number or 0.0, float(number is not None)] for number in numbers])
    return Statistic(rows, lambda sums: ratio_or_nan(sums[..., 0], sums[..., 1]))


def pooled_alpha_statistic(texts: Sequence[MarkedText]) -> Statistic:
    """Alpha over the units of all texts together, so that a text in which nobody marked anything counts too."""
    rows = np.array([_alpha_sums(text) for text in texts]).reshape(-1, 3)
    statistic = Statistic(rows, _alpha_of_sums)
    return statistic if statistic.value().defined else undefined_statistic(_why_no_alpha(texts))


def cluster_numbers(clusters: Collection[Hashable]) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """The clusters as numbers from 0 without gaps, in the order of their first occurrence."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(cluster, len(numbers)) for cluster in clusters], dtype=np.int64)


def estimate_markings(
    statistics: dict[str, Statistic],
    clusters: Collection[Hashable],
    *,
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
) -> dict[str, Estimate]:
    """Each statistic with its interval, drawing whole clusters. clusters: of every text, in their order."""
    return estimate_statistics(statistics, cluster_numbers(clusters), replicates=replicates, seed=seed)

"""What is between differing answers: the median of numbers, and the ranking closest to several rankings.

Source: Kemeny (1959), "Mathematics without numbers": the consensus is the ranking with the fewest pairs of texts in the
other order than in the rankings given, summed over these.
"""

from collections.abc import Sequence
from itertools import combinations, permutations
from statistics import median


def find_median(answers: Sequence[float], minimum: float, step: float) -> float:
    """The median on the steps of a scale; halfway between two steps the upper one. Raises ValueError for no answers."""
    if not answers:
        raise ValueError("no answers have no median")
    n_steps = (median(answers) - minimum) / step
    return minimum + step * int(n_steps + 0.5 + 1e-9)


def find_consensus(rankings: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The ranking with the fewest swapped pairs; of several such the one whose worst distance to a ranking is smallest,
    then the first in the order of names. rankings: of the same few texts, without ties.

    Raises ValueError without rankings, and for rankings of different texts.
    """
    if not rankings or any(sorted(ranking) != sorted(rankings[0]) for ranking in rankings):
        raise ValueError("give one ranking or more, all of the same texts")

    def measure_distances(order: Sequence[str]) -> tuple[int, int]:
        distances = [count_swaps(order, ranking) for ranking in rankings]
        return sum(distances), max(distances)

    return min(permutations(sorted(rankings[0])), key=lambda order: (*measure_distances(order), order))


def count_swaps(first: Sequence[str], second: Sequence[str]) -> int:
    """Kendall's distance: pairs that two rankings of the same texts put in different order."""
    place = {name: index for index, name in enumerate(second)}
    return sum(place[better] > place[worse] for better, worse in combinations(first, 2))

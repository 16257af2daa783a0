"""Random answers and scores of which the truth is known, for `benchmarks.coverage`."""

from typing import NamedTuple

import numpy as np

from epitome.agreement.scales import Floats, Ints
from epitome.agreement.table import Ratings

MANY = 400_000
"""Sources of the round whose values count as the truth where they have no closed form."""
YES_NO = ("no", "yes")


class Design(NamedTuple):
    """sources x items answers; rate: share of yes; spread: standard deviation of the sources' log-odds."""

    sources: int
    items: int
    rate: float
    spread: float = 0.0

    @property
    def text(self) -> str:
        clustered = f", sd {self.spread:g}" if self.spread else ""
        return f"{self.sources} x {self.items}, {self.rate:.2f}{clustered}".replace(" 0.", " .")

    @property
    def clusters(self) -> Ints:
        return np.repeat(np.arange(self.sources), self.items)


def draw_chances(rng: np.random.Generator, design: Design, sources: int = 0) -> Floats:
    """(sources, 1) the chance of a yes in each source."""
    log_odds = np.log(design.rate / (1 - design.rate))
    shifts = design.spread * rng.standard_normal((sources or design.sources, 1))
    return np.asarray(1 / (1 + np.exp(-log_odds - shifts)))


def draw_flags(rng: np.random.Generator, design: Design) -> Floats:
    """(sources x items,) 1 or 0."""
    chances = draw_chances(rng, design)
    return (rng.random((design.sources, design.items)) < chances).ravel().astype(float)


def true_share(design: Design) -> float:
    return float(draw_chances(np.random.default_rng(9), design, MANY).mean())


def make_ratings(answers: Ints, clusters: Ints) -> Ratings:
    """answers: (units, raters), 1 for yes."""
    n_units, n_raters = answers.shape
    units, raters = np.repeat(np.arange(n_units), n_raters), np.tile(np.arange(n_raters), n_units)
    return Ratings(units, raters, answers.ravel().astype(np.int64), YES_NO, clusters, n_raters)


def draw_two_raters(rng: np.random.Generator, design: Design, kappa: float, sources: int = 0) -> Ints:
    """(units, 2): the second rater repeats the first in a share `kappa` of the items, and else draws anew."""
    n = sources or design.sources
    chances = np.repeat(draw_chances(rng, design, n), design.items, axis=1)
    first = rng.random(chances.shape) < chances
    second = np.where(rng.random(chances.shape) < kappa, first, rng.random(chances.shape) < chances)
    return np.column_stack([first.ravel(), second.ravel()]).astype(np.int64)


def draw_numbers(rng: np.random.Generator, sources: int, items: int, icc: float, *, skewed: bool = False) -> Floats:
    """(sources x items,) numbers with mean 0, or 1 if skewed, and this share of the variance between sources."""
    shape = (sources, items)
    between = rng.standard_normal((sources, 1))
    numbers = np.sqrt(icc) * between + np.sqrt(1 - icc) * rng.standard_normal(shape)
    return np.asarray((np.exp(numbers - 0.5) if skewed else numbers).ravel(), dtype=float)


def draw_steps(rng: np.random.Generator, sources: int, items: int, systems: int, icc: float = 0.3) -> Floats:
    """(sources x items, systems) steps from 1 to 5 of systems that are alike; sources are harder or easier for all."""
    hardness = np.sqrt(icc) * rng.standard_normal((sources, 1, 1))
    numbers = hardness + np.sqrt(1 - icc) * rng.standard_normal((sources, items, systems))
    return np.clip(np.round(3.5 + numbers), 1, 5).reshape(-1, systems)


def draw_rankings(rng: np.random.Generator, n: int, systems: int) -> Ints:
    """(n, systems) ranks by chance."""
    return np.argsort(rng.random((n, systems)), axis=1) + 1


def draw_marks(rng: np.random.Generator, sources: int, rate: float) -> tuple[Floats, Floats]:
    """(sources,) weights of errors and words of one system; sources differ in how many errors they have."""
    words = rng.integers(40, 120, sources).astype(float)
    errors = rng.poisson(rate * words * rng.gamma(2.0, 0.5, sources))
    return np.asarray(-100.0 * rng.binomial(errors, 0.5) * 4 - 100.0 * errors, dtype=float), words

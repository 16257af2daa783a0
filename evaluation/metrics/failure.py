"""Iterative control: how often a summary never comes near enough to its request, and how many attempts it takes.

After Ryu et al., "Exploring Iterative Controllable Summarization with Large Language Models" (arXiv 2411.12460), which
names failure rate and average iteration count. Its tables use other tolerances; ours are recorded in the signature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.measures import Value
from evaluation.metrics.aggregate import Aggregate
from evaluation.metrics.bootstrap import Number
from evaluation.metrics.draws import BY_SAMPLE, Draws, mean_of

VERSION = "1"


@dataclass(frozen=True)
class FailureReport:
    """failure_rate: share of samples never within tolerance (0 to 1). iterations: attempts until the first that is;
    of the samples that succeed, and of all with a failed one counted as `attempts`."""

    failure_rate: Aggregate
    iterations: Aggregate
    iterations_all: Aggregate


def first_success(errors: Sequence[Number], tolerance: float, attempts: int) -> int | None:
    """The number of the first attempt (from 1) whose error is at most the tolerance, None if none of `attempts` is.

    errors: distance from the request after each attempt, at least 0, the first draft first; an undefined one is no
    success. Raises ValueError for a negative or non-finite error, a negative tolerance, attempts below 1.
    """
    if not tolerance >= 0 or attempts < 1:
        raise ValueError(f"tolerance {tolerance}, {attempts} attempts: give a tolerance from 0 and attempts from 1")
    for number, item in enumerate(errors[:attempts], 1):
        error = item.value if isinstance(item, Value) else item
        if error is None:
            continue
        if not 0 <= error < float("inf"):
            raise ValueError(f"the error of attempt {number} is {error}: give a finite number of 0 or more, or None")
        if error <= tolerance:
            return number
    return None


def failure_report(
    traces: Sequence[Sequence[Number]], tolerance: float, revisions: int, draws: Draws = BY_SAMPLE
) -> FailureReport:
    """Failure rate and average iteration count of samples with at most `revisions` revisions after the first draft.

    traces: per sample the errors of its attempts (such as relative errors), in order; later attempts than allowed are
    ignored. A sample without any defined error is left out and counted. Raises ValueError as `first_success`.
    """
    attempts = revisions + 1
    successes = [first_success(trace, tolerance, attempts) for trace in traces]
    known = [any(_is_defined(error) for error in trace[:attempts]) for trace in traces]
    failed: list[Number] = [
        float(at is None) if is_known else None for at, is_known in zip(successes, known, strict=True)
    ]
    all_attempts: list[Number] = [
        (attempts if at is None else at) if is_known else None for at, is_known in zip(successes, known, strict=True)
    ]
    options = {"tolerance": f"{tolerance:g}", "revisions": str(revisions)}
    return FailureReport(
        mean_of("failure-rate", VERSION, failed, draws, **options),
        mean_of("iterations", VERSION, successes, draws, over="successes", **options),
        mean_of("iterations", VERSION, all_attempts, draws, over="all", **options),
    )


def _is_defined(error: Number) -> bool:
    return error.defined if isinstance(error, Value) else error is not None

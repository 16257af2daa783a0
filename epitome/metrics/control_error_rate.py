"""Control error rate (CER): how far a system's summary is from the reference in one attribute. Lower is better.

Source: Zhang et al., "MACSum: Controllable Summarization with Mixed Attributes", TACL 2023; the epsilons are those of
the authors' released code. CER is never compared across datasets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from epitome.measures import Undefined, Value

EpsPolicy = str
"""`release` (the authors' epsilons, by attribute) or `uniform:<eps>` (one for all). One table has one policy."""

DEFAULT_EPS = 1e-6
ZERO_TOPIC = 0.1
SMOOTHING = 0.1
ABOUT_ZERO = 1e-6  # the released code divides by 0 here; a large, finite number says more than none

UNRELEASED: EpsPolicy = "uniform:0.1"
"""For tables with a measure that has no released epsilon: what that code adds for extractiveness and speakers. With
1e-6 one reference of 0, such as a summary without the keyword, would outweigh all others."""

_Divide = Callable[[float], float]

RELEASED: Mapping[str, _Divide] = {
    "length": lambda gold: gold or ABOUT_ZERO,
    "specificity": lambda gold: gold or ABOUT_ZERO,
    "topic": lambda gold: gold or ZERO_TOPIC,
    "extractiveness": lambda gold: gold + SMOOTHING,
    "speaker": lambda gold: gold + SMOOTHING,
}
"""What the released code divides by, from the reference's value."""


def relative_error(pred: float, gold: float, epsilon: float = 0.0) -> float:
    """|pred - gold| / (gold + epsilon), of f_r of a prediction and of its reference; no unit, 0 or more.

    Raises ValueError for a negative or non-finite number, Undefined where gold + epsilon is 0.
    """
    for name, number in (("prediction", pred), ("reference", gold), ("epsilon", epsilon)):
        if not 0 <= number < math.inf:
            raise ValueError(f"the {name} is {number}: give a finite number of 0 or more")
    if gold + epsilon == 0:
        raise Undefined("the reference is 0 and there is no epsilon")
    return abs(pred - gold) / (gold + epsilon)


def checked_policy(text: str) -> EpsPolicy:
    """`release`, or `uniform:<eps>` with the number as Python writes it; `uniform` alone means 1e-6. ValueError."""
    name, colon, number = text.strip().partition(":")
    if name == "release" and not colon:
        return name
    if name == "uniform":
        try:
            epsilon = float(number) if colon else DEFAULT_EPS
        except ValueError:
            epsilon = math.nan
        if 0 < epsilon < math.inf:
            return f"uniform:{epsilon:g}"
    raise ValueError(f"eps policy {text[:40]!r} is neither release nor uniform:<number above 0>, such as uniform:1e-6")


def sample_errors(
    attribute: str,
    pred: Sequence[Value | None],
    gold: Sequence[Value | None],
    eps_policy: EpsPolicy = "release",
) -> list[Value]:
    """The relative error of every sample, undefined where prediction or reference has no value (no topic, no speaker).

    attribute: key of a measure; pred, gold: its f_r per sample, in one order. Under `release`: length and specificity
    divide by the reference (by 1e-6 where it is 0), topic by the reference or by 0.1 where it is 0, extractiveness and
    speaker by the reference + 0.1. Raises ValueError (counts differ, unknown policy, no released epsilon).
    """
    if len(pred) != len(gold):
        raise ValueError(f"{len(pred)} predictions and {len(gold)} references: give one of each per sample")
    divide = _divisor_for(attribute, checked_policy(eps_policy))
    return [_sample_error(ours, theirs, divide) for ours, theirs in zip(pred, gold, strict=True)]


def _divisor_for(attribute: str, policy: EpsPolicy) -> _Divide:
    if policy == "release":
        if attribute not in RELEASED:
            raise ValueError(f"there is no released epsilon for {attribute!r}: use uniform:<eps>")
        return RELEASED[attribute]
    epsilon = float(policy.partition(":")[2])
    return lambda gold: gold + epsilon


def _sample_error(pred: Value | None, gold: Value | None, divide: _Divide) -> Value:
    ours, theirs = pred or Value.none("no prediction"), gold or Value.none("no reference")
    if theirs.value is None or ours.value is None:
        return Value.none(theirs.undefined or ours.undefined)
    if theirs.value < 0 or ours.value < 0:
        return Value.none("a relative error needs values of 0 or more")
    return Value.of(abs(ours.value - theirs.value) / divide(theirs.value))


def cer(
    attribute: str,
    pred: Sequence[Value | None],
    gold: Sequence[Value | None],
    eps_policy: EpsPolicy = "release",
) -> Value:
    """The mean of `sample_errors` over the samples that have one; undefined, with their number, where none has."""
    errors = [error.value for error in sample_errors(attribute, pred, gold, eps_policy) if error.value is not None]
    if not errors:
        return Value.none(f"undefined for all {len(gold)} samples" if gold else "no samples")
    return Value.of(math.fsum(errors) / len(errors))


def average_cer(cers: Mapping[str, Value]) -> Value:
    """Mean over the attributes of a dataset: four for MACSum documents, five for its dialogues.

    Undefined where any CER is, with the names and reasons: a mean over fewer attributes is not comparable.
    """
    if missing := [f"{name} ({value.undefined})" for name, value in cers.items() if not value.defined]:
        return Value.none("no CER of " + ", ".join(missing))
    if not cers:
        return Value.none("no attributes")
    return Value.of(math.fsum(map(float, cers.values())) / len(cers))


def selection_score(cers: Mapping[str, Value], rouges: Mapping[str, Value]) -> Value:
    """One number to choose a model by, as an evaluator of the authors' released code has it, lower is better: the mean
    of all CERs and of 1 - mean(ROUGE-1, -2, -L F). Undefined, with the reason, where any of them is."""
    quality = average_cer(rouges)
    if not quality.defined:
        return Value.none(quality.undefined.replace("CER", "ROUGE"))
    return average_cer({**cers, "quality": Value.of(1 - float(quality))})

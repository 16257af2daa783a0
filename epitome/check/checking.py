"""Every number of a report computed again, and what differs."""

from collections.abc import Callable, Iterator, Mapping
from math import isclose
from typing import NamedTuple

from epitome.check import agreement, combined, comparisons, judges, marks, rates, rates_compared
from epitome.check.report_file import Number, Report
from epitome.check.results import Result, UnknownFormula

Compute = Callable[[Report, Number], Result]
EQUAL, DIFFERENT, LEFT_OUT = "equal", "different", "not recomputed"
TOLERANCE = 1e-8
"""Relative and absolute: sums in another order differ by less."""
ITERATED = 1e-6
"""Of strengths, which the report finds by iteration."""

STATISTICS: Mapping[str, Compute] = {
    "mean": rates.mean,
    "majority": rates.majority,
    "all-yes": rates.all_yes,
    "median": rates.middle_value,
    "sd": rates.spread,
    "count": rates.count,
    "chance": rates.chance,
    "rated": rates.rated,
    **dict.fromkeys(agreement.COEFFICIENTS, agreement.coefficient),
    **dict.fromkeys(("units", "raters", "missing", "twice"), agreement.units_size),
    "kendall-w": agreement.concordance,
    "per-100-words": marks.per_100_words,
    "without-errors": marks.without_errors,
    "marks": marks.count_marks,
    "f1": marks.f1,
    "words-alpha": marks.words_alpha,
    "words-kappa": marks.words_kappa,
    "difference": comparisons.difference,
    "p": comparisons.p_of_difference,
    "difference-of-rates": rates_compared.difference,
    "p-of-rates": rates_compared.p_of_difference,
    "holm": comparisons.corrected_p,
    "won-lost": comparisons.won_lost,
    "bradley-terry": comparisons.strength,
    "spearman": comparisons.correlation,
    "p-of-correlation": comparisons.p_of_correlation,
    "holm-of-correlation": comparisons.corrected_p,
    "judge-accuracy": judges.accuracy,
    "judge-kappa": judges.judge_kappa,
    "judge-consistency": judges.consistency,
    "judge-invalid": judges.invalid,
    "combined": combined.combined,
    "combined-holm": combined.corrected,
    "sequence": combined.sequence,
}


class Finding(NamedTuple):
    """Of one number, or one end of its interval, or its n. outcome: EQUAL, DIFFERENT or LEFT_OUT."""

    name: str
    outcome: str
    printed: float | str | None
    recomputed: float | str | None = None
    reason: str = ""


def check_report(report: Report) -> Iterator[Finding]:
    """What came out for each number, in the order of the file."""
    for number in report.numbers:
        yield from _check_number(report, number)


def _check_number(report: Report, number: Number) -> Iterator[Finding]:
    printed = _list_printed(number)
    outcome, reason, result = _compute(report, number)
    if reason:
        for suffix, value in printed.items():
            yield Finding(number.name + suffix, outcome, value, None, reason)
        return
    recomputed = {"": result.value, " low": result.low, " high": result.high, " n": result.n}
    tolerance = ITERATED if number.statistic == "bradley-terry" else TOLERANCE
    for suffix, value in printed.items():
        other = recomputed[suffix]
        outcome = EQUAL if is_same(value, other, tolerance) else DIFFERENT
        yield Finding(number.name + suffix, outcome, value, other)


def _compute(report: Report, number: Number) -> tuple[str, str, Result]:
    """(outcome, why there is no result, the result)."""
    if reason := _find_reason(report, number):
        return LEFT_OUT, reason, Result(None)
    try:
        return EQUAL, "", STATISTICS[number.statistic](report, number)
    except UnknownFormula as error:
        return LEFT_OUT, str(error), Result(None)
    except (ValueError, KeyError, IndexError, TypeError, ZeroDivisionError) as error:
        return DIFFERENT, f"its rows do not fit its formula ({type(error).__name__}: {error})", Result(None)


def _find_reason(report: Report, number: Number) -> str:
    if not number.statistic:
        return number.reason or "no formula is stated"
    for name in (number.statistic, number.interval):
        if name and name not in report.formulas:
            return f"the file does not say what {name!r} is"
    if number.statistic not in STATISTICS:
        return f"the formula {number.statistic!r} is not known to this version"
    return ""


def _list_printed(number: Number) -> dict[str, float | str | None]:
    """The value; the ends of the interval where there is to be one; n where it is printed."""
    printed: dict[str, float | str | None] = {"": number.value}
    if number.interval or number.low is not None:
        printed |= {" low": number.low, " high": number.high}
    return printed if number.n is None else {**printed, " n": number.n}


def is_same(printed: float | str | None, recomputed: float | str | None, tolerance: float = TOLERANCE) -> bool:
    """Whether both are undefined, the same text, or equal but for rounding."""
    if printed is None or recomputed is None or isinstance(printed, str) or isinstance(recomputed, str):
        return printed == recomputed
    return isclose(printed, recomputed, rel_tol=tolerance, abs_tol=tolerance)

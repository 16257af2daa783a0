"""What came out, in three sentences that hold: of the difference that the report leads with, of what could not be shown
or what holds question by question, and of agreement.

A sentence says that systems differ only where a test does after Holm's correction over everything that the sentence
chose from, and where the interval leaves out 0. Everything else is said as not shown, with n and with the difference
that the round would have found. A round that could stop early is described by its sequences, valid at every look; one
whose people judged items drawn by doubt is described by its combined estimates: plain means of such items are biased.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from epitome.figures.numbers import format_count, format_difference, format_percent, format_score
from epitome.figures.tables import Cell, Table
from epitome.metrics.significance import Comparison, holm
from epitome.reports.agreement_finding import tell_agreement
from epitome.reports.answers import Answers, Frame
from epitome.reports.headline import Headline, SystemEstimate, is_decided, name_interval, name_p
from epitome.reports.sentences import Finding, Part, name_counts, name_difference
from epitome.reports.stored_findings import tell_cells, tell_stored

LEVEL = 0.05
MAIN_TABLES = {"human-check": "", "identified": "", "forms": "CTRL"}
"""What is said of a round whose questions compare no systems, and the column that it asks about: its first numbers if
that is empty."""
POWER = 0.8


@dataclass(frozen=True)
class Contrast:
    """One comparison as a sentence needs it, the better or larger system first. p: after correction, None for a
    sequence; se: standard error, None where there is no interval; floor: the smallest p that the test can give."""

    better: str
    worse: str
    difference: float
    low: float | None
    high: float | None
    p_value: float | None
    unit: str
    n: int
    sources: int
    decided: bool
    floor: float = 0.0

    @property
    def detail(self) -> str:
        interval = name_interval(self.low, self.high, self.unit)
        pieces = [f"difference {name_difference(self.difference, self.unit)}"]
        pieces += [f"95 % interval {interval}"] if interval else []
        pieces += [f"{name_p(self.p_value)} after Holm"] if self.p_value is not None else []
        return ", ".join([*pieces, name_counts(self.n, self.sources)])

    def detectable(self, tests: int) -> float | None:
        """The difference found with a chance of 80 % at the first step of Holm's correction, by a normal approximation;
        None where it cannot be said."""
        if self.low is None or self.high is None or self.high <= self.low or self.sources < 6:
            return None
        normal = NormalDist()
        error = (self.high - self.low) / (2 * normal.inv_cdf(0.975))
        return error * (normal.inv_cdf(1 - LEVEL / (2 * max(tests, 1))) + normal.inv_cdf(POWER))


def make_findings(
    frame: Frame, answers: Answers, headline: Headline | None, tables: Sequence[Table], *, told_by: str = ""
) -> list[Finding]:
    """Three sentences; fewer only where the round has nothing to say them of. tables: of the report; told_by: key
    of the table whose comparisons are described instead of the headline's, "" for the headline."""
    by_key = {table.key: table for table in tables}
    if told_by:
        findings = tell_stored(by_key.get(told_by))
    elif headline is not None and headline.comparisons:
        findings = _tell_headline(headline, by_key.get("significance"), len(frame.domains))
    elif headline is not None:
        findings = [_tell_only(headline)]
    else:
        main = next((by_key[key] for key in MAIN_TABLES if key in by_key), None)
        findings = [_tell_counts(frame, answers)] if main is None else tell_cells(main, MAIN_TABLES[main.key])
    return [*findings[:2], tell_agreement(frame, headline, answers, by_key)]


def _tell_headline(headline: Headline, significance: Table | None, domains: int) -> list[Finding]:
    unit = "points" if headline.words.unit == "share" else "number"
    contrasts = [
        _contrast(headline, compared, unit) for compared in headline.comparisons if compared.test.difference.defined
    ]
    if not contrasts:
        return [_tell_only(headline)]
    decided = [contrast for contrast in contrasts if contrast.decided]
    first = _tell_decided(headline, contrasts, decided) if decided else _tell_none(headline, contrasts)
    by_question = (
        _tell_by_question(significance) if significance and (len(headline.questions) > 1 or domains > 1) else None
    )
    undecided = [contrast for contrast in contrasts if not contrast.decided]
    if not decided:
        return [first, by_question or _tell_detectable(headline, contrasts)]
    if undecided:
        return [first, _tell_undecided(headline, undecided, len(contrasts))]
    return [first, by_question or _tell_estimates(headline)]


def _contrast(headline: Headline, compared: Comparison, unit: str) -> Contrast:
    """Turned so that the better system comes first; the difference keeps the sign of the scale."""
    test = compared.test
    difference, low, high = float(test.difference), test.ci95.low, test.ci95.high
    names = (compared.first, compared.second)
    if headline.words.better * difference < 0:
        names, difference = (compared.second, compared.first), -difference
        low, high = (None if high is None else -high), (None if low is None else -low)
    p_value = float(compared.holm_p) if compared.holm_p.defined else None
    floor = 2.0 ** (1 - min(test.sources, 60))
    return Contrast(*names, difference, low, high, p_value, unit, test.n, test.sources, is_decided(compared), floor)


def _tell_decided(headline: Headline, contrasts: Sequence[Contrast], decided: Sequence[Contrast]) -> Finding:
    """The system that is ahead of each other one, or the clearest difference."""
    table = headline.tests_key
    others = len({name for contrast in contrasts for name in (contrast.better, contrast.worse)}) - 1
    verb = headline.words.verb
    for row in headline.estimates:
        ahead = [contrast for contrast in decided if contrast.better == row.system]
        if others > 1 and len(ahead) == others:
            worst = max((contrast.p_value or 0.0) for contrast in ahead)
            bound = name_p(worst).replace("p = ", "p ≤ ")
            pieces = (("", False), (row.system, True), (f" {verb} each of the other {others} systems.", False))
            numbers = f"{_name_estimate(headline, row)}; every {bound} after Holm over {len(contrasts)} pairs"
            return Finding(_with_question(headline, pieces), numbers, table)
    clearest = min(decided, key=lambda contrast: (contrast.p_value or 0.0, -abs(contrast.difference)))
    rest = (
        f", the clearest of {len(decided)} differences shown among {len(contrasts)} pairs" if len(decided) > 1 else ""
    )
    pair = ((clearest.better, True), (f" {verb} ", False), (clearest.worse, True), (f"{rest}.", False))
    return Finding(_with_question(headline, pair), clearest.detail, table)


def _with_question(headline: Headline, pieces: Sequence[Part]) -> tuple[Part, ...]:
    about = "Over all questions, " if len(headline.questions) > 1 else f"{headline.label}: "
    return ((about, False), *pieces)


def _tell_none(headline: Headline, contrasts: Sequence[Contrast]) -> Finding:
    largest = max(contrasts, key=lambda contrast: abs(contrast.difference))
    if len(contrasts) == 1:
        pieces: list[Part] = [
            ("no difference could be shown between ", False),
            (largest.better, True),
            (" and ", False),
            (largest.worse, True),
            (".", False),
        ]
        return Finding(_with_question(headline, pieces), largest.detail, headline.tests_key)
    text = f"no difference between the systems could be shown, in none of {len(contrasts)} pairs."
    detail = f"the largest: {largest.better} and {largest.worse}, {largest.detail}"
    return Finding(_with_question(headline, [(text, False)]), detail, headline.tests_key)


def _tell_undecided(headline: Headline, undecided: Sequence[Contrast], tests: int) -> Finding:
    closest = max(undecided, key=lambda contrast: contrast.p_value if contrast.p_value is not None else 1.0)
    pair: list[Part] = [(closest.better, True), (" and ", False), (closest.worse, True)]
    if len(undecided) == 1:
        pieces = [("No difference could be shown between ", False), *pair, (".", False)]
    else:
        start = f"For {len(undecided)} of {tests} pairs of systems no difference could be shown, such as "
        pieces = [(start, False), *pair, (".", False)]
    detectable = name_detectable(closest, tests)
    return Finding(tuple(pieces), "; ".join(filter(None, [closest.detail, detectable])), headline.tests_key)


def name_detectable(contrast: Contrast, tests: int) -> str:
    """What the round could have found; "" where it cannot be said."""
    if contrast.floor * tests > LEVEL:
        return f"{contrast.sources} sources are too few for any difference to pass the test"
    detectable = contrast.detectable(tests)
    if detectable is None:
        return ""
    return f"found with a chance of 80 %: {_name_size(detectable, contrast.unit)} or more"


def _name_size(size: float, unit: str) -> str:
    return f"{round(100 * size)} points" if unit == "points" else format_score(size, 2)


def _tell_detectable(headline: Headline, contrasts: Sequence[Contrast]) -> Finding:
    """What the round could have found, where it found nothing."""
    widest = max(contrasts, key=lambda contrast: contrast.detectable(len(contrasts)) or 0.0)
    counts = name_counts(widest.n, widest.sources)
    detectable = widest.detectable(len(contrasts))
    if widest.floor * len(contrasts) > LEVEL:
        text = "The round has too few sources for its test to show any difference, however large."
        return Finding(((text, False),), counts, headline.tests_key)
    if detectable is None:
        text = "How large a difference the round could have found cannot be said: it has too few sources."
        return Finding(((text, False),), counts, headline.tests_key)
    size = _name_size(detectable, widest.unit)
    text = f"A difference of {size} or more would have been found with a chance of 80 %; a smaller one may exist."
    detail = f"{counts}; normal approximation at the first step of Holm over {len(contrasts)} pairs"
    return Finding(((text, False),), detail, headline.tests_key)


def _tell_by_question(significance: Table) -> Finding | None:
    """What holds question by question, corrected over all comparisons of the table, because it picks among them."""
    rows = [row for row in significance.rows if isinstance(row[5].value, float | int)]
    if not rows:
        return None
    adjusted = holm([float(row[5].value or 0.0) for row in rows])
    decided = [(p, row) for p, row in zip(adjusted, rows, strict=True) if p < LEVEL and _leaves_out_zero(row[4])]
    if not decided:
        text = f"Question by question no difference could be shown, in none of {len(rows)} comparisons."
        return Finding(((text, False),), f"smallest {name_p(min(adjusted))} after Holm over all", "significance")
    p_value, row = min(decided, key=lambda entry: (entry[0], -abs(float(entry[1][4].value or 0.0))))
    question, domain, first, second, difference = (cell.value for cell in row[:5])
    start = f"Question by question, {len(decided)} of {len(rows)} comparisons show a difference; the clearest: "
    pieces = (
        (start, False),
        (f"{first}", True),
        (" against ", False),
        (f"{second}", True),
        (f" on {question} ({domain}).", False),
    )
    interval = name_interval(row[4].low, row[4].high, "number")
    numbers = f"difference {format_difference(float(difference or 0.0), 2)}, 95 % interval {interval}"
    counted = f", n = {format_count(row[4].n)} samples" if row[4].n is not None else ""
    return Finding(pieces, f"{numbers}, {name_p(p_value)} after Holm over all {len(rows)}{counted}", "significance")


def _leaves_out_zero(cell: Cell) -> bool:
    return cell.low is None or cell.high is None or not cell.low <= 0 <= cell.high


def _tell_estimates(headline: Headline) -> Finding:
    """The ranks of the first and the last system."""
    best, last = headline.estimates[0], headline.estimates[-1]
    pieces = (
        (f"The {headline.words.name} is {_name_value(headline, best)} for ", False),
        (best.system, True),
        (f" and {_name_value(headline, last)} for ", False),
        (last.system, True),
        (".", False),
    )
    intervals = f"{_name_estimate(headline, best)}; {_name_estimate(headline, last)}"
    return Finding(pieces, intervals, "headline")


def _name_value(headline: Headline, row: SystemEstimate) -> str:
    value = row.estimate.value
    if not value.defined:
        return "n/a"
    return format_percent(float(value)) if headline.words.unit == "share" else format_score(float(value), 2)


def _name_estimate(headline: Headline, row: SystemEstimate) -> str:
    interval = row.estimate.interval
    bounds = name_interval(interval.low, interval.high, headline.words.unit)
    pieces = [f"{headline.words.name} of {row.system} {_name_value(headline, row)}"]
    pieces += [f"95 % interval {bounds}"] if bounds else []
    return ", ".join([*pieces, f"n = {format_count(row.n)} answers"])


def _tell_only(headline: Headline) -> Finding:
    """A round that compares nothing: the estimate of its first system."""
    row = headline.estimates[0]
    value = row.estimate.value
    if not value.defined:
        return Finding((("There is no estimate yet: ", False), (f"{value.undefined}.", False)), "", "headline")
    pieces = (
        (f"The {headline.words.name} is {_name_value(headline, row)} for ", False),
        (row.system, True),
        (".", False),
    )
    return Finding(_with_question(headline, pieces), _name_estimate(headline, row), "headline")


def _tell_counts(frame: Frame, answers: Answers) -> Finding:
    n, items = format_count(len(answers)), format_count(answers.distinct("item") if len(answers) else 0)
    raters = answers.distinct("rater") if len(answers) else 0
    text = f"The round has {n} answers of {raters} {'rater' if raters == 1 else 'raters'} about {items} items."
    return Finding(((text, False),), "it asks no question by which systems are compared", "")

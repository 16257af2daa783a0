"""The sentence on agreement: of the questions that the report leads with, on the items that were rated twice."""

from collections.abc import Mapping

from epitome.agreement.intervals import Estimate, estimate_statistics
from epitome.agreement.report import build_statistics
from epitome.figures.numbers import format_count, format_percent, format_score
from epitome.figures.tables import Table
from epitome.reports.answers import Answers, Frame
from epitome.reports.headline import Headline, name_interval
from epitome.reports.sentences import Finding
from epitome.rounds.question_traits import OwnAgreement


def tell_agreement(frame: Frame, headline: Headline | None, answers: Answers, by_key: Mapping[str, Table]) -> Finding:
    leading_answers = headline.answers if headline is not None else answers
    if headline is not None and (agreement := headline.questions[0].asks.agreement) is not None:
        return _tell_own_agreement(agreement, headline, by_key)
    ratings, raters = leading_answers.ratings()
    counts = ratings.counts() if len(leading_answers) else None
    twice = 0 if counts is None else int((counts.sum(axis=1) >= 2).sum())
    if len(raters) < 2 or not twice:
        text = "Agreement between raters cannot be measured: no item was rated twice."
        return Finding(((text, False),), f"{len(raters)} {'rater' if len(raters) == 1 else 'raters'}", "agreement")
    name, words = ("cohen_kappa", "Cohen's κ") if len(raters) == 2 else ("krippendorff_alpha", "Krippendorff's α")
    built = build_statistics(ratings)
    numbers = estimate_statistics(
        {key: built[key] for key in ("percent", name)}, ratings.clusters, replicates=frame.replicates, seed=frame.seed
    )
    return _word_agreement(numbers["percent"], numbers[name], words, len(raters), twice)


def _word_agreement(percent: Estimate, chance: Estimate, words: str, raters: int, twice: int) -> Finding:
    same = format_percent(float(percent.value)) if percent.value.defined else "n/a"
    who = "The two raters" if raters == 2 else "Two raters of an item"
    low = chance.interval.low
    if low is not None and low > 0:
        claim = ", more often than by chance"
    elif chance.value.defined and low is not None:
        claim = "; more than by chance could not be shown"
    else:
        claim = ""
    text = f"{who} gave the same answer for {same} of what both were asked{claim}."
    if chance.value.defined:
        bounds = name_interval(low, chance.interval.high, "number")
        detail = f"{words} {format_score(float(chance.value), 2)}" + (f", 95 % interval {bounds}" if bounds else "")
    else:
        detail = f"{words} n/a: {chance.value.undefined}"
    return Finding(((text, False),), f"{detail}, n = {format_count(twice)} rated at least twice", "agreement")


def _tell_own_agreement(agreement: OwnAgreement, headline: Headline, by_key: Mapping[str, Table]) -> Finding:
    """Of numbers Krippendorff's alpha, of rankings Kendall's W: the widest statement that the tables hold."""
    key = f"{agreement.table}-{headline.questions[0].key}"
    table = by_key.get(key)
    cells = [row[-1] for row in table.rows] if table is not None else []
    known = [cell for cell in cells if isinstance(cell.value, float | int)]
    if not known:
        text = "Agreement between raters cannot be measured: too few items were rated twice."
        return Finding(((text, False),), "", key)
    lowest = min(known, key=lambda cell: float(cell.value or 0.0))
    text = f"{agreement.coefficient} between raters is {format_score(float(lowest.value or 0.0), 2)}"
    text += " in the domain where it is lowest." if len(known) > 1 else "."
    interval = name_interval(lowest.low, lowest.high, "number")
    return Finding(((text, False),), f"95 % interval {interval}" if interval else "", key)

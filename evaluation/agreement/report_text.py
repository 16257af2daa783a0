"""The agreement report as an aligned table for people."""

from collections.abc import Iterator

from annotation.formats.faults import printable
from evaluation.agreement.intervals import Estimate
from evaluation.agreement.report import Group, Report

NAMES = {
    "percent": "percent agreement",
    "cohen_kappa": "Cohen's kappa",
    "cohen_kappa_linear": "  linear weights",
    "cohen_kappa_quadratic": "  quadratic weights",
    "cohen_kappa_pairs_mean": "  mean over pairs",
    "fleiss_kappa": "Fleiss' kappa",
    "krippendorff_alpha": "Krippendorff's alpha",
    "krippendorff_alpha_ordinal": "  ordinal",
    "krippendorff_alpha_interval": "  interval",
    "gwet_ac1": "Gwet's AC1",
    "gwet_ac2_linear": "AC2, linear weights",
    "gwet_ac2_quadratic": "AC2, quadratic weights",
    "prevalence_index": "prevalence index",
    "bias_index": "bias index",
    "pabak": "PABAK",
}
WIDTH = 24
MAX_RATERS = 20


def as_text(report: Report, name: str) -> str:
    """The report as lines of text; name: of the file."""
    return "\n".join(_lines(report, name))


def _lines(report: Report, name: str) -> Iterator[str]:
    whole = report.pooled
    yield (
        f"Agreement in {printable(name, 100)}: {_n(whole.judgements, 'judgement')} of {_n(len(whole.raters), 'rater')} "
        f"on {_n(whole.distinct_items, 'item')}, {_n(len(report.questions), 'question')}"
    )
    yield from _groups(report.questions, whole, "")
    for system, (questions, pooled) in report.systems.items():
        yield from _groups(questions, pooled, f"System {printable(system)}: ")
    yield ""
    drawn = dict(report.signature.options).get("clusters", "items")
    yield f"[low, high] is the 95 % interval: bootstrap over {drawn}; for one rater's yes, Wilson."
    yield f"signature: {report.signature}"


def _groups(questions: dict[str, Group], pooled: Group, before: str) -> Iterator[str]:
    for question, group in questions.items():
        yield from _block(f"{before}question {printable(question)}", group, "item")
    yield from _block(f"{before}all questions pooled", pooled, "answered question")


def _block(title: str, group: Group, unit: str) -> Iterator[str]:
    yield ""
    yield title[:1].upper() + title[1:]
    people, given = _n(len(group.raters), "rater"), _n(group.judgements, "judgement")
    yield f"  {_n(group.items, unit)}, {people}, {given}, {group.missing:.1%} missing"
    for key, name in NAMES.items():
        if key in group.statistics:
            yield _row(name, group.statistics[key])
    yield from _yes(group)
    for note in group.notes:
        yield f"  note: {printable(note, 400)}"


def _yes(group: Group) -> Iterator[str]:
    rates = group.yes
    if not rates.pooled.value.defined:
        return
    for rater, rate in list(rates.raters.items())[:MAX_RATERS]:
        yield _row(f"yes, {printable(rater, WIDTH - 5)}", rate)
    if len(rates.raters) > MAX_RATERS:
        yield f"  (and {len(rates.raters) - MAX_RATERS} more raters; --json has all)"
    yield _row("yes, pooled", rates.pooled)
    yield _row("yes, by all raters", rates.all_yes)


def _row(name: str, found: Estimate) -> str:
    if found.value.value is None:
        return f"  {name:<{WIDTH}} undefined: {found.value.undefined}"
    interval = found.interval
    if interval.low is None or interval.high is None:
        return f"  {name:<{WIDTH}} {found.value.value:7.3f}  no interval: {interval.undefined}"
    left_out = f"  ({interval.left_out} of {interval.replicates} replicates undefined)" if interval.left_out else ""
    return f"  {name:<{WIDTH}} {found.value.value:7.3f}  [{interval.low:6.3f}, {interval.high:6.3f}]{left_out}"


def _n(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"

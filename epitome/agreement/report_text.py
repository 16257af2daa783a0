"""The agreement report as an aligned table for people."""

from collections.abc import Iterator

from epitome.agreement.intervals import Estimate
from epitome.agreement.report import Group, Report
from epitome.formats.faults import to_printable
from epitome.results import list_compared

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
    return "\n".join(_report_lines(report, name))


def _report_lines(report: Report, name: str) -> Iterator[str]:
    overall = report.pooled
    judgements, raters = _count_noun(overall.judgements, "judgement"), _count_noun(len(overall.raters), "rater")
    yield (
        f"Agreement in {to_printable(name, 100)}: {judgements} of {raters} "
        f"on {_count_noun(overall.distinct_items, 'item')}, {_count_noun(len(report.questions), 'question')}"
    )
    yield from _group_lines(report.questions, overall, "")
    for system, (questions, pooled) in report.systems.items():
        yield from _group_lines(questions, pooled, f"System {to_printable(system)}: ")
    yield ""
    drawn = dict(report.signature.options).get("clusters", "items")
    few = f"where few {drawn} have a disagreement, Wilson's of the agreement at least"
    yield f"[low, high] is the 95 % interval: bootstrap over {drawn} ({few}); of yes, Wilson with the design effect."
    if report.left_out:
        yield f"Left out: {_count_noun(report.left_out, 'answer')} requested because raters disagreed."
    yield f"signature: {report.signature}"


def _group_lines(questions: dict[str, Group], pooled: Group, prefix: str) -> Iterator[str]:
    for question, group in questions.items():
        yield from _block_lines(f"{prefix}question {to_printable(question)}", group, "item")
    if len(questions) > 1:
        yield from _block_lines(f"{prefix}all questions pooled", pooled, "answered question")


def _block_lines(title: str, group: Group, unit: str) -> Iterator[str]:
    yield ""
    yield title[:1].upper() + title[1:]
    people, judgements = _count_noun(len(group.raters), "rater"), _count_noun(group.judgements, "judgement")
    yield f"  {_count_noun(group.items, unit)}, {people}, {judgements}, {group.missing:.1%} missing"
    for key, name in NAMES.items():
        if key in group.statistics:
            yield _row_line(name, group.statistics[key])
    yield from _yes_lines(group)
    for note in group.notes:
        yield f"  note: {to_printable(note, 400)}"
    if group.compared is not None:
        yield from (f"  {line}" for line in list_compared(group.compared, "other libraries:"))


def _yes_lines(group: Group) -> Iterator[str]:
    rates = group.yes
    if not rates.pooled.value.defined:
        return
    for rater, rate in list(rates.raters.items())[:MAX_RATERS]:
        yield _row_line(f"yes, {to_printable(rater, WIDTH - 5)}", rate)
    if len(rates.raters) > MAX_RATERS:
        yield f"  (and {len(rates.raters) - MAX_RATERS} more raters; --json has all)"
    yield _row_line("yes, pooled", rates.pooled)
    yield _row_line("yes, by all raters", rates.all_yes)


def _row_line(name: str, estimate: Estimate) -> str:
    if estimate.value.value is None:
        return f"  {name:<{WIDTH}} undefined: {estimate.value.undefined}"
    interval = estimate.interval
    if interval.low is None or interval.high is None:
        return f"  {name:<{WIDTH}} {estimate.value.value:7.3f}  no interval: {interval.undefined}"
    left_out = f"  ({interval.left_out} of {interval.replicates} replicates undefined)" if interval.left_out else ""
    return f"  {name:<{WIDTH}} {estimate.value.value:7.3f}  [{interval.low:6.3f}, {interval.high:6.3f}]{left_out}"


def _count_noun(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"

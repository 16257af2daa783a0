"""A dry run as aligned tables of plain text."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from epitome.sampling.asked_lengths import WordRange
    from epitome.sampling.dryrun import ChiSquare, DrawWarning, DryRun

COLUMNS = 6


def as_text(run: "DryRun") -> str:
    sections = [_format_totals(run), _format_values(run), _format_tests(run), _format_combinations(run)]
    if run.asked_lengths:
        sections.insert(2, _format_asked_lengths(run))
    if run.warnings:
        sections.insert(1, "\n".join(f"warning: {_format_warning(run, warning)}" for warning in run.warnings))
    return "\n\n".join(sections) + "\n"


def format_table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Rows of equal length as columns two blanks apart; the columns in `right` are set to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _format_totals(run: "DryRun") -> str:
    rows = [
        ("sampler", f"{run.sampler}, seed {run.seed}"),
        ("sources", f"{run.sources:,}"),
        ("groups", f"{run.groups:,}"),
        ("samples", f"{run.samples:,}"),
        ("summaries", f"{run.summaries:,} ({_format_writers(run)})"),
        ("writing time", f"{run.hours:,.1f} hours at {run.minutes_per_summary:g} minutes per summary"),
    ]
    if run.pay is not None:
        rows.append(("pay", f"{run.pay:,.2f} {run.currency}".rstrip()))
    if run.most_samples is not None:
        rows.append(("limit", f"{run.most_samples:,} samples"))
        rows.append(("left for a later draw", f"{run.left_sources:,} sources, {run.left_samples:,} samples"))
    return format_table(rows)


def _format_writers(run: "DryRun") -> str:
    if len(run.samples_by_writers) < 2:
        return f"{max(run.samples_by_writers, default=run.overlap)} per sample"
    return ", ".join(f"{n:,} samples with {writers}" for writers, n in run.samples_by_writers.items())


def _format_warning(run: "DryRun", warning: "DrawWarning") -> str:
    if warning.lacks_topics:
        share = 100 * warning.n / run.samples
        ask = f"{warning.n:,} of {run.samples:,} samples ({share:.0f} %) ask for no topic"
        return f"{ask}: draw more samples per source"
    if warning.asks_too_little:
        sentence = f"{warning.attribute} {warning.value} asks for {warning.n} words at most"
        return f'{sentence}: give its range in words in the schema (of = "words"), as the preset short-articles does'
    noun = "pair" if warning.n == 1 else "pairs"
    return f"{warning.attribute} has {warning.n} {noun} for control correlation, fewer than 30: draw more samples"


def _format_values(run: "DryRun") -> str:
    rows = [("attribute", "value", "samples", "share")]
    for key, counts in run.values.items():
        for value, count in counts.items():
            rows.append((key, value, f"{count:,}", f"{100 * count / run.samples:.1f} %" if run.samples else "-"))
    return format_table(rows, right=(2, 3))


def _format_asked_lengths(run: "DryRun") -> str:
    """Words of each length, for the median text and where one segment is marked."""
    rows = [("attribute", "value", f"words of a text of {run.median_words:,}", "for each marked segment")]
    for asked_length in run.asked_lengths:
        marked = "-" if asked_length.marked is None else _format_range(asked_length.marked)
        rows.append((asked_length.attribute, asked_length.value, _format_range(asked_length.whole), marked))
    return format_table(rows)


def _format_range(words: "WordRange") -> str:
    low, high = words
    return f"{low} or more" if high is None else f"{low}" if low == high else f"{low} to {high}"


def _format_tests(run: "DryRun") -> str:
    rows = [("attribute", "chi-square", "df", "p", "against", "CC pairs")]
    for key, test in run.chi_square.items():
        rows.append((key, *_format_test(test), f"{run.pairs[key]:,}" if key in run.pairs else "-"))
    return format_table(rows, right=(1, 2, 3, 5))


def _format_test(test: "ChiSquare") -> tuple[str, str, str, str]:
    if test.statistic is None or test.p is None:
        return ("-", "-", "-", test.undefined)
    return (f"{test.statistic:.2f}", str(test.df), "< .001" if test.p < 0.001 else f"{test.p:.3f}", test.against)


def _format_combinations(run: "DryRun") -> str:
    cells = [f"{code} {count:,}" for code, count in run.combinations.items()]
    cells += [""] * (-len(cells) % COLUMNS)
    rows = [cells[at : at + COLUMNS] for at in range(0, len(cells), COLUMNS)]
    return "combination and samples\n" + format_table(rows) if rows else "no combination"

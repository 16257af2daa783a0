"""The dry run of a sampler, as figures and table rows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from annotation.services.core.word_patterns import add_remark, join_names
from epitome.figures.charts import Bar, Bars
from epitome.figures.numbers import format_count, format_decimal, format_percent, format_share
from epitome.figures.svg import Svg
from epitome.sampling import MIN_PAIRS, ChiSquare, DrawWarning, DryRun
from epitome.sampling.asked_lengths import WordRange
from epitome.schema import Schema, has_lengths_for_words

MOST_SIZES = 12
"""Bars of the figure of samples per source; larger sources share the last one."""


@dataclass(frozen=True)
class TestRow:
    """pairs: None where there are none to count, with no_pairs as the reason, "" for what is no attribute."""

    attribute: str
    test: ChiSquare
    pairs: int | None
    no_pairs: str = ""


@dataclass(frozen=True)
class AskedRow:
    """What a value asks of writers on these texts. attribute: "" where it is that of the row before. words: of the
    median text, "" for what is no length; marked: where one segment is marked, "" where that makes no difference."""

    attribute: str
    value: str
    guide: str
    words: str = ""
    marked: str = ""
    is_short: bool = False


@dataclass(frozen=True)
class SamplingPreview:
    """takes_words: whether lengths that ask for too few words can be given in words at once."""

    run: DryRun
    figures: list[Svg]
    tests: list[TestRow]
    warnings: list[str]
    asked: list[AskedRow]
    takes_words: bool = False
    left_text: str = ""
    writers_text: str = ""
    extra_text: str = ""


def build_sampling_preview(run: DryRun, schema: Schema, project: Project) -> SamplingPreview:
    """Build the tables of a dry run, with the labels of the schema."""
    labels = {attribute.key: attribute.label for attribute in schema.attributes}
    no_pairs = {
        attribute.key: _("its values have no order") for attribute in schema.sampled if not attribute.has_distance
    }
    tests = [
        TestRow(labels.get(key, key), test, run.pairs.get(key), no_pairs.get(key, ""))
        for key, test in run.chi_square.items()
    ]
    warnings = [_describe_warning(run, warning, labels) for warning in run.warnings if not warning.asks_too_little]
    if short_text := _describe_short_lengths(run, schema):
        warnings.insert(0, short_text)
    return SamplingPreview(
        run,
        _draw_figures(run, labels),
        tests,
        warnings,
        asked=list(_list_asked(run, schema)),
        takes_words=bool(short_text) and has_lengths_for_words(schema),
        left_text=_describe_left(run),
        writers_text=_describe_writers(run),
        extra_text=_describe_extra(run, project),
    )


def _list_asked(run: DryRun, schema: Schema) -> Iterator[AskedRow]:
    """A row for every value that was drawn from, in schema order."""
    lengths = {(row.attribute, row.value): row for row in run.asked_lengths}
    for attribute in schema.sampled:
        for number, value in enumerate(attribute.values):
            label, guide = attribute.label if not number else "", attribute.value_guide(value)
            asked_length = lengths.get((attribute.key, value))
            if asked_length is None:
                yield AskedRow(label, attribute.value_label(value), guide)
                continue
            marked = format_words(asked_length.marked) if asked_length.marked else ""
            is_short = asked_length.fewest(run.median_words) is not None
            yield AskedRow(
                label, attribute.value_label(value), guide, format_words(asked_length.whole), marked, is_short
            )


def format_words(words: WordRange) -> str:
    """A range of words as people say it: 17 to 19 words."""
    low, high = words
    if high is None:
        return ngettext("%(low)s word or more", "%(low)s words or more", low) % {"low": format_count(low)}
    if low == high:
        return ngettext("about %(n)s word", "about %(n)s words", high) % {"n": format_count(high)}
    text = ngettext("%(low)s to %(high)s word", "%(low)s to %(high)s words", high)
    return text % {"low": format_count(low), "high": format_count(high)}


def _describe_short_lengths(run: DryRun, schema: Schema) -> str:
    """Which lengths ask for too few words, and what to do; "" for none."""
    short = [warning for warning in run.warnings if warning.asks_too_little]
    if not short:
        return ""
    lengths = join_names(
        _("%(length)s (at most %(n)s)")
        % {
            "length": schema.attribute(warning.attribute).value_label(warning.value),
            "n": format_count(warning.n),
        }
        for warning in short
    )
    text = _(
        "On these texts some lengths ask for fewer than eight words: %(lengths)s. Give lengths in words instead of "
        "shares of the text."
    )
    return text % {"lengths": lengths}


def _describe_extra(run: DryRun, project: Project) -> str:
    """What texts may cost that are requested because annotators disagree; "" where there are none."""
    if project.extra_below is None or not any(writers > 1 for writers in run.samples_by_writers):
        return ""
    hours = project.extra_most * run.minutes_per_summary / 60
    text = ngettext(
        "Not included: at most %(n)s more text where annotators disagree, %(hours)s hours.",
        "Not included: at most %(n)s more texts where annotators disagree, %(hours)s hours.",
        project.extra_most,
    )
    return text % {"n": format_count(project.extra_most), "hours": format_decimal(hours, 1)}


def _describe_writers(run: DryRun) -> str:
    """How many people write a sample, or how many samples have how many annotators."""
    if len(run.samples_by_writers) < 2:
        return _("%(n)s per sample") % {"n": max(run.samples_by_writers, default=run.overlap)}
    parts = [
        ngettext("%(n)s with %(writers)d annotator", "%(n)s with %(writers)d annotators", writers)
        % {"n": format_count(n), "writers": writers}
        for writers, n in run.samples_by_writers.items()
    ]
    return join_names(parts)


def _describe_left(run: DryRun) -> str:
    """What the limit leaves; "" for nothing."""
    if not run.left_sources:
        return ""
    text = ngettext(
        "The limit of %(limit)s samples leaves %(n)s source for a later draw, which continues here. "
        "Samples left: %(samples)s.",
        "The limit of %(limit)s samples leaves %(n)s sources for a later draw, which continues here. "
        "Samples left: %(samples)s.",
        run.left_sources,
    )
    numbers = {"limit": run.most_samples or 0, "n": run.left_sources, "samples": run.left_samples}
    return text % {name: format_count(number) for name, number in numbers.items()}


def _draw_figures(run: DryRun, labels: Mapping[str, str]) -> list[Svg]:
    """One figure of bars per attribute, and one of the sources by their number of samples."""
    figures = [
        Bars(
            f"values-{key}",
            labels.get(key, key),
            [_build_bar(value, count, run.samples) for value, count in counts.items()],
        )
        for key, counts in run.values.items()
    ]
    sizes = [_build_bar(label, count, run.sources) for label, count in _group_sizes(run.sources_by_samples).items()]
    return [figure.draw() for figure in [*figures, Bars("source-sizes", _("Sources by number of samples"), sizes)]]


def _build_bar(label: str, count: int, total: int) -> Bar:
    share = format_percent(count / total if total else 0)
    return Bar(label, count, total, add_remark(format_count(count), share))


def _group_sizes(sources_by_samples: Mapping[int, int]) -> dict[str, int]:
    """Number of samples as text -> sources; the largest numbers are taken together."""
    sizes = sorted(sources_by_samples)
    counts = {str(size): sources_by_samples[size] for size in sizes[:MOST_SIZES]}
    if rest := sizes[MOST_SIZES:]:
        counts[f"{rest[0]}–{rest[-1]}"] = sum(sources_by_samples[size] for size in rest)
    return counts


def _describe_warning(run: DryRun, warning: DrawWarning, labels: Mapping[str, str]) -> str:
    if warning.lacks_topics:
        return _("%(share)s %% of the samples ask for no topic. Draw more samples per source to measure topics.") % {
            "share": format_share(warning.n / run.samples, 0)
        }
    text = ngettext(
        "%(attribute)s: %(n)d pair for control correlation, fewer than %(least)d. Draw more samples.",
        "%(attribute)s: %(n)d pairs for control correlation, fewer than %(least)d. Draw more samples.",
        warning.n,
    )
    return text % {"attribute": labels.get(warning.attribute, warning.attribute), "n": warning.n, "least": MIN_PAIRS}

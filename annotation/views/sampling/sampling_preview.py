"""The dry run of a sampler, as table rows."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.sampling import MIN_PAIRS, ChiSquare, DrawWarning, DryRun
from annotation.schema import Schema


@dataclass(frozen=True)
class ValueRow:
    """One value's count; `first` marks the attribute's first row, which carries its name."""

    attribute: str
    value: str
    count: int
    first: bool


@dataclass(frozen=True)
class TestRow:
    attribute: str
    test: ChiSquare
    pairs: int | None


@dataclass(frozen=True)
class SamplingPreview:
    run: DryRun
    values: list[ValueRow]
    tests: list[TestRow]
    warnings: list[str]


def build_sampling_preview(run: DryRun, schema: Schema) -> SamplingPreview:
    """Build the tables of a dry run, with the labels of the schema."""
    labels = {attribute.key: attribute.label for attribute in schema.attributes}
    values = [
        ValueRow(labels.get(key, key), value, count, place == 0)
        for key, counts in run.values.items()
        for place, (value, count) in enumerate(counts.items())
    ]
    tests = [TestRow(labels.get(key, key), test, run.pairs.get(key)) for key, test in run.chi_square.items()]
    return SamplingPreview(run, values, tests, [_describe_warning(run, warning, labels) for warning in run.warnings])


def _describe_warning(run: DryRun, warning: DrawWarning, labels: Mapping[str, str]) -> str:
    if warning.kind == "no-topic":
        return _("%(share)d %% of the samples ask for no topic. Draw more samples per source to measure topics.") % {
            "share": round(100 * warning.n / run.samples)
        }
    text = ngettext(
        "%(attribute)s: %(n)d pair for control correlation, fewer than %(least)d. Draw more samples.",
        "%(attribute)s: %(n)d pairs for control correlation, fewer than %(least)d. Draw more samples.",
        warning.n,
    )
    return text % {"attribute": labels.get(warning.attribute, warning.attribute), "n": warning.n, "least": MIN_PAIRS}

"""The dry run of a sampler, as table rows."""

from dataclasses import dataclass

from annotation.sampling import ChiSquare, DryRun
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


def build_sampling_preview(run: DryRun, schema: Schema) -> SamplingPreview:
    """Build the tables of a dry run, with the labels of the schema."""
    labels = {attribute.key: attribute.label for attribute in schema.attributes}
    values = [
        ValueRow(labels.get(key, key), value, count, place == 0)
        for key, counts in run.values.items()
        for place, (value, count) in enumerate(counts.items())
    ]
    tests = [TestRow(labels.get(key, key), test, run.pairs.get(key)) for key, test in run.chi_square.items()]
    return SamplingPreview(run, values, tests)

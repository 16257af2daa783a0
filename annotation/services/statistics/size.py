"""Table 2: how large the dataset is, in the columns of the published table, one line per split."""

from collections.abc import Callable, Sequence
from statistics import fmean

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.services.statistics.records import Record, SampleRequest
from epitome.figures.tables import Cell, Column, Table
from epitome.schema import Schema

ORDER = ("train", "dev", "val", "test")


def list_splits(records: Sequence[Record]) -> list[str]:
    """The splits in use: train, dev and test first, then by name; sources without a split come last, as ""."""
    splits = {record.sample.split for record in records}
    return sorted(splits, key=lambda name: (name == "", ORDER.index(name) if name in ORDER else len(ORDER), name))


def split_label(split: str) -> str:
    return split or _("no split")


def build_size_table(records: Sequence[Record], schema: Schema, length_measure: str) -> Table:
    """Counts and means per split and in all. length_measure: the key of the measure that counts a summary's tokens."""
    picks = [(attribute.key, attribute.label) for attribute in schema.chosen]
    dialogue = schema.domain == "dialogue"
    columns = [
        Column(_("Split"), kind="text"),
        Column(_("Sources"), digits=0),
        Column(_("Samples"), digits=0),
        Column(_("Summaries"), digits=0),
        Column(_("words"), _("Source"), digits=1),
        Column(_("tokens"), _("Source"), digits=1),
        *([Column(_("turns"), _("Source"), digits=1)] if dialogue else []),
        Column(_("words"), _("Reference"), digits=1),
        Column(_("tokens"), _("Reference"), digits=1),
        *(Column(label, _("Mean number"), digits=2) for _key, label in picks),
    ]
    splits = list_splits(records)
    groups = [(split_label(split), [record for record in records if record.sample.split == split]) for split in splits]
    if len(groups) != 1:
        groups.append((_("all"), list(records)))
    keys = [key for key, _label in picks]
    rows = [[Cell(label), *_build_row(group, keys, dialogue, length_measure)] for label, group in groups]
    notes = [
        _("Means are over summaries, so a source counts as often as it was summarised."),
        _("Words are separated by white space. Tokens are counted as in the length measure, including punctuation."),
    ]
    return Table("size", _("Size of the dataset"), columns, rows, _("Sources, samples and mean sizes."), notes)


def _build_row(records: Sequence[Record], picks: Sequence[str], dialogue: bool, length_measure: str) -> list[Cell]:
    sources = {record.sample.source.pk for record in records}
    samples: dict[int, SampleRequest] = {record.sample.pk: record.sample for record in records}
    lengths = [_measured_length(record, length_measure) for record in records]
    uncounted = sum(record.sample.source.n_tokens is None for record in records)
    unmeasured = sum(length is None for length in lengths)
    cells = [
        Cell(len(sources)),
        Cell(len(samples)),
        Cell(len(records)),
        _mean_of_records(records, lambda record: record.sample.source.n_words),
        Cell(
            undefined=ngettext(
                "the tokens of %(n)d source are not counted yet",
                "the tokens of %(n)d sources are not counted yet",
                uncounted,
            )
            % {"n": uncounted}
        )
        if uncounted
        else _mean_of_records(records, lambda record: record.sample.source.n_tokens or 0),
        *([_mean_of_records(records, lambda record: record.sample.source.n_segments)] if dialogue else []),
        _mean_of_records(records, lambda record: record.words),
        Cell(
            undefined=ngettext("%(n)d summary is not measured yet", "%(n)d summaries are not measured yet", unmeasured)
            % {"n": unmeasured}
        )
        if unmeasured
        else _mean_of_values([length for length in lengths if length is not None]),
    ]
    for key in picks:
        cells.append(_mean_of_values([float(sample.picks.get(key, 0)) for sample in samples.values()]))
    return cells


def _measured_length(record: Record, measure: str) -> float | None:
    scored = record.scores.get(measure)
    return scored.value if scored is not None else None


def _mean_of_records(records: Sequence[Record], value_of: Callable[[Record], float]) -> Cell:
    return _mean_of_values([value_of(record) for record in records])


def _mean_of_values(values: Sequence[float]) -> Cell:
    return Cell(fmean(values), n=len(values)) if values else Cell(undefined=_("there is no summary"), n=0)

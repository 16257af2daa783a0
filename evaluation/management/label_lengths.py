"""Whether the references of a file are as long as their labels say: as on the Statistics page."""

from collections import defaultdict
from typing import Any

from annotation.kinds.summary import marked_numbers
from annotation.services.statistics.ratios import Ratios, build_ratios
from annotation.services.statistics.records import Record, SampleRequest, Source, mark_anchors
from epitome.figures.tables import Table, format_value
from epitome.metrics.macsum_samples import MacsumFile, Sample
from epitome.metrics.report_text import align_rows
from epitome.schema import Schema, load_preset
from epitome.text.words import n_words

LISTED = 20
"""Anchors that the text lists; JSON lists as many as the Statistics page."""


def schema_of(file: MacsumFile) -> Schema:
    """The schema whose guideline the lengths are held against: the file's own, or MACSum's."""
    if file.schema is not None:
        return file.schema
    return load_preset("macsum-dial" if file.domains == ("dialogue",) else "macsum-doc")


def measure_label_lengths(file: MacsumFile) -> Ratios:
    """Summary words / relevant words per label, with the modes of each, and the anchors that do not fit theirs.

    Relevant are the marked segments of samples with topics or speakers, all segments of the others.
    """
    schema = schema_of(file)
    words = [[n_words(text) for text in source.index.texts] for source in file.sources]
    sources = [
        Source(position, source.external_id, source.external_id, "", sum(words[position]), None, len(words[position]))
        for position, source in enumerate(file.sources)
    ]
    records = []
    groups: dict[Any, list[SampleRequest]] = defaultdict(list)
    for index, sample in enumerate(file.samples):
        request = _build_request(index, sample, sources[sample.source])
        groups[sample.source, tuple(sorted(sample.picks.items()))].append(request)
        record = Record(index, request, False, True, n_words(sample.summary), "", None, False)
        record.base = _count_relevant(sample, words[sample.source]) if request.narrowed else request.source.n_words
        records.append(record)
    mark_anchors(schema, groups.values())
    return build_ratios(records, schema)


def _build_request(place: int, sample: Sample, source: Source) -> SampleRequest:
    picks = {name: len(texts) for name, texts in sample.picks.items()}
    position = int(sample.sample_id.rpartition("#")[2])
    return SampleRequest(place, position, source, sample.requested, "", False, picks, source.split)


def _count_relevant(sample: Sample, words: list[int]) -> int:
    return sum(words[number] for number in marked_numbers(list(sample.relevant)) if 0 <= number < len(words))


def lengths_json(file: MacsumFile) -> dict[str, Any]:
    """{"schema", "ratios", "flags", "anchors"}: tables as on the Statistics page, findings in words."""
    ratios = measure_label_lengths(file)
    return {
        "schema": schema_of(file).key,
        "ratios": ratios.table.as_json() if ratios.table else None,
        "flags": ratios.flags,
        "anchors": ratios.anchors.as_json() if ratios.anchors else None,
    }


def lengths_text(file: MacsumFile) -> str:
    """The same as lines."""
    ratios = measure_label_lengths(file)
    sections = [_format_table(ratios.table, f", references and the guideline of {schema_of(file).key}")]
    if ratios.flags:
        sections.append("\n".join(["Several modes under one label hide different requests:", *ratios.flags]))
    sections.append(_format_table(ratios.anchors, "", LISTED))
    return "\n\n".join(filter(None, sections))


def _format_table(table: Table | None, about: str, most: int | None = None) -> str:
    """Title, notes and rows; at most `most` of these, then a line that says so."""
    if table is None:
        return ""
    shown = [index for index, column in enumerate(table.columns) if not column.files_only]
    rows = [[table.columns[index].full_label for index in shown]]
    for row in table.rows[:most]:
        cells = [(row[index], table.columns[index].digits) for index in shown]
        rows.append(["n/a" if cell.undefined else format_value(cell.value, digits) for cell, digits in cells])
    lines = [f"{table.title}{about}", *table.notes, *(align_rows(rows) if table.rows else [])]
    if most is not None and len(table.rows) > most:
        lines.append(f"The first {most} are listed; --json lists more.")
    return "\n".join(lines)

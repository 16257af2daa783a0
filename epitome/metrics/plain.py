"""Numbers of a table in which nothing is requested: measures of its texts and, with outputs of a system, ROUGE."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from epitome.formats.faults import FieldFault
from epitome.formats.plain_rows import PlainColumns, PlainRow, read_plain_rows
from epitome.formats.reading import InputFile
from epitome.formats.sample_files import SampleFault
from epitome.measures import MEASURES, Signature, Tagger, Value
from epitome.metrics.aggregate import Aggregate
from epitome.metrics.draws import Draws, mean_of
from epitome.metrics.macsum_samples import MAX_SUMMARY, BadInput, MacsumFile, Sample, Source, too_long_message
from epitome.metrics.report import VERSION, Options, load_tagger, measure_texts
from epitome.metrics.table_numbers import MeasuredText, TableOptions, compute_rouge, describe_rouge
from epitome.text.pipeline import PipelineNotFound

UNREQUESTED = tuple(key for key, measure in MEASURES.items() if measure.needs_request is None)
"""The measures that need no request."""


@dataclass(frozen=True)
class PlainTable:
    """file: one sample per summary, with the measures of its texts as its attributes. outputs: of a system, one per
    sample. columns: what was read as what."""

    file: MacsumFile
    outputs: Sequence[str] | None
    columns: PlainColumns


@dataclass(frozen=True)
class PlainReport:
    """f: by measure, of the outputs if there are any, else of the summaries; gold: of the summaries beside outputs.
    rouge: by kind. undefined: why a measure is missing, by its key."""

    table: PlainTable
    options: Options
    f: dict[str, Aggregate]
    gold: dict[str, Aggregate]
    rouge: dict[str, Aggregate]
    undefined: dict[str, str]
    signature: Signature


def read_plain_table(file: InputFile, columns: PlainColumns, language: str = "") -> PlainTable:
    """The whole table. Raises BadInput at the first fault and for a table without a text to measure."""
    try:
        rows = list(read_plain_rows(file, columns))
    except SampleFault as error:
        raise BadInput(error.fault) from error
    if not rows:
        raise BadInput(file.fault("holds no summary", line=1, code="empty", fatal=True))
    for row in rows:
        for field, text in (("summary", row.summary), ("prediction", row.prediction or "")):
            if len(text) > MAX_SUMMARY:
                fault = FieldFault((columns.mapping[field],), too_long_message(text), code="long")
                raise BadInput(row.row.spot.fault(fault))
    outputs = [row.prediction or "" for row in rows] if "prediction" in columns.mapping else None
    return PlainTable(_build_file(file.name, rows, language), outputs, columns)


def _build_file(name: str, rows: Sequence[PlainRow], language: str) -> MacsumFile:
    numbers: dict[str, int] = {}
    for row in rows:
        numbers.setdefault(row.cluster, len(numbers))
    lines = {row.cluster: row.lines for row in rows}
    sources = tuple(Source(key, "document", lines[key], {}, key) for key in numbers)
    samples = tuple(
        Sample(numbers[row.cluster], f"{row.cluster}#{place}", {}, {}, row.summary, ())
        for place, row in enumerate(rows)
    )
    has_sources = any(row.lines for row in rows)
    measures = tuple(key for key in UNREQUESTED if has_sources or not MEASURES[key].needs_source)
    return MacsumFile(name, sources, samples, measures, language=language)


def n_plain_texts(table: PlainTable) -> int:
    """How many texts `measure_plain` measures, for progress."""
    return len(table.file.samples) * (1 if table.outputs is None else 2)


def measure_plain(
    table: PlainTable,
    options: Options,
    pipeline: str | None = None,
    advance: Callable[[int], None] = lambda n: None,
) -> PlainReport:
    """Every number that needs no request. Where spaCy is not installed specificity is undefined; a pipeline that is
    named is needed. Raises NoTagger, PipelineNotFound."""
    file, undefined, tagger = table.file, dict[str, str](), None
    for key in file.attributes:
        if reason := MEASURES[key].explain_refusal(file.text_language):
            undefined[key] = reason
    try:
        tagger = load_tagger(file, pipeline)
    except PipelineNotFound as error:
        if pipeline:
            raise
        undefined |= {key: str(error) for key in file.attributes if MEASURES[key].needs_tagger}
    file = replace(file, attributes=tuple(key for key in file.attributes if key not in undefined))
    draws = Draws(file.clusters, options.replicates, options.seed)

    def measure_all(texts: Sequence[str], places: Sequence[int]) -> dict[str, Aggregate]:
        values = measure_texts(file, texts, options.profile, tagger, advance)
        drawn = draws.of(places)
        return {key: _mean(key, [values[key][place] for place in places], options, drawn) for key in file.attributes}

    summaries = [sample.summary for sample in file.samples]
    written = [place for place, text in enumerate(summaries) if text.strip()]
    is_compared = table.outputs is not None and bool(written)
    return PlainReport(
        table,
        options,
        f=measure_all(summaries, written)
        if table.outputs is None
        else measure_all(table.outputs, range(len(summaries))),
        gold=measure_all(summaries, written) if is_compared else {},
        rouge=_compute_rouge(file, summaries, table.outputs or (), options) if is_compared else {},
        undefined=undefined,
        signature=_build_signature(file, options, tagger, is_compared=is_compared),
    )


def _mean(key: str, values: Sequence[Value], options: Options, draws: Draws) -> Aggregate:
    return mean_of("f", VERSION, values, draws, attribute=key, profile=options.profile)


def _compute_rouge(
    file: MacsumFile, summaries: Sequence[str], outputs: Sequence[str], options: Options
) -> dict[str, Aggregate]:
    rows = [
        MeasuredText(output, {}, cluster=cluster, reference=MeasuredText(summary, {}))
        for output, summary, cluster in zip(outputs, summaries, file.clusters, strict=True)
        if summary.strip()
    ]
    settings = TableOptions(
        options.eps_policy, options.profile, options.pairs, options.replicates, options.seed, file.text_language
    )
    return compute_rouge(rows, settings)


def _build_signature(file: MacsumFile, options: Options, tagger: Tagger | None, *, is_compared: bool) -> Signature:
    versions = "+".join(f"{key}.{MEASURES[key].version}" for key in file.attributes)
    settings: dict[str, object] = {"profile": options.profile, "measures": versions, "language": file.text_language}
    settings |= {"tagger": tagger.id} if tagger is not None else {}
    settings |= {"rouge": describe_rouge(file.text_language)} if is_compared else {}
    return Signature("plain", "1").with_(n=len(file.samples), sources=len(file.sources), **settings)

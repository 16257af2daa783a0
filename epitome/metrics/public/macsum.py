"""MACSum: f_r, control error rate, control correlation and ROUGE of texts in memory or of a file."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from epitome.measures import ENGLISH, MEASURES, Domain, Profile, SourceIndex, Tagger, Value, spacy_tagger
from epitome.metrics.bootstrap import DEFAULT_REPLICATES, DEFAULT_SEED
from epitome.metrics.control_correlation import PairMode, no_pair_reason, pair_slopes
from epitome.metrics.control_error_rate import EpsPolicy, checked_policy, sample_errors
from epitome.metrics.draws import Draws, mean_of
from epitome.metrics.macsum_samples import LISTS, ORDINAL, MacsumFile
from epitome.metrics.public.texts import (
    Request,
    SourceText,
    build_samples,
    check_counts,
    guess_domain,
    number_sources,
    read_requested,
    split_lines,
)
from epitome.metrics.report import Options, Report, load_tagger, make_report, n_texts
from epitome.metrics.report import Scores as ReportScores
from epitome.metrics.report_json import paper_cells
from epitome.metrics.table_numbers import CONTENT, select_content
from epitome.results import Score, Scores, score_of, score_of_value
from epitome.terminal_progress import show_long_progress

VERSION = "1"


def macsum(
    sources: Sequence[SourceText],
    requests: Sequence[Request],
    references: Sequence[str],
    predictions: Sequence[str] | None = None,
    *,
    domain: Domain | None = None,
    language: str = ENGLISH,
    profile: Profile = "release",
    pairs: PairMode = "neighbours",
    eps_policy: EpsPolicy = "release",
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
    pipeline: str | None = None,
    advance: Callable[[int], None] | None = None,
) -> Scores:
    """Every number of MACSum's tables, of predictions against references, or of the references alone.

    sources, requests, references, predictions: lists with one entry per sample, in one order; samples of one source
        repeat it. A source is a document (one text, or its sentences) or a meeting (turns `Speaker : text`, as lines
        or as a list). A request names length (short, normal, long), extractiveness (normal, high, full) and
        specificity (normal, high), "normal" where it is silent, and topic and speaker as text ("a , b") or list.
    domain: document or dialogue; by default dialogue where any request names a speaker. language: of all texts; in
        other languages than English specificity is undefined and ROUGE has words of all letters.
    profile, pairs, eps_policy: as in docs/metrics.md. replicates, seed: of the intervals, drawn by source.
    pipeline: the spaCy pipeline that tags (default: the shipped one). advance: called with texts measured; by
        default progress goes to standard error from 10,000 texts on.
    Returns scores by name: `cer.length` ... `cer.average`, `rouge1`, `rouge2`, `rougeL`, `cc.length` ...,
    `f.length.short` ..., `f.topic`, and with predictions the references' as `gold.cc.length` and so on.
    Raises ValueError (counts, unknown values), TypeError, NoTagger, PipelineNotFound.
    """
    file = replace(build_samples(sources, requests, references, domain), language=language)
    if predictions is not None:
        check_counts(references=references, predictions=predictions)
    options = Options(profile, pairs, eps_policy, replicates, seed)
    tagger = load_tagger(file, pipeline)
    with show_long_progress("Measuring", n_texts(file, predictions)) as tick:
        report = make_report(file, predictions, tagger=tagger, options=options, advance=advance or tick)
    return scores_of_report(report)


def macsum_file(
    path: str | Path,
    predictions: str | Path | None = None,
    *,
    preset: str | Path | None = None,
    mapping: Mapping[str, str] | None = None,
    list_separator: str = ";",
    text_from: str | Path | None = None,
    labels: str | Path | None = None,
    language: str | None = None,
    profile: Profile = "release",
    pairs: PairMode = "neighbours",
    eps_policy: EpsPolicy = "release",
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
    pipeline: str | None = None,
    advance: Callable[[int], None] | None = None,
) -> Scores:
    """`macsum` of a file of samples (MACSum-shaped JSON, an export of Epitome, or a table) and, if given, a file of
    predictions (one line per sample, in its order).

    preset: the schema of the file's attributes, `macsum-doc`, `macsum-dial`, `ccsbench` or a schema file; default
        MACSum's, or the one that an export names. With `ccsbench` also `pcc`, `mad`, `sr`, `f_normal`, `f_high`,
        `f_gap`, and `f1` with labels. For files of MAC-Doc also `cc.specificity.as_published`, the number
        in the column of MACSum's table, which is measured with the function of extractiveness.
    mapping, list_separator, text_from: of tables, as `--map`, `--list-separator` and `--text-from`: {our field: column}
        (default: matched by name and content), what parts lists in a cell, and where the texts are of rows without any.
    labels: the focus that a judge saw in each text, one line per sample; default those in the lines of predictions.
    language: of the texts; default the schema's, or English.
    Raises ValueError with file and place where a file cannot be used, and as `macsum`.
    """
    from epitome.formats.reading import input_file
    from epitome.formats.sample_files import SampleFileOptions, load_schema_option
    from epitome.metrics.judged_labels import find_labels, read_labels
    from epitome.metrics.macsum_samples import read_macsum_file, read_predictions

    schema = load_schema_option(str(preset)) if preset is not None else None
    text_file = input_file(text_from) if text_from is not None else None
    file = read_macsum_file(input_file(path), SampleFileOptions(schema, "auto", mapping, list_separator, text_file))
    file = replace(file, language=language or "")
    texts = None if predictions is None else read_predictions(input_file(predictions), file)
    judged: Mapping[int, str | None] | None = None
    if labels is not None:
        judged = read_labels(input_file(labels), file)
    elif predictions is not None and file.schema is not None:
        judged = find_labels(input_file(predictions)) or None
    options = Options(profile, pairs, eps_policy, replicates, seed)
    tagger = load_tagger(file, pipeline)
    with show_long_progress(f"Measuring {file.name}", n_texts(file, texts)) as tick:
        report = make_report(file, texts, tagger=tagger, options=options, advance=advance or tick, judged=judged)
    return scores_of_report(report)


def scores_of_report(report: Report) -> Scores:
    """The report of a file as a table."""
    scores: dict[str, Score] = {f"cer.{name}": score_of(f"cer.{name}", cell) for name, cell in report.cer.items()}
    if report.average is not None:
        samples = len(report.file.samples)
        scores["cer.average"] = score_of_value("cer.average", report.average, n=samples)
    for metric in CONTENT.values():
        cells = select_content(metric, report.content)
        scores |= {name: score_of(name, cell) for name, cell in cells.items()}
    scores |= {name: score_of(name, cell) for name, cell in paper_cells(report).items()}
    scores |= _texts_scores(report.scores)
    if report.gold is not None:
        scores |= {f"gold.{name}": score for name, score in _texts_scores(report.gold).items()}
    signature = report.signature.with_(replicates=report.options.replicates, seed=report.options.seed)
    details = {"samples": len(report.file.samples), "sources": len(report.file.sources)}
    schema = "MACSum" if report.file.schema is None else report.file.schema.name
    return Scores(f"{schema}, {_describe_size(report.file)}", scores, str(signature), details)


def _describe_size(file: MacsumFile) -> str:
    return f"samples: {len(file.samples)}, sources: {len(file.sources)}, {' and '.join(file.domains)}"


def _texts_scores(scores: ReportScores) -> dict[str, Score]:
    table = {f"cc.{name}": score_of(f"cc.{name}", cell) for name, cell in scores.cc.items()}
    if scores.cc_as_published is not None:
        table["cc.specificity.as_published"] = score_of("cc.specificity.as_published", scores.cc_as_published)
    for attribute, cells in scores.f.items():
        for request, cell in cells.items():
            table[f"f.{attribute}.{request}"] = score_of(f"f.{attribute}.{request}", cell)
    return table | {f"f.{name}": score_of(f"f.{name}", cell) for name, cell in scores.shares.items()}


def cer(
    attribute: str,
    references: Sequence[str],
    predictions: Sequence[str],
    *,
    sources: Sequence[SourceText] | None = None,
    requests: Sequence[Request] | None = None,
    domain: Domain | None = None,
    language: str = ENGLISH,
    profile: Profile = "release",
    eps_policy: EpsPolicy = "release",
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
    pipeline: str | None = None,
) -> Score:
    """The control error rate of one attribute: how far predictions are from their references in it; lower is better.

    attribute: length, extractiveness, specificity, topic or speaker. sources: needed for extractiveness and speaker,
    and for intervals that draw whole sources. requests: needed for topic and speaker. Else as `macsum`;
    specificity is undefined, with the reason, in other languages than English.
    Raises ValueError, TypeError, NoTagger, PipelineNotFound.
    """
    check_counts(references=references, predictions=predictions)
    policy = checked_policy(eps_policy)
    tagger = _tagger_for(attribute, pipeline, language)
    gold, pred = (
        _measure_attribute(attribute, texts, sources, requests, domain, profile, tagger, language)
        for texts in (references, predictions)
    )
    draws = Draws(number_sources(sources) if sources is not None else None, replicates, seed)
    errors = sample_errors(attribute, pred, gold, policy)
    details = {"attribute": attribute, "eps_policy": policy, "profile": profile, **_tagger_option(tagger)}
    return score_of(f"cer.{attribute}", mean_of("cer", VERSION, errors, draws, **details))


def cc(
    attribute: str,
    texts: Sequence[str],
    requests: Sequence[Request],
    sources: Sequence[SourceText],
    *,
    pairs: PairMode = "neighbours",
    domain: Domain | None = None,
    language: str = ENGLISH,
    profile: Profile = "release",
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
    pipeline: str | None = None,
) -> Score:
    """Control correlation of one attribute: how much the texts change in it per step of the requested value.

    attribute: length, extractiveness or specificity. Pairs are samples of one source, topic and speaker; `neighbours`
    (the published numbers) are next to each other in the lists, `all` and `strict` as in docs/metrics.md.
    n counts pairs. language: as in `cer`. Raises ValueError, TypeError, NoTagger, PipelineNotFound.
    """
    check_counts(texts=texts, requests=requests, sources=sources)
    if attribute not in ORDINAL:
        raise ValueError(f"there is no CC of {attribute!r}; give one of {', '.join(ORDINAL)}")
    tagger = _tagger_for(attribute, pipeline, language)
    values = _measure_attribute(attribute, texts, sources, requests, domain, profile, tagger, language)
    labels = [{name: read_requested(index, row, name) for name in ORDINAL} for index, row in enumerate(requests)]
    requested = [ORDINAL[attribute].index(row[attribute]) for row in labels]
    others: list[Hashable] = [tuple(row[name] for name in ORDINAL if name != attribute) for row in labels]
    numbers = number_sources(sources)
    keys: list[Hashable] = [
        (number, *(str(row.get(name) or "") for name in LISTS)) for number, row in zip(numbers, requests, strict=True)
    ]
    slopes = pair_slopes(values, requested, keys, pairs, others)
    draws = Draws([numbers[pair.first] for pair in slopes], replicates, seed)
    details = {"attribute": attribute, "profile": profile, "pairs": pairs, **_tagger_option(tagger)}
    score = score_of(f"cc.{attribute}", mean_of("cc", VERSION, [pair.slope for pair in slopes], draws, **details))
    if score.value is None:
        reason = MEASURES[attribute].explain_refusal(language) or no_pair_reason(len(slopes))
        return score_of_value(score.name, Value.none(reason), signature=score.signature)
    return score


def _tagger_for(attribute: str, pipeline: str | None, language: str) -> Tagger | None:
    if attribute not in (*ORDINAL, *LISTS):
        raise ValueError(f"there is no attribute {attribute!r}; give one of {', '.join((*ORDINAL, *LISTS))}")
    measure = MEASURES[attribute]
    return spacy_tagger(pipeline) if measure.needs_tagger and not measure.explain_refusal(language) else None


def _tagger_option(tagger: Tagger | None) -> dict[str, str]:
    return {"tagger": tagger.id} if tagger is not None else {}


def _measure_attribute(
    attribute: str,
    texts: Sequence[str],
    sources: Sequence[SourceText] | None,
    requests: Sequence[Request] | None,
    domain: Domain | None,
    profile: Profile,
    tagger: Tagger | None,
    language: str,
) -> list[Value]:
    """f_r of every text. Raises ValueError where the measure needs sources or requests and there are none."""
    measure = MEASURES[attribute]
    if measure.needs_source and sources is None:
        raise ValueError(f"{attribute} compares with the source: give sources, one per sample")
    if measure.needs_request and requests is None:
        raise ValueError(f"{attribute} compares with what was requested: give requests, one per sample")
    if sources is not None:
        check_counts(texts=texts, sources=sources)
    if requests is not None:
        check_counts(texts=texts, requests=requests)
    chosen_domain: Domain = domain or guess_domain(requests or ())
    indexes: dict[tuple[str, ...], SourceIndex] = {}
    values = []
    for index, text in enumerate(texts):
        source = None
        if sources is not None and measure.needs_source:
            lines = split_lines(sources[index])
            source = indexes.setdefault(lines, SourceIndex.from_lines(lines, chosen_domain))
        requested = requests[index].get(measure.needs_request) if requests and measure.needs_request else None
        values.append(measure(text, source, requested, profile=profile, tagger=tagger, language=language))
    return values

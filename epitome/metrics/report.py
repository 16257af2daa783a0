"""All numbers of a file of samples: f_r and CC of its references or of a system's predictions, CER, content."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from epitome.measures import ENGLISH, MEASURES, NoTagger, Profile, Signature, Tagger, Value, spacy_tagger
from epitome.measures.specificity import specificity_many
from epitome.metrics.aggregate import Aggregate
from epitome.metrics.bootstrap import DEFAULT_REPLICATES, DEFAULT_SEED
from epitome.metrics.control_correlation import PairMode
from epitome.metrics.control_error_rate import EpsPolicy, checked_policy
from epitome.metrics.draws import Draws, mean_of
from epitome.metrics.known_splits import dataset_of
from epitome.metrics.macsum_samples import MacsumFile
from epitome.metrics.paper_columns import measure_run_texts
from epitome.metrics.table_numbers import (
    ROUGES,
    MeasuredText,
    TableAttribute,
    TableOptions,
    compute_cc,
    compute_numbers,
    describe_content,
    select_policy,
)

__all__ = [
    "ROUGES",
    "Options",
    "Report",
    "Scores",
    "load_tagger",
    "make_report",
    "measure_texts",
    "n_texts",
    "scores_of",
]
VERSION = "1"
NO_TAGGER = "none"
BATCH = 64  # summaries tagged between two reports of progress

Values = Mapping[str, Sequence[Value]]
"""f_r by attribute, one per sample."""


@dataclass(frozen=True)
class Options:
    """How to measure; every option is recorded in the signature."""

    profile: Profile = "release"
    pairs: PairMode = "neighbours"
    eps_policy: EpsPolicy = "release"
    replicates: int = DEFAULT_REPLICATES
    seed: int = DEFAULT_SEED


@dataclass(frozen=True)
class Scores:
    """Of one text per sample. f: by attribute and requested value; shares: of topic and speaker; cc: by attribute.

    cc_as_published: for files of MAC-Doc that have pairs, the CC of specificity measured with the function of
    extractiveness. The published table of MACSum's documents has this number in its column for specificity.
    """

    f: Mapping[str, Mapping[str, Aggregate]]
    shares: Mapping[str, Aggregate]
    cc: Mapping[str, Aggregate]
    cc_as_published: Aggregate | None


@dataclass(frozen=True)
class Report:
    """scores: of the predictions if given, else of the references; gold: of the references beside predictions.
    content: by the keys of `CONTENT` in `table_numbers`. papers: CCSBench's columns (see paper_columns), where the
    schema has its length bins."""

    file: MacsumFile
    options: Options
    scores: Scores
    gold: Scores | None
    cer: Mapping[str, Aggregate]
    average: Value | None
    content: Mapping[str, Aggregate]
    signature: Signature
    papers: Mapping[str, Aggregate] = field(default_factory=dict)


def make_report(
    file: MacsumFile,
    predictions: Sequence[str] | None = None,
    *,
    tagger: Tagger | None,
    options: Options | None = None,
    advance: Callable[[int], None] = lambda n: None,
    judged: Mapping[int, str | None] | None = None,
) -> Report:
    """Measure a file. predictions: one text per sample in file order. tagger: that of `load_tagger`. judged: place of a
    sample -> the focus that a judge saw in its text, None for an invalid answer.

    advance is called with the number of texts measured since the last call (see `n_texts`).
    Raises ValueError: counts differ, unknown policy or pair mode.
    """
    options = options or Options()
    measures = [file.measure_of(name) for name in file.attributes]
    options = replace(options, eps_policy=select_policy(measures, checked_policy(options.eps_policy)))
    references = [sample.summary for sample in file.samples]
    gold = measure_texts(file, references, options.profile, tagger, advance)
    signature = _build_signature(file, options, tagger, with_predictions=predictions is not None)
    papers = _paper_columns(file, predictions, options, judged)
    if predictions is None:
        return Report(file, options, scores_of(file, gold, options), None, {}, None, {}, signature, papers)
    values = measure_texts(file, predictions, options.profile, tagger, advance)
    references_measured = measured_texts(file, references, gold)
    numbers = compute_numbers(
        [
            replace(row, reference=reference)
            for row, reference in zip(measured_texts(file, predictions, values), references_measured, strict=True)
        ],
        list(table_attributes(file).values()),
        table_options(file, options),
    )
    return Report(
        file=file,
        options=options,
        scores=scores_of(file, values, options),
        gold=scores_of(file, gold, options),
        cer=numbers.cer,
        average=numbers.average,
        content=numbers.content,
        signature=signature,
        papers=papers,
    )


def _paper_columns(
    file: MacsumFile,
    predictions: Sequence[str] | None,
    options: Options,
    judged: Mapping[int, str | None] | None,
) -> dict[str, Aggregate]:
    """CCSBench's columns of the predictions, or of the references, which are at no distance from themselves."""
    if file.schema is None:
        return {}
    references = [sample.summary for sample in file.samples]
    values = [{**sample.requested, **sample.picks} for sample in file.samples]
    compared: list[str | None] = [None] * len(references) if predictions is None else [*references]
    draws = _source_draws(file, options)
    return measure_run_texts(
        file.schema, references if predictions is None else predictions, values, compared, draws, judged
    )


def load_tagger(file: MacsumFile, pipeline: str | None = None) -> Tagger | None:
    """The tagger that the file's attributes need; None where none of them does, so that spaCy need not be there.

    Raises NoTagger, epitome.text.pipeline.PipelineNotFound.
    """
    measures = [MEASURES[file.measure_of(name)] for name in file.attributes]
    needed = any(measure.needs_tagger and not measure.explain_refusal(file.text_language) for measure in measures)
    return spacy_tagger(pipeline) if needed else None


def n_texts(file: MacsumFile, predictions: Sequence[str] | None) -> int:
    """How many texts `make_report` measures, for progress."""
    return len(file.samples) * (1 if predictions is None else 2)


def measure_texts(
    file: MacsumFile,
    texts: Sequence[str],
    profile: Profile,
    tagger: Tagger | None,
    advance: Callable[[int], None] = lambda n: None,
) -> dict[str, list[Value]]:
    """f_r of one text per sample, by attribute; undefined where the sample asks for no topic, speaker or keyword."""
    if len(texts) != len(file.samples):
        raise ValueError(f"{len(texts)} texts for {len(file.samples)} samples: give one for each, in file order")
    values: dict[str, list[Value]] = {name: [] for name in file.attributes}
    measures = {name: MEASURES[file.measure_of(name)] for name in file.attributes}
    language = file.text_language
    for start in range(0, len(texts), BATCH):
        batch = slice(start, start + BATCH)
        for name, measure in measures.items():
            if reason := measure.explain_refusal(language):
                values[name] += [Value.none(reason)] * len(texts[batch])
            elif measure.needs_tagger:  # specificity, whose texts are tagged together
                if tagger is None:
                    raise NoTagger(f"{name} needs a tagger: give that of load_tagger")
                values[name] += specificity_many(texts[batch], tagger, profile)
        for sample, text in zip(file.samples[batch], texts[batch], strict=True):
            index = file.sources[sample.source].index
            for name, measure in measures.items():
                if not measure.needs_tagger and not measure.explain_refusal(language):
                    values[name].append(measure(text, index, sample.picks.get(name), profile=profile))
        advance(len(texts[batch]))
    return values


def scores_of(file: MacsumFile, values: Values, options: Options) -> Scores:
    """The tables of f_r and CC from the values of every sample."""
    draws = _source_draws(file, options)
    rows, attributes = measured_texts(file, [sample.summary for sample in file.samples], values), table_attributes(file)
    settings = table_options(file, options)
    cc = {name: compute_cc(rows, attributes[name], settings) for name in file.values_by_name}
    slip = None
    if file.schema is None and dataset_of(file) == "macsum-doc" and cc["specificity"].n:
        slip = compute_cc(rows, attributes["specificity"], settings, "extractiveness")
    return Scores(
        f={name: _mean_by_request(file, values[name], name, draws, options.profile) for name in file.values_by_name},
        shares={
            name: mean_of("f", VERSION, values[name], draws, attribute=name, profile=options.profile)
            for name in file.picked
        },
        cc=cc,
        cc_as_published=slip,
    )


def _source_draws(file: MacsumFile, options: Options) -> Draws:
    return Draws(file.clusters, options.replicates, options.seed)


def _mean_by_request(
    file: MacsumFile, values: Sequence[Value], attribute: str, draws: Draws, profile: Profile
) -> dict[str, Aggregate]:
    """Mean f_r of the samples that request each value, in the order of the values; values not requested are absent."""
    means = {}
    for request in file.values_by_name[attribute]:
        indexes = [index for index, sample in enumerate(file.samples) if sample.requested.get(attribute) == request]
        if indexes:
            request_values = [values[index] for index in indexes]
            means[request] = mean_of(
                "f", VERSION, request_values, draws.of(indexes), attribute=attribute, value=request, profile=profile
            )
    return means


def measured_texts(file: MacsumFile, texts: Sequence[str], values: Values) -> list[MeasuredText]:
    """The rows of a table, from one text per sample and its values."""
    return [
        MeasuredText(
            text=text,
            values={name: values[name][index] for name in file.attributes},
            requested={name: sample.requested[name] for name in file.values_by_name if name in sample.requested},
            cluster=cluster,
            key=sample.key,
        )
        for index, (sample, text, cluster) in enumerate(zip(file.samples, texts, file.clusters, strict=True))
    ]


def table_attributes(file: MacsumFile) -> dict[str, TableAttribute]:
    return {
        name: TableAttribute(name, file.measure_of(name), file.values_by_name.get(name, ()), file.has_order(name))
        for name in file.attributes
    }


def table_options(file: MacsumFile, options: Options) -> TableOptions:
    return TableOptions(
        options.eps_policy, options.profile, options.pairs, options.replicates, options.seed, file.text_language
    )


def _build_signature(file: MacsumFile, options: Options, tagger: Tagger | None, *, with_predictions: bool) -> Signature:
    """The signature of the report: the relevant options from the signatures of its measures and metrics."""
    settings: dict[str, object] = {"profile": options.profile, "pairs": options.pairs}
    settings |= {"tagger": tagger.id} if tagger is not None else {}
    settings["domain"] = "+".join(file.domains)
    if file.by_origin:
        settings |= {"drawn": "origins", "origins": len({source.origin_id for source in file.sources})}
    signatures = {
        name: MEASURES[file.measure_of(name)].signature(
            profile=options.profile, tagger_id=tagger.id if tagger else NO_TAGGER
        )
        for name in file.attributes
    }
    if file.schema is not None:
        settings["schema"] = file.schema.key
    if file.text_language != ENGLISH:
        settings["language"] = file.text_language
    options_by_name = [dict(signature.options) for signature in signatures.values()]
    if tokens := next((named["tokens"] for named in options_by_name if "tokens" in named), ""):
        settings["tokens"] = tokens
    if signatures:
        settings["measures"] = "+".join(f"{name}.{signature.version}" for name, signature in signatures.items())
    if with_predictions:
        settings["cer"] = options.eps_policy
        settings |= describe_content(file.text_language)
    return Signature("macsum", VERSION).with_(n=len(file.samples), sources=len(file.sources), **settings)

"""All numbers of a file of samples: f_r and CC of its references or of a system's predictions, CER, ROUGE."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotation.measures import ENGLISH, MEASURES, Profile, Signature, Tagger, Value
from annotation.measures.specificity import specificity_many
from evaluation.metrics.aggregate import Aggregate
from evaluation.metrics.bootstrap import DEFAULT_REPLICATES, DEFAULT_SEED
from evaluation.metrics.cc import PairMode, no_pair_reason, pair_slopes
from evaluation.metrics.cer import RELEASED, UNRELEASED, EpsPolicy, average_cer, checked_policy, sample_errors
from evaluation.metrics.draws import Draws, mean_of
from evaluation.metrics.known_splits import dataset_of
from evaluation.metrics.macsum_file import MacsumFile
from evaluation.metrics.paper_columns import measure_run_texts
from evaluation.metrics.rouge import list_rouge_words, rouge_f, rouge_signature

VERSION = "1"
ROUGES = {"r1": "rouge1", "r2": "rouge2", "rl": "rougeL"}
BATCH = 64  # summaries tagged between two reports of progress
NEEDED_WORDS = {"rouge1": 1, "rouge2": 2, "rougeL": 1}

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
    papers: CCSBench's columns (see paper_columns), where the schema has its length bins."""

    file: MacsumFile
    options: Options
    scores: Scores
    gold: Scores | None
    cer: Mapping[str, Aggregate]
    average: Value | None
    rouge: Mapping[str, Aggregate]
    signature: Signature
    papers: Mapping[str, Aggregate] = field(default_factory=dict)


def make_report(
    file: MacsumFile,
    predictions: Sequence[str] | None = None,
    *,
    tagger: Tagger,
    options: Options | None = None,
    advance: Callable[[int], None] = lambda n: None,
    judged: Mapping[int, str | None] | None = None,
) -> Report:
    """Measure a file. predictions: one text per sample in file order. judged: place of a sample -> the focus that a
    judge saw in its text, None for an invalid answer.

    advance is called with the number of texts measured since the last call (see `n_texts`).
    Raises ValueError: counts differ, unknown policy or pair mode.
    """
    options = options or Options()
    options = replace(options, eps_policy=_policy_for(file, checked_policy(options.eps_policy)))
    references = [sample.summary for sample in file.samples]
    gold = measure_texts(file, references, options.profile, tagger, advance)
    signature = _build_signature(file, options, tagger, with_predictions=predictions is not None)
    papers = _paper_columns(file, predictions, options, judged)
    if predictions is None:
        return Report(file, options, scores_of(file, gold, options), None, {}, None, {}, signature, papers)
    values = measure_texts(file, predictions, options.profile, tagger, advance)
    cers = _cer_aggregates(file, values, gold, options)
    return Report(
        file=file,
        options=options,
        scores=scores_of(file, values, options),
        gold=scores_of(file, gold, options),
        cer=cers,
        average=average_cer({name: aggregate.value for name, aggregate in cers.items()}),
        rouge=_rouge_aggregates(file, references, predictions, options),
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


def _policy_for(file: MacsumFile, policy: EpsPolicy) -> EpsPolicy:
    """The policy, or one epsilon for all attributes where a measure of the file has no released one."""
    has_released = all(file.measure_of(name) in RELEASED for name in file.attributes)
    return policy if has_released or policy != "release" else UNRELEASED


def n_texts(file: MacsumFile, predictions: Sequence[str] | None) -> int:
    """How many texts `make_report` measures, for progress."""
    return len(file.samples) * (1 if predictions is None else 2)


def measure_texts(
    file: MacsumFile,
    texts: Sequence[str],
    profile: Profile,
    tagger: Tagger,
    advance: Callable[[int], None] = lambda n: None,
) -> dict[str, list[Value]]:
    """f_r of one text per sample, by attribute; undefined where the sample asks for no topic, speaker or keyword."""
    if len(texts) != len(file.samples):
        raise ValueError(f"{len(texts)} texts for {len(file.samples)} samples: give one for each, in file order")
    values: dict[str, list[Value]] = {name: [] for name in file.attributes}
    measures = {name: MEASURES[file.measure_of(name)] for name in file.attributes}
    language = _language_of(file)
    for start in range(0, len(texts), BATCH):
        batch = slice(start, start + BATCH)
        for name, measure in measures.items():
            if reason := measure.explain_refusal(language):
                values[name] += [Value.none(reason)] * len(texts[batch])
            elif measure.needs_tagger:  # specificity, whose texts are tagged together
                values[name] += specificity_many(texts[batch], tagger, profile)
        for sample, text in zip(file.samples[batch], texts[batch], strict=True):
            index = file.sources[sample.source].index
            for name, measure in measures.items():
                if not measure.needs_tagger and not measure.explain_refusal(language):
                    values[name].append(measure(text, index, sample.picks.get(name), profile=profile))
        advance(len(texts[batch]))
    return values


def _language_of(file: MacsumFile) -> str:
    return file.schema.language if file.schema else ENGLISH


def scores_of(file: MacsumFile, values: Values, options: Options) -> Scores:
    """The tables of f_r and CC from the values of every sample."""
    draws = _source_draws(file, options)
    cc = {name: _cc_aggregate(file, values[name], name, options) for name in file.ordered}
    slip = None
    if file.schema is None and dataset_of(file) == "macsum-doc" and cc["specificity"].n:
        slip = _cc_aggregate(file, values["extractiveness"], "specificity", options, f="extractiveness")
    return Scores(
        f={name: _mean_by_request(file, values[name], name, draws, options.profile) for name in file.ordered},
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
    for request in file.ordered[attribute]:
        places = [place for place, sample in enumerate(file.samples) if sample.requested.get(attribute) == request]
        if places:
            request_values = [values[place] for place in places]
            means[request] = mean_of(
                "f", VERSION, request_values, draws.of(places), attribute=attribute, value=request, profile=profile
            )
    return means


def _cc_aggregate(
    file: MacsumFile, values: Sequence[Value], attribute: str, options: Options, f: str = ""
) -> Aggregate:
    """CC of one attribute as a mean over pairs, drawn by source; f: the measure, where it is not the attribute's."""
    order, clusters = file.ordered[attribute], file.clusters
    places = [place for place, sample in enumerate(file.samples) if attribute in sample.requested]
    samples = [file.samples[place] for place in places]
    requested = [order.index(sample.requested[attribute]) for sample in samples]
    others = [tuple(sample.requested.get(name) for name in file.ordered if name != attribute) for sample in samples]
    keys = [sample.key for sample in samples]
    pairs = pair_slopes([values[place] for place in places], requested, keys, options.pairs, others)
    draws = replace(_source_draws(file, options), clusters=[clusters[places[pair.first]] for pair in pairs])
    details = {"attribute": attribute, "profile": options.profile, "pairs": options.pairs, "f": f or attribute}
    mean = mean_of("cc", VERSION, [pair.slope for pair in pairs], draws, **details)
    return mean if mean.value.defined else replace(mean, value=Value.none(no_pair_reason(len(pairs))))


def _cer_aggregates(file: MacsumFile, values: Values, gold: Values, options: Options) -> dict[str, Aggregate]:
    draws = _source_draws(file, options)
    details = {"eps_policy": options.eps_policy, "profile": options.profile}
    cells = {}
    for name in file.attributes:
        places = _requested_places(file, name)
        ours, theirs = ([side[name][place] for place in places] for side in (values, gold))
        errors = sample_errors(file.measure_of(name), ours, theirs, options.eps_policy)
        cells[name] = mean_of("cer", VERSION, errors, draws.of(places), attribute=name, **details)
    return cells


def _requested_places(file: MacsumFile, attribute: str) -> list[int]:
    """The samples that ask for an ordered attribute; all samples for topics, speakers and keywords, whose measures are
    undefined without a request."""
    is_ordered = attribute in file.ordered
    return [place for place, sample in enumerate(file.samples) if not is_ordered or attribute in sample.requested]


def _rouge_aggregates(
    file: MacsumFile, references: Sequence[str], predictions: Sequence[str], options: Options
) -> dict[str, Aggregate]:
    """ROUGE F. A reference with too few words (English: of a-z and 0-9) for a kind cannot be matched by any text, not
    even by itself, so its sample is left out of that kind."""
    language = _language_of(file)
    words = [len(list_rouge_words(text, language)) for text in references]
    draws = _source_draws(file, options)
    result = {}
    f_scores = rouge_f(references, predictions, kinds=tuple(ROUGES.values()), language=language)
    for short, kind in ROUGES.items():
        pairs = zip(f_scores[kind], words, strict=True)
        values = [value if count >= NEEDED_WORDS[kind] else None for value, count in pairs]
        result[short] = mean_of("rouge", VERSION, values, draws, kind=kind)
    return result


def _build_signature(file: MacsumFile, options: Options, tagger: Tagger, *, with_predictions: bool) -> Signature:
    """The signature of the report: the relevant options from the signatures of its measures and metrics."""
    settings: dict[str, object] = {"profile": options.profile, "pairs": options.pairs, "tagger": tagger.id}
    settings["domain"] = "+".join(file.domains)
    if file.by_origin:
        settings |= {"drawn": "origins", "origins": len({source.origin_id for source in file.sources})}
    signatures = {
        name: MEASURES[file.measure_of(name)].signature(profile=options.profile, tagger_id=tagger.id)
        for name in file.attributes
    }
    if file.schema is not None:
        settings["schema"] = file.schema.key
    options_by_name = [dict(signature.options) for signature in signatures.values()]
    if tokens := next((named["tokens"] for named in options_by_name if "tokens" in named), ""):
        settings["tokens"] = tokens
    settings["measures"] = "+".join(f"{name}.{signature.version}" for name, signature in signatures.items())
    if with_predictions:
        settings["cer"] = options.eps_policy
        rouge = dict(rouge_signature(tuple(ROUGES.values()), language=_language_of(file)).options)
        words = f"+words.{rouge['words']}" if "words" in rouge else ""
        settings["rouge"] = f"{rouge['by']}+stemmer.{rouge['stemmer']}{words}"
    return Signature("macsum", VERSION).with_(n=len(file.samples), sources=len(file.sources), **settings)

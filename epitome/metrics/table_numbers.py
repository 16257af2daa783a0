"""The numbers of a table of control and content, from measured texts: CER, CC and ROUGE, each with its interval.

Rows of a file (`report.py`) and rows of a run in a database go through the same functions. A metric of content that is
entered in `CONTENT` has its line in `measure`, its key in JSON and in the library, its columns in the tables of runs
and its part of the signature.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from epitome.measures import ENGLISH, Profile, Value
from epitome.metrics.aggregate import Aggregate
from epitome.metrics.bootstrap import DEFAULT_REPLICATES, DEFAULT_SEED
from epitome.metrics.control_correlation import PairMode, no_pair_reason, pair_slopes
from epitome.metrics.control_error_rate import RELEASED, UNRELEASED, average_cer, sample_errors
from epitome.metrics.draws import Draws, mean_of
from epitome.metrics.rouge_scores import list_rouge_words, rouge_signature, rouge_values

VERSION = "1"
ROUGES = ("rouge1", "rouge2", "rougeL")
NEEDED_WORDS = {"rouge1": 1, "rouge2": 2, "rougeL": 1}
NO_ORDER = "its values have no order"


@dataclass(frozen=True)
class TableAttribute:
    """An attribute with a measure. values: lowest first where they are ordered; empty for topics, speakers and
    keywords."""

    name: str
    measure: str
    values: tuple[str, ...] = ()
    ordered: bool = True


@dataclass(frozen=True)
class MeasuredText:
    """One text of a table. values: f_r by attribute.

    requested: the requested value of each attribute that has values. cluster: the source, which intervals draw.
    key: what texts must share to be a pair of CC. reference: what somebody wrote for the same request, measured too.
    """

    text: str
    values: Mapping[str, Value]
    requested: Mapping[str, str] = field(default_factory=dict)
    cluster: Hashable = None
    key: Hashable = None
    reference: MeasuredText | None = None


@dataclass(frozen=True)
class TableOptions:
    """How the numbers are computed; every option is recorded in their signatures."""

    eps_policy: str
    profile: Profile = "release"
    pairs: PairMode = "neighbours"
    replicates: int = DEFAULT_REPLICATES
    seed: int = DEFAULT_SEED
    language: str = ENGLISH

    def draws_of(self, rows: Sequence[MeasuredText]) -> Draws:
        """Intervals of numbers of these rows draw their sources."""
        return Draws([row.cluster for row in rows], self.replicates, self.seed)


@dataclass(frozen=True)
class TableNumbers:
    """cer, content: empty where no row has a reference. average: of the CERs. content: by the keys of `CONTENT`."""

    cer: Mapping[str, Aggregate]
    average: Value
    cc: Mapping[str, Aggregate]
    content: Mapping[str, Aggregate]


@dataclass(frozen=True)
class ContentNumber:
    """One number of a metric of content. key: in files. column: under the metric's name on the page of runs; code: the
    same in the tables of papers; label: of its line in `measure`. of_reference: what a text gets that is its own
    reference."""

    key: str
    column: str
    code: str
    label: str
    of_reference: float = 1
    digits: int = 3


@dataclass(frozen=True)
class ContentMetric:
    """Compares each text with its reference. key: in files and signatures; name: for people.

    compute: its numbers, in order, over rows that all have a reference. describe: what signatures say of it, for a
    language. better: the arrow of column headings. left_out: which samples have no number.
    """

    key: str
    name: str
    numbers: tuple[ContentNumber, ...]
    compute: Callable[[Sequence[MeasuredText], TableOptions], Mapping[str, Aggregate]]
    describe: Callable[[str], str]
    better: str = "↑"
    left_out: str = "samples without a number"


def compute_numbers(
    rows: Sequence[MeasuredText], attributes: Sequence[TableAttribute], options: TableOptions
) -> TableNumbers:
    """All numbers of one row of a table. CER and ROUGE are those of the texts that have a reference."""
    compared = [row for row in rows if row.reference is not None]
    cers = {attribute.name: compute_cer(compared, attribute, options) for attribute in attributes} if compared else {}
    return TableNumbers(
        cer=cers,
        average=average_cer({name: aggregate.value for name, aggregate in cers.items()}),
        cc={attribute.name: compute_cc(rows, attribute, options) for attribute in attributes if attribute.values},
        content=compute_content(compared, options) if compared else {},
    )


def select_policy(measures: Sequence[str], policy: str = "release") -> str:
    """The epsilon policy, or one epsilon for all attributes where one of the measures has no released epsilon."""
    has_released = all(measure in RELEASED for measure in measures)
    return policy if has_released or policy != "release" else UNRELEASED


def compute_cer(rows: Sequence[MeasuredText], attribute: TableAttribute, options: TableOptions) -> Aggregate:
    """CER over the texts that ask for a value of the attribute; over all texts for topics, speakers and keywords, whose
    measures are undefined without a request. Every row needs a reference."""
    if attribute.values:
        rows = [row for row in rows if attribute.name in row.requested]
    pairs = [(row.values[attribute.name], row.reference.values[attribute.name]) for row in rows if row.reference]
    errors = sample_errors(
        attribute.measure, [ours for ours, _ in pairs], [theirs for _, theirs in pairs], options.eps_policy
    )
    details = {"eps_policy": options.eps_policy, "profile": options.profile}
    return mean_of("cer", VERSION, errors, options.draws_of(rows), attribute=attribute.name, **details)


def compute_cc(
    rows: Sequence[MeasuredText], attribute: TableAttribute, options: TableOptions, measured: str = ""
) -> Aggregate:
    """CC as a mean over pairs, drawn by source. measured: the attribute whose f_r is compared, if it is another one.

    Undefined for values without an order: a step between two of them means nothing."""
    rows = [row for row in rows if attribute.name in row.requested and attribute.ordered]
    requested = [attribute.values.index(row.requested[attribute.name]) for row in rows]
    others = [tuple(sorted((k, v) for k, v in row.requested.items() if k != attribute.name)) for row in rows]
    values = [row.values[measured or attribute.name] for row in rows]
    pairs = pair_slopes(values, requested, [row.key for row in rows], options.pairs, others)
    details = {"attribute": attribute.name, "profile": options.profile, "pairs": options.pairs}
    draws = options.draws_of([rows[pair.first] for pair in pairs])
    mean = mean_of("cc", VERSION, [pair.slope for pair in pairs], draws, **details, f=measured or attribute.name)
    if mean.value.defined:
        return mean
    return replace(mean, value=Value.none(no_pair_reason(len(pairs)) if attribute.ordered else NO_ORDER))


def compute_content(rows: Sequence[MeasuredText], options: TableOptions) -> dict[str, Aggregate]:
    """The numbers of all metrics of content, by their keys. Every row needs a reference."""
    return {key: number for metric in CONTENT.values() for key, number in metric.compute(rows, options).items()}


def compute_rouge(rows: Sequence[MeasuredText], options: TableOptions) -> dict[str, Aggregate]:
    """ROUGE F. A reference with too few words (English: of a-z and 0-9) for a kind cannot be matched by any text, not
    even by itself, so its text is left out of that kind. Every row needs a reference."""
    references = [row.reference.text for row in rows if row.reference]
    words = [len(list_rouge_words(text, options.language)) for text in references]
    f_scores = rouge_values(references, [row.text for row in rows], kinds=ROUGES, language=options.language)
    few = Value.none(f"the reference has too few words for ROUGE in {options.language}")
    draws, result = options.draws_of(rows), {}
    for kind in ROUGES:
        pairs = zip(f_scores[kind], words, strict=True)
        values = [value if count >= NEEDED_WORDS[kind] or not value.defined else few for value, count in pairs]
        result[kind] = mean_of("rouge", VERSION, values, draws, kind=kind)
    return result


def describe_rouge(language: str) -> str:
    """What the signature of a table says of its ROUGE."""
    options = dict(rouge_signature(ROUGES, language=language).options)
    words = f"+words.{options['words']}" if "words" in options else ""
    return f"{options['by']}+stemmer.{options['stemmer']}{words}"


CONTENT: dict[str, ContentMetric] = {
    metric.key: metric
    for metric in (
        ContentMetric(
            "rouge",
            "ROUGE",
            (
                ContentNumber("rouge1", "1", "R1", "ROUGE-1 F"),
                ContentNumber("rouge2", "2", "R2", "ROUGE-2 F"),
                ContentNumber("rougeL", "L", "RL", "ROUGE-L F"),
            ),
            compute_rouge,
            describe_rouge,
            left_out="samples whose reference has too few words of a-z and 0-9",
        ),
    )
}
"""The metrics of content, in the order of tables. A new one is a function that computes it and one entry here."""


def select_content(metric: ContentMetric, numbers: Mapping[str, Aggregate]) -> dict[str, Aggregate]:
    """The numbers of one metric, by key; empty where there are none."""
    return {number.key: numbers[number.key] for number in metric.numbers if number.key in numbers}


def describe_content(language: str) -> dict[str, str]:
    """What the signature of a table says of its metrics of content, by their keys."""
    return {metric.key: metric.describe(language) for metric in CONTENT.values()}

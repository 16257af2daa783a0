"""Compares runs with the human summaries: CER of each attribute and their mean, CC, content, each with interval and n.

Everything comes from stored scores; only metrics of content read texts. Results are only kept, until a score, output or
summary is added: small runs take less than a second to compute.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Max

from annotation.models import Annotation, Assignment, AssignmentState, Project, Sample, SampleState, Score
from annotation.services.core.kept_results import keep_copies
from annotation.services.exports.export_selection import NOT_USED
from annotation.services.scores.score_queries import PROFILE, Scored, current_signatures, latest_scores
from epitome.measures import MEASURES, Signature, Value
from epitome.schema import Attribute, Schema
from evaluation.services.judge_checks.validity import JudgeValidity, describe_validities
from evaluation.services.runs_compared import ccsbench_tables
from evaluation.services.runs_compared.judged_texts import JudgedTexts, find_judged_texts, judging_state, over_of
from modelbridge.models import OutputState, Run, SystemOutput
from modelbridge.services.runs.references import references_of

if TYPE_CHECKING:
    from epitome.metrics.aggregate import Aggregate
    from epitome.metrics.draws import Draws
    from epitome.metrics.table_numbers import MeasuredText, TableAttribute, TableOptions

VERSION = "1"
NOT_MEASURED = "not measured yet"
CACHE_VERSION = 9
"""Version of what is computed from the same input: stored tables of an older one are computed again."""
REPLICATES = 1000
SEED = 12345


@dataclass(frozen=True)
class Numbers:
    """Of one run, or of the human summaries. n: texts; measured: those with all their scores. average: of the CERs.
    content: by the keys of `CONTENT` in `epitome/metrics/table_numbers.py`. papers: CCSBench's own measures, if the
    project has its length bins. means: of each attribute's measure, where nothing was requested."""

    n: int
    measured: int
    references: int
    cer: "Mapping[str, Aggregate]" = field(default_factory=dict)
    average: Value = field(default_factory=lambda: Value.none("there is no CER"))
    cc: "Mapping[str, Aggregate]" = field(default_factory=dict)
    content: "Mapping[str, Aggregate]" = field(default_factory=dict)
    papers: "Mapping[str, Aggregate]" = field(default_factory=dict)
    means: "Mapping[str, Aggregate]" = field(default_factory=dict)
    judge: str = ""
    """The judge of focus, with its revision; "" where there is none."""
    validity: JudgeValidity | None = None
    """How often this judge is right by labels given by hand."""
    invalid: int = 0
    """Answers of the judge that were neither of the two words."""


@dataclass(frozen=True)
class Comparison:
    """gold: the numbers of the human summaries of all samples of the runs. runs: in the requested order. has_requests:
    whether anything was requested of some text; else nothing can be said of control."""

    schema: Schema
    gold: Numbers
    runs: list[Numbers]
    signature: str
    has_requests: bool = True


@dataclass(frozen=True)
class _Row:
    """One text with its request, in the order of the samples."""

    target: int
    sample: int
    document: int
    values: Mapping[str, Any]
    key: tuple[Any, ...]
    text: str

    @property
    def has_request(self) -> bool:
        return any(value not in (None, "", []) for value in self.values.values())


Advance = Callable[[], object]


def do_nothing() -> None:
    """For callers that do not show progress."""


def compare_runs(project: Project, runs: Sequence[Run], advance: Advance = do_nothing) -> Comparison:
    """The numbers of the runs; kept until their input changes. advance: called once for the references and after each
    run, where they are computed."""
    name = ("runs", *(run.pk for run in runs))
    return keep_copies(project, name, state_key(project, runs), lambda: _compute_comparison(project, runs, advance))


def describe_judges(numbers: Iterable[Numbers]) -> str:
    """The judges of focus and how often each is right by labels given by hand; "" without any."""
    return describe_validities((row.judge, row.validity) for row in numbers if row.judge)


def state_key(project: Project, runs: Sequence[Run]) -> str:
    """Changes with every relevant output, score and summary."""
    outputs = SystemOutput.objects.filter(run__in=[run.pk for run in runs])
    state = [
        CACHE_VERSION,
        project.pk,
        [run.pk for run in runs],
        outputs.aggregate(n=Count("pk"), last=Max("finished_at")),
        Score.objects.filter(project=project).aggregate(last=Max("pk"), n=Count("pk")),
        Annotation.objects.filter(project=project).aggregate(last=Max("pk"), n=Count("pk")),
        _count_verdicts(project),
        list(project.schema_versions.values_list("pk", flat=True)),
        judging_state(project),
    ]
    return "runs:" + hashlib.sha256(repr(state).encode()).hexdigest()


def _count_verdicts(project: Project) -> object:
    """Changes when a summary is accepted or rejected, and when a sample is dropped."""
    states = [AssignmentState.ACCEPTED, *sorted(NOT_USED)]
    judged = Assignment.objects.filter(project=project, state__in=states).order_by("state").values_list("state")
    return list(judged.annotate(n=Count("pk"))), Sample.objects.filter(project=project, state=SampleState.VOID).count()


def _compute_comparison(project: Project, runs: Sequence[Run], advance: Advance) -> Comparison:
    schema = project.schema_version.schema
    policy = policy_of(schema)
    references = references_of(project)
    rows = {run.pk: _output_rows(run) for run in runs}
    samples = {row.sample: row for run in runs for row in rows[run.pk]}
    ordered = sorted(samples.values(), key=lambda row: (row.document, row.key[-1]))
    gold_rows = [_as_reference(row, *references[row.sample]) for row in ordered if row.sample in references]
    gold_scores = latest_scores(project, ids={row.target for row in gold_rows})
    gold = {row.sample: (row, gold_scores.get(row.target, {})) for row in gold_rows}
    gold_numbers = _compute_numbers(schema, gold_rows, gold_scores, {}, policy, _judged_by(project, None))
    advance()
    numbers = []
    for run in runs:
        targets = {row.target for row in rows[run.pk]}
        scores = latest_scores(project, target_kind=Score.Target.OUTPUT, ids=targets)
        numbers.append(_compute_numbers(schema, rows[run.pk], scores, gold, policy, _judged_by(project, run)))
        advance()
    return Comparison(
        schema=schema,
        gold=gold_numbers,
        runs=numbers,
        signature=_build_signature(project, schema, policy),
        has_requests=any(row.has_request for row in ordered),
    )


def _judged_by(project: Project, run: Run | None) -> JudgedTexts | None:
    return find_judged_texts(project, over_of(run), "focus")


def _output_rows(run: Run) -> list[_Row]:
    fields = (
        *("pk", "sample_id", "sample__document_id", "sample__position", "sample__values", "sample__group__chosen"),
        "sample__raw_json",
    )
    rows = []
    outputs = run.outputs.filter(state=OutputState.DONE).exclude(sample__state=SampleState.VOID)
    outputs = outputs.order_by("sample__document_id", "sample__position")
    for row in outputs.values_list(*fields, "text", named=True):
        document, chosen = row.sample__document_id, row.sample__group__chosen or {}
        key = (document, _spell_picks(chosen, row.sample__raw_json), row.sample__position)
        rows.append(_Row(row.pk, row.sample_id, document, {**row.sample__values, **chosen}, key, row.text))
    return rows


def _spell_picks(chosen: Mapping[str, Sequence[str]], raw_json: str) -> tuple[tuple[str, object], ...]:
    """What samples of one source must share to be a pair of CC: topics and speakers, of an imported sample as its file
    spells them, so that a table has the numbers of its file."""
    from epitome.metrics.macsum_samples import write_pick

    spelled: Mapping[str, Any] = json.loads(raw_json).get("raw_attributes", {}) if raw_json else {}
    return tuple(
        (name, write_pick(spelled, name) if spelled else tuple(picked)) for name, picked in sorted(chosen.items())
    )


def _as_reference(row: _Row, annotation: int, text: str) -> _Row:
    return _Row(annotation, row.sample, row.document, row.values, row.key, text)


def policy_of(schema: Schema) -> str:
    """The epsilon policy of a table: the released epsilons, or a uniform one if a measure has no released epsilon."""
    from epitome.metrics.table_numbers import select_policy

    return select_policy([attribute.measure for attribute in measured_attributes(schema)])


def error_of(measure: str, ours: Value | None, theirs: Value | None, policy: str) -> Value:
    """The relative error of one text against its human summary."""
    from epitome.metrics.control_error_rate import sample_errors

    return sample_errors(measure, [ours], [theirs], policy)[0]


def measured_attributes(schema: Schema) -> list[Attribute]:
    """The attributes that have a measure."""
    return [attribute for attribute in schema.attributes if attribute.measure in MEASURES]


Scores = Mapping[int, Mapping[str, Scored]]
Gold = Mapping[int, tuple[_Row, Mapping[str, Scored]]]


def _compute_numbers(
    schema: Schema, rows: Sequence[_Row], scores: Scores, gold: Gold, policy: str, judged: JudgedTexts | None
) -> Numbers:
    from epitome.metrics.table_numbers import compute_numbers

    attributes = measured_attributes(schema)
    measures = {attribute.measure for attribute in attributes}
    texts = [_measured_text(attributes, row, scores.get(row.target, {}), gold.get(row.sample)) for row in rows]
    numbers = compute_numbers(texts, [_table_attribute(a) for a in attributes], _table_options(schema, policy))
    return Numbers(
        n=len(rows),
        measured=sum(measures <= set(scores.get(row.target, ())) for row in rows),
        references=sum(text.reference is not None for text in texts),
        cer=numbers.cer,
        average=numbers.average,
        cc=numbers.cc,
        content=numbers.content,
        papers=_ccsbench_numbers(schema, rows, gold, judged),
        means={} if any(row.has_request for row in rows) else _compute_means(attributes, texts),
        judge=str(judged.judge.revision) if judged is not None else "",
        validity=judged.validity if judged is not None else None,
        invalid=_count_invalid(rows, judged) if judged is not None else 0,
    )


def _compute_means(attributes: Sequence[Attribute], texts: "Sequence[MeasuredText]") -> "dict[str, Aggregate]":
    """Means of what can be measured without a request, by attribute."""
    from epitome.metrics.aggregate import aggregate_values

    return {
        attribute.key: aggregate_values(
            [text.values[attribute.key] for text in texts],
            [text.cluster for text in texts],
            signature=Signature("mean", VERSION).with_(measure=attribute.measure),
            replicates=REPLICATES,
            seed=SEED,
        )
        for attribute in attributes
        if attribute.has_values
    }


def _count_invalid(rows: Sequence[_Row], judged: JudgedTexts) -> int:
    return sum(row.sample in judged.labels and judged.labels[row.sample] is None for row in rows)


def _ccsbench_numbers(
    schema: Schema, rows: Sequence[_Row], gold: Gold, judged: JudgedTexts | None
) -> "dict[str, Aggregate]":
    human = [gold[row.sample][0].text if row.sample in gold else None for row in rows]
    labels = None
    if judged is not None:
        labels = {index: judged.labels[row.sample] for index, row in enumerate(rows) if row.sample in judged.labels}
    return ccsbench_tables.measure_run_texts(
        schema, [row.text for row in rows], [row.values for row in rows], human, _make_draws(rows), labels
    )


def _score_value(scores: Mapping[str, Scored], measure: str) -> Value:
    score = scores.get(measure)
    if score is None:
        return Value.none(NOT_MEASURED)
    return Value.none(score.undefined) if score.value is None else Value.of(score.value)


def _make_draws(rows: Sequence[_Row]) -> "Draws":
    from epitome.metrics.draws import Draws

    return Draws([row.document for row in rows], REPLICATES, SEED)


def _table_options(schema: Schema, policy: str) -> "TableOptions":
    from epitome.metrics.table_numbers import TableOptions

    return TableOptions(policy, PROFILE, replicates=REPLICATES, seed=SEED, language=schema.language)


def _table_attribute(attribute: Attribute) -> "TableAttribute":
    from epitome.metrics.table_numbers import TableAttribute

    return TableAttribute(attribute.key, attribute.measure, attribute.values, attribute.has_distance)


def _measured_text(
    attributes: Sequence[Attribute],
    row: _Row,
    scores: Mapping[str, Scored],
    gold: tuple[_Row, Mapping[str, Scored]] | None,
) -> "MeasuredText":
    """The row with its stored scores, beside the human summary of its sample."""
    from epitome.metrics.table_numbers import MeasuredText

    values_by_key = {attribute.key: attribute.values for attribute in attributes}
    return MeasuredText(
        text=row.text,
        values={attribute.key: _score_value(scores, attribute.measure) for attribute in attributes},
        requested={key: row.values[key] for key, values in values_by_key.items() if row.values.get(key) in values},
        cluster=row.document,
        key=row.key[:-1],
        reference=_measured_text(attributes, *gold, None) if gold is not None else None,
    )


def _papers_version() -> str:
    from epitome.metrics.ccsbench_scores import VERSION

    return VERSION


def _build_signature(project: Project, schema: Schema, policy: str) -> str:
    """The signature with everything needed to reproduce the table."""
    from epitome.metrics.table_numbers import describe_content

    table = _table_options(schema, policy)
    options: dict[str, object] = {
        "profile": table.profile,
        "pairs": table.pairs,
        "cer": policy,
        "replicates": table.replicates,
        "seed": table.seed,
        **describe_content(schema.language),
    }
    if ccsbench_tables.has_ccsbench_length(schema):
        options["ccsbench"] = _papers_version()
    for measure, signature in current_signatures(project, schema).items():
        parsed = Signature.parse(signature)
        options[f"f-{measure}"] = parsed.version
        options |= {name: value for name, value in parsed.options if name in ("tagger", "tokens")}
    return str(Signature("control", VERSION).with_(**options))

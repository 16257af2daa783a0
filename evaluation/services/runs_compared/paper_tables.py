"""Tables and figures of a project's runs in the layout of a paper: systems, difficulty per value, combinations, and
two runs side by side. Computed from stored scores and cached until the underlying data changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotation.models import Project, Sample, SampleState, Score
from annotation.services.core.kept_results import keep_copies
from annotation.services.scores.score_queries import Scored, latest_scores
from epitome.figures.charts import Bar, Bars, Chart, Dot, Dots, chart_json
from epitome.figures.tables import Cell, Column, Table, format_value
from epitome.measures import Value
from epitome.metrics.published import SYSTEM_TABLES, PublishedTable, find_table
from epitome.reports import ccsbench
from epitome.reports.automatic import SystemRow, SystemScores, ablation_table, system_table
from epitome.reports.cells import aggregate_cell, few_clusters_notes
from epitome.schema import Attribute
from epitome.site.file_language import FILE_LANGUAGE
from evaluation.services.runs_compared.automatic_scores import score_value
from evaluation.services.runs_compared.run_comparison import (
    Advance,
    Comparison,
    compare_runs,
    describe_judges,
    do_nothing,
    measured_attributes,
    policy_of,
    state_key,
)
from modelbridge.models import OutputState, Run
from modelbridge.services.runs.references import references_of

if TYPE_CHECKING:
    from epitome.metrics.aggregate import Aggregate
    from epitome.metrics.draws import Draws

REPLICATES, SEED = 1000, 12345


@dataclass(frozen=True)
class _RunSample:
    """One output with its request."""

    output: int
    sample: int
    document: int
    values: Mapping[str, Any]


@dataclass(frozen=True)
class CompositionRuns:
    """For CCSBench's Table 4. alone: attribute (length, keywords, readability, focus) -> the run of the system trained
    on it alone; together: of the one trained on all."""

    together: Run
    alone: Mapping[str, Run]


@override(FILE_LANGUAGE)
def build_tables(
    project: Project,
    runs: Sequence[Run],
    composition: CompositionRuns | None = None,
    advance: Advance = do_nothing,
) -> dict[str, Any]:
    """JSON values in the shape of `epitome.reports.build.RoundReport.as_json()`, kept. advance: called after each of
    count_steps, where they are computed."""
    composed = {"": composition.together, **composition.alone} if composition is not None else {}
    name = ("tables", *(run.pk for run in runs), *((attribute, run.pk) for attribute, run in composed.items()))
    state = state_key(project, [*runs, *composed.values()])
    return keep_copies(project, name, state, lambda: _compute_tables(project, runs, composition, advance))


def count_steps(runs: Sequence[Run], composition: CompositionRuns | None) -> int:
    """The steps of build_tables: the references and the runs, the difficulty of each run, the composition."""
    return (1 + 2 * len(runs) if runs else 0) + (composition is not None)


def _compute_tables(
    project: Project, runs: Sequence[Run], composition: CompositionRuns | None, advance: Advance
) -> dict[str, Any]:
    tables: list[Table] = []
    figures: dict[str, list[Chart]] = {}
    if runs:
        comparison = compare_runs(project, runs, advance)
        codes = {attribute.key: attribute.code for attribute in measured_attributes(comparison.schema)}
        rows = [
            SystemRow(
                str(run),
                SystemScores(scores.cer, scores.cc, scores.content, scores.average),
                run.revision.declared_kind.optimizes_measures,
            )
            for run, scores in zip(runs, comparison.runs, strict=True)
            if scores.cer
        ]
        if rows:
            title = _("Automatic scores")
            tables.append(
                system_table(
                    rows,
                    comparison.gold.cc,
                    codes,
                    title=title,
                    signature=comparison.signature,
                    published=_find_published(runs, comparison),
                )
            )
        if len(rows) == 2:
            tables.append(ablation_table(rows[0], rows[1], codes, signature=comparison.signature))
        if any(numbers.papers for numbers in comparison.runs):
            tables.append(_ccsbench_table(runs, comparison))
    if composition is not None:
        tables.append(_composition_table(project, composition))
        advance()
    if runs:
        for number, run in enumerate(runs, 1):
            table, drawn = _difficulty_table(project, run, number)
            advance()
            if table is not None:
                tables.append(table)
                figures[table.key] = drawn
    combinations, bars = _combination_table(project)
    if combinations is not None and bars is not None:
        tables.append(combinations)
        figures[combinations.key] = [bars]
    return {
        "name": project.name,
        "methods": "",
        "tables": [table.as_json() for table in tables],
        "figures": {key: [chart_json(chart) for chart in charts] for key, charts in figures.items()},
    }


def _find_published(runs: Sequence[Run], comparison: Comparison) -> PublishedTable | None:
    """What is printed of the samples of all runs, if they are a test split of MACSum: told by the schema, and by the
    numbers of samples and sources."""
    key = comparison.schema.key
    known = {row.key: row.cells for row in find_table("macsum/splits").rows}.get(f"{key}-test")
    if known is None:
        return None
    for run in runs:
        outputs = run.outputs.aggregate(n=Count("pk"), sources=Count("sample__document", distinct=True))
        if (outputs["n"], outputs["sources"]) != (known["samples"], known["sources"]):
            return None
    return find_table(SYSTEM_TABLES[key])


def _ccsbench_table(runs: Sequence[Run], comparison: Comparison) -> Table:
    """CCSBench's Table 3, the published rows in grey."""
    rows = [
        ccsbench.PaperRow(str(run), run.revision.config.block, {**numbers.content, **numbers.papers})
        for run, numbers in zip(runs, comparison.runs, strict=True)
    ]
    title = _("Compositional control, as in CCSBench")
    return ccsbench.systems_table(
        rows, title=title, judge_note=_note_judges(comparison), signature=comparison.signature
    )


def _composition_table(project: Project, composition: CompositionRuns) -> Table:
    """CCSBench's Table 4: each metric from the run trained on its attribute, against the run trained on all."""
    comparison = compare_runs(project, [composition.together, *composition.alone.values()])
    together, *others = comparison.runs
    numbers_alone = dict(zip(composition.alone, others, strict=True))
    single = {}
    for name, (attribute, _better) in ccsbench.COMPOSITION_METRICS.items():
        key = ccsbench.OURS.get(name, name)
        if attribute in numbers_alone and key in numbers_alone[attribute].papers:
            single[key] = numbers_alone[attribute].papers[key]
    return ccsbench.composition_table(
        single,
        together.papers,
        title=_("Trained on one attribute or on all, as in CCSBench"),
        judge_note=_note_judges(comparison),
        signature=comparison.signature,
    )


def _note_judges(comparison: Comparison) -> str:
    judges = describe_judges(comparison.runs)
    judged = _("F1 by %(judges)s.") % {"judges": judges}
    return judged if judges else _("No F1 of one's own: no judge has read these texts.")


def _difficulty_table(project: Project, run: Run, number: int) -> tuple[Table | None, list[Chart]]:
    """CER per requested value of one run (MACSum's Figure 5)."""
    from epitome.metrics.analyses import difficulty_by_value

    schema = project.schema_version.schema
    samples = _load_samples(run)
    known = _load_known_scores(project, samples)
    results: list[tuple[Attribute, Mapping[str, Aggregate]]] = []
    for attribute in measured_attributes(schema):
        if not attribute.has_values:
            continue
        errors, compared = _relative_errors(attribute, samples, known, policy_of(schema))
        if errors:
            draws = _source_draws([sample.document for sample in compared])
            requested = [str(sample.values[attribute.key]) for sample in compared]
            results.append(
                (attribute, difficulty_by_value(errors, requested, attribute.values, draws, attribute=attribute.key))
            )
    if not results:
        return None, []
    columns = [Column(_("Attribute"), kind="text"), Column(_("Requested"), kind="text")]
    columns.append(Column("CER", digits=3, interval=True, count=True))
    rows = [
        [Cell(attribute.label), Cell(value), aggregate_cell(aggregate)]
        for attribute, values in results
        for value, aggregate in values.items()
    ]
    signature = str(next(iter(results[0][1].values())).signature)
    note = _("Mean CER of the samples per requested value; lower is better. 95 % intervals by bootstrap over sources.")
    title = _("%(run)s: CER per requested value") % {"run": run}
    few = few_clusters_notes(aggregate for _attribute, values in results for aggregate in values.values())
    table = Table(f"difficulty-{number}", title, columns, rows, notes=(note, *few), signature=signature)
    return table, [
        _difficulty_dots(f"difficulty-{number}-{attribute.key}", attribute, values) for attribute, values in results
    ]


def _source_draws(documents: Sequence[int]) -> "Draws":
    from epitome.metrics.draws import Draws

    return Draws(documents, REPLICATES, SEED)


def _difficulty_dots(key: str, attribute: Attribute, values: "Mapping[str, Aggregate]") -> Dots:
    dots = []
    for name, aggregate in values.items():
        value = aggregate.value.value if aggregate.value.defined else None
        label = format_value(value, 2) if value is not None else "n/a"
        dots.append(
            Dot(
                attribute.value_label(name),
                value,
                label,
                f"n {aggregate.n}",
                aggregate.interval.low,
                aggregate.interval.high,
            )
        )
    return Dots(key, f"{attribute.label}, CER", dots)


def _load_samples(run: Run) -> list[_RunSample]:
    outputs = run.outputs.filter(state=OutputState.DONE).exclude(sample__state=SampleState.VOID)
    outputs = outputs.order_by("sample__document_id", "sample__position")
    fields = ("pk", "sample_id", "sample__document_id", "sample__values", "sample__group__chosen")
    return [
        _RunSample(
            row.pk, row.sample_id, row.sample__document_id, {**row.sample__values, **(row.sample__group__chosen or {})}
        )
        for row in outputs.values_list(*fields, named=True)
    ]


@dataclass(frozen=True)
class _KnownScores:
    """Stored data of a run's samples. gold: sample -> annotation with its human summary; ours, theirs: the scores of
    the outputs and of the human summaries."""

    gold: Mapping[int, int]
    ours: Mapping[int, Mapping[str, Scored]]
    theirs: Mapping[int, Mapping[str, Scored]]


def _load_known_scores(project: Project, samples: Sequence[_RunSample]) -> _KnownScores:
    """Load references and scores once for all attributes."""
    references = references_of(project)
    gold = {sample.sample: references[sample.sample][0] for sample in samples if sample.sample in references}
    outputs = {sample.output for sample in samples if sample.sample in gold}
    ours = latest_scores(project, target_kind=Score.Target.OUTPUT, ids=outputs)
    return _KnownScores(gold, ours, latest_scores(project, ids=set(gold.values())))


def _relative_errors(
    attribute: Attribute, samples: Sequence[_RunSample], known: _KnownScores, policy: str
) -> tuple[list[Value], list[_RunSample]]:
    """(relative errors, samples) of the samples that have a human summary."""
    from epitome.metrics.control_error_rate import sample_errors

    compared = [sample for sample in samples if sample.sample in known.gold and attribute.key in sample.values]
    no_scores: Mapping[str, Scored] = {}
    values = [score_value(known.ours.get(sample.output, no_scores), attribute.measure) for sample in compared]
    reference_values = [
        score_value(known.theirs.get(known.gold[sample.sample], no_scores), attribute.measure) for sample in compared
    ]
    return list(sample_errors(attribute.measure, values, reference_values, policy)), compared


def _combination_table(project: Project) -> tuple[Table | None, Bars | None]:
    """The distribution of requested combinations (MACSum's Figure 3)."""
    from epitome.metrics.analyses import combination_distribution

    schema = project.schema_version.schema
    keys = [attribute.key for attribute in schema.sampled]
    rows = Sample.objects.filter(project=project).exclude(state=SampleState.VOID).values_list("values", flat=True)
    requests = [values for values in rows if all(key in values for key in keys)]
    if not requests:
        return None, None
    distribution = combination_distribution(
        requests, keys, {sampled_attribute.key: sampled_attribute.values for sampled_attribute in schema.sampled}
    )
    columns = [
        Column(_("Code"), kind="text"),
        *(Column(sampled_attribute.label, kind="text") for sampled_attribute in schema.sampled),
    ]
    columns += [Column(_("Samples"), digits=0), Column(_("Share"))]
    body = [
        [
            Cell(combination.code),
            *(
                Cell(sampled_attribute.value_label(value) or value)
                for sampled_attribute, value in zip(schema.sampled, combination.values, strict=True)
            ),
            Cell(combination.count),
            Cell(combination.share.value),
        ]
        for combination in distribution
    ]
    max_count = max(combination.count for combination in distribution)
    bars = [
        Bar(combination.code, combination.count, max_count, str(combination.count), lead=True)
        for combination in distribution
        if combination.count
    ]
    title = _("Requested combinations")
    note = _("Frequency of each combination of values among the project's samples, as in MACSum's Figure 3.")
    return Table("combinations", title, columns, body, notes=(note,)), Bars("combinations-figure", title, bars)

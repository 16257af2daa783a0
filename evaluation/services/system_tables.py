"""Tables and figures of a project's runs in the layout of a paper: systems, difficulty per value, combinations, and
two runs side by side. Worked out from stored scores; kept for as long as nothing they are made of changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.core.cache import cache
from django.utils.translation import gettext as _

from annotation.figures.charts import Bar, Bars, Chart, Dot, Dots, chart_json
from annotation.figures.tables import Cell, Column, Table, shown
from annotation.measures import Value
from annotation.models import Project, Sample, SampleState, Score
from annotation.schema import Attribute
from annotation.services.scores import Scored, latest_scores
from evaluation.reports.automatic import Numbers, Row, ablation_table, aggregate_cell, system_table
from evaluation.services.automatic_scores import GAMING, value_of
from modelbridge.models import OutputState, Run
from modelbridge.services.comparing import attributes, compare, policy_of, state_key
from modelbridge.services.references import references_of

if TYPE_CHECKING:
    from evaluation.metrics.aggregate import Aggregate
    from evaluation.metrics.draws import Draws

KEPT_SECONDS = 24 * 3600
REPLICATES, SEED = 1000, 12345


@dataclass(frozen=True)
class _Sample:
    """One output with its request."""

    output: int
    sample: int
    document: int
    values: Mapping[str, Any]


def tables_of(project: Project, runs: Sequence[Run]) -> dict[str, Any]:
    """JSON values as `evaluation.reports.build.RoundReport.as_json()` gives them."""
    key = "tables:" + state_key(project, runs)
    found: dict[str, Any] | None = cache.get(key)
    if found is None:
        found = _made(project, runs)
        cache.set(key, found, KEPT_SECONDS)
    return found


def _made(project: Project, runs: Sequence[Run]) -> dict[str, Any]:
    tables: list[Table] = []
    figures: dict[str, list[Chart]] = {}
    if runs:
        found = compare(project, runs)
        codes = {each.key: each.code for each in attributes(found.schema)}
        rows = [
            Row(str(run), Numbers(told.cer, told.cc, told.rouge, told.average), run.revision.kind in GAMING)
            for run, told in zip(runs, found.runs, strict=True)
            if told.cer
        ]
        if rows:
            title = _("Automatic scores")
            tables.append(system_table(rows, found.gold.cc, codes, title=title, signature=found.signature))
        if len(rows) == 2:
            tables.append(ablation_table(rows[0], rows[1], codes, signature=found.signature))
        for number, run in enumerate(runs, 1):
            table, drawn = _difficulty(project, run, number)
            if table is not None:
                tables.append(table)
                figures[table.key] = drawn
    combinations, bars = _combinations(project)
    if combinations is not None and bars is not None:
        tables.append(combinations)
        figures[combinations.key] = [bars]
    return {
        "name": project.name,
        "methods": "",
        "tables": [table.as_json() for table in tables],
        "figures": {key: [chart_json(chart) for chart in charts] for key, charts in figures.items()},
    }


def _difficulty(project: Project, run: Run, number: int) -> tuple[Table | None, list[Chart]]:
    """CER per requested value of one run (MACSum's Figure 5)."""
    from evaluation.metrics.analyses import difficulty

    schema = project.schema_version.schema
    samples = _samples(run)
    known = _known(project, samples)
    found: list[tuple[Attribute, Mapping[str, Aggregate]]] = []
    for attribute in attributes(schema):
        if not attribute.has_distance:
            continue
        errors, asked = _errors(attribute, samples, known, policy_of(schema))
        if errors:
            draws = _draws([sample.document for sample in asked])
            requested = [str(sample.values[attribute.key]) for sample in asked]
            found.append((attribute, difficulty(errors, requested, attribute.values, draws, attribute=attribute.key)))
    if not found:
        return None, []
    columns = [Column(_("Attribute"), kind="text"), Column(_("Requested"), kind="text")]
    columns.append(Column("CER", digits=3, interval=True, count=True))
    rows = [
        [Cell(attribute.label), Cell(value), aggregate_cell(each)]
        for attribute, values in found
        for value, each in values.items()
    ]
    signature = str(next(iter(found[0][1].values())).signature)
    note = _("Mean CER of the samples that asked for each value, lower is better; 95 % intervals draw whole sources.")
    title = _("%(run)s: CER per requested value") % {"run": run}
    table = Table(f"difficulty-{number}", title, columns, rows, notes=(note,), signature=signature)
    return table, [_dots(f"difficulty-{number}-{attribute.key}", attribute, values) for attribute, values in found]


def _draws(documents: Sequence[int]) -> "Draws":
    from evaluation.metrics.draws import Draws

    return Draws(documents, REPLICATES, SEED)


def _dots(key: str, attribute: Attribute, values: "Mapping[str, Aggregate]") -> Dots:
    dots = []
    for name, each in values.items():
        value = each.value.value if each.value.defined else None
        told = shown(value, 2) if value is not None else "n/a"
        dots.append(Dot(attribute.value_label(name), value, told, f"n {each.n}", each.interval.low, each.interval.high))
    return Dots(key, f"{attribute.label}, CER", dots)


def _samples(run: Run) -> list[_Sample]:
    done = run.outputs.filter(state=OutputState.DONE).order_by("sample__document_id", "sample__position")
    rows = done.values_list("pk", "sample_id", "sample__document_id", "sample__values", "sample__group__chosen")
    return [
        _Sample(pk, sample, document, {**values, **(chosen or {})}) for pk, sample, document, values, chosen in rows
    ]


@dataclass(frozen=True)
class _Known:
    """What is stored for a run's samples: sample -> annotation of its human summary, and the scores of both sides."""

    gold: Mapping[int, int]
    ours: Mapping[int, Mapping[str, Scored]]
    theirs: Mapping[int, Mapping[str, Scored]]


def _known(project: Project, samples: Sequence[_Sample]) -> _Known:
    """Read once for all attributes."""
    references = references_of(project)
    gold = {each.sample: references[each.sample][0] for each in samples if each.sample in references}
    outputs = {each.output for each in samples if each.sample in gold}
    ours = latest_scores(project, target_kind=Score.Target.OUTPUT, ids=outputs)
    return _Known(gold, ours, latest_scores(project, ids=set(gold.values())))


def _errors(
    attribute: Attribute, samples: Sequence[_Sample], known: _Known, policy: str
) -> tuple[list[Value], list[_Sample]]:
    """Relative errors of the samples that have a human summary, and those samples."""
    from evaluation.metrics.cer import sample_errors

    kept = [sample for sample in samples if sample.sample in known.gold and attribute.key in sample.values]
    none: Mapping[str, Scored] = {}
    values = [value_of(known.ours.get(sample.output, none), attribute.measure) for sample in kept]
    wanted = [value_of(known.theirs.get(known.gold[sample.sample], none), attribute.measure) for sample in kept]
    return list(sample_errors(attribute.measure, values, wanted, policy)), kept


def _combinations(project: Project) -> tuple[Table | None, Bars | None]:
    """The distribution of requested combinations (MACSum's Figure 3)."""
    from evaluation.metrics.analyses import combination_distribution

    schema = project.schema_version.schema
    keys = [attribute.key for attribute in schema.sampled]
    rows = Sample.objects.filter(project=project).exclude(state=SampleState.VOID).values_list("values", flat=True)
    requests = [values for values in rows if all(key in values for key in keys)]
    if not requests:
        return None, None
    found = combination_distribution(requests, keys, {each.key: each.values for each in schema.sampled})
    columns = [Column(_("Code"), kind="text"), *(Column(each.label, kind="text") for each in schema.sampled)]
    columns += [Column(_("Samples"), digits=0), Column(_("Share"))]
    body = [
        [Cell(each.code), *(Cell(value) for value in each.values), Cell(each.count), Cell(each.share.value)]
        for each in found
    ]
    most = max(each.count for each in found)
    bars = [Bar(each.code, each.count, most, str(each.count), lead=True) for each in found if each.count]
    title = _("Requested combinations")
    note = _("How often each combination of values stands among the project's samples, as in MACSum's Figure 3.")
    return Table("combinations", title, columns, body, notes=(note,)), Bars("combinations-figure", title, bars)

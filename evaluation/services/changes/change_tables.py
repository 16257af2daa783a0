"""The tables and figures of a study of changed requests, from stored outputs, scores and labels of judges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from annotation.models import Project, Sample, Score
from annotation.services.core.kept_results import keep_copies
from annotation.services.core.word_patterns import join_names
from annotation.services.scores.score_queries import latest_scores
from epitome.figures.charts import chart_json
from epitome.figures.tables import Table
from epitome.reports.amplitude import amplitude_table, build_paper_text
from epitome.reports.dependency import build_study, measured_attributes
from epitome.schema import Schema
from epitome.site.file_language import FILE_LANGUAGE
from evaluation.services.changes import change_studies
from evaluation.services.changes.change_studies import ChangeStudy
from evaluation.services.runs_compared.automatic_scores import score_value
from evaluation.services.runs_compared.ccsbench_tables import has_ccsbench_length
from evaluation.services.runs_compared.judged_texts import find_judged_texts, is_judged, over_of
from evaluation.services.runs_compared.run_comparison import REPLICATES, SEED, state_key
from modelbridge.models import OutputState, Run
from modelbridge.services.runs.changed_requests import changed_attribute, changed_values
from modelbridge.services.runs.references import references_of

if TYPE_CHECKING:
    from epitome.metrics.analyses import ChangedSample


@dataclass(frozen=True)
class _Output:
    """One text of a run."""

    pk: int
    text: str


@dataclass(frozen=True)
class _Pair:
    """A sample with its outputs before and after, and the request of both."""

    sample: int
    document: int
    old_output: _Output
    new_output: _Output
    old_values: Mapping[str, Any]
    new_values: Mapping[str, Any]


@override(FILE_LANGUAGE)
def build_study_report(project: Project, study: ChangeStudy) -> dict[str, Any]:
    """JSON values in the shape of `epitome.reports.build.RoundReport.as_json()`, kept. Without tables until every
    run has ended, and where no changed output has one before."""
    if not study.ended:
        return {"name": project.name, "methods": "", "tables": [], "figures": {}}
    runs = [study.base, *study.runs]
    name = ("changes", *(run.pk for run in runs))
    return keep_copies(project, name, state_key(project, runs), lambda: _compute_report(project, study))


def _compute_report(project: Project, study: ChangeStudy) -> dict[str, Any]:
    schema = project.schema_version.schema
    pairs = {changed_attribute(run): _load_pairs(study.base, run) for run in study.runs}
    pairs = {key: rows for key, rows in pairs.items() if rows and schema.find(key) is not None}
    tables: list[Table] = []
    figures: dict[str, list[Any]] = {}
    if pairs:
        name = str(study.base)
        measured = build_study(
            _measure_pairs(project, schema, pairs), measured_attributes(schema), name, study.seed, REPLICATES
        )
        tables += [measured.table, measured.amplitudes]
        figures["dependency"] = [chart_json(measured.figure)]
        if has_ccsbench_length(schema):
            table, figure = _metric_amplitudes(project, schema, study, pairs)
            tables.insert(0, table)
            figures[table.key] = [chart_json(figure)]
    return {
        "name": study.base.project.name,
        "methods": "",
        "tables": [table.as_json() for table in tables],
        "figures": figures,
    }


def _load_pairs(base: Run, run: Run) -> list[_Pair]:
    """The samples of a changed run that have both texts, in file order."""
    old_outputs, new_outputs = _load_outputs(base), _load_outputs(run)
    values, attribute = changed_values(run), changed_attribute(run)
    samples = Sample.objects.filter(pk__in=old_outputs.keys() & new_outputs.keys()).select_related("group")
    return [
        _Pair(
            sample.pk,
            sample.document_id,
            old_outputs[sample.pk],
            new_outputs[sample.pk],
            sample.attributes,
            {**sample.attributes, attribute: values[sample.pk]},
        )
        for sample in samples.order_by("document_id", "position")
    ]


def _load_outputs(run: Run) -> dict[int, _Output]:
    rows = run.outputs.filter(state=OutputState.DONE).values_list("sample_id", "pk", "text")
    return {sample: _Output(pk, text) for sample, pk, text in rows}


def _measure_pairs(project: Project, schema: Schema, pairs: Mapping[str, Sequence[_Pair]]) -> "list[ChangedSample]":
    """Stored measures of both texts; those of topics and speakers are held against the first request."""
    from epitome.metrics.analyses import ChangedSample

    ids = {output.pk for rows in pairs.values() for pair in rows for output in (pair.old_output, pair.new_output)}
    scores = latest_scores(project, target_kind=Score.Target.OUTPUT, ids=ids)

    def measure(output: _Output) -> dict[str, Any]:
        known = scores.get(output.pk, {})
        return {attribute.key: score_value(known, attribute.measure) for attribute in measured_attributes(schema)}

    return [
        ChangedSample(
            key, pair.document, measure(pair.old_output), measure(pair.new_output), schema.attribute(key).code
        )
        for key, rows in pairs.items()
        for pair in rows
    ]


def _metric_amplitudes(
    project: Project, schema: Schema, study: ChangeStudy, pairs: Mapping[str, Sequence[_Pair]]
) -> tuple[Table, Any]:
    """CCSBench's Figure 4. The judge's labels of both runs are used where both were judged."""
    from epitome.metrics.amplitude import UNJUDGED, measure_amplitudes
    from epitome.metrics.draws import Draws

    references = {sample: text for sample, (_pk, text) in references_of(project).items()}
    runs = {changed_attribute(run): run for run in study.runs}
    judged_before = _judged_labels(project, study.base)
    amplitudes = {}
    for key, rows in pairs.items():
        judged_after = _judged_labels(project, runs[key])
        old_texts, new_texts = [], []
        for pair in rows:
            same: dict[str, Any] = {"reference": references.get(pair.sample), "changed": key}
            labels = [judged.get(pair.sample, UNJUDGED) for judged in (judged_before, judged_after)]
            old_texts.append(build_paper_text(schema, pair.old_output.text, pair.old_values, judged=labels[0], **same))
            new_texts.append(build_paper_text(schema, pair.new_output.text, pair.new_values, judged=labels[1], **same))
        draws = Draws([pair.document for pair in rows], REPLICATES, SEED)
        settings = {"language": schema.language, "changed": key, "draw": str(study.seed)}
        amplitudes[key] = measure_amplitudes(old_texts, new_texts, draws, **settings)
    codes = {attribute.key: attribute.code for attribute in schema.attributes}
    table, figure = amplitude_table(amplitudes, codes, name=str(study.base))
    return table, figure


def _judged_labels(project: Project, run: Run) -> Mapping[int, str | None]:
    judged = find_judged_texts(project, over_of(run), "focus")
    return judged.labels if judged is not None else {}


def describe_waiting(project: Project, study: ChangeStudy) -> str:
    """That runs have not ended, or how many texts are not measured yet; "" where nothing is missing."""
    if not study.ended:
        return _("The tables appear when every run has ended.")
    schema = project.schema_version.schema
    needed = {attribute.measure for attribute in measured_attributes(schema)}
    ids = set()
    for run in study.runs:
        ids |= set(run.outputs.filter(state=OutputState.DONE).values_list("pk", flat=True))
    scores = latest_scores(project, target_kind=Score.Target.OUTPUT, ids=ids)
    waiting = sum(not needed <= set(scores.get(pk, ())) for pk in ids)
    if not waiting:
        return ""
    message = ngettext(
        "%(n)d text is not measured yet; this continues in the background.",
        "%(n)d texts are not measured yet; this continues in the background.",
        waiting,
    )
    return message % {"n": waiting}


def describe_unchanged(study: ChangeStudy) -> str:
    """Which attributes have no row, and why; "" where every one that was asked for has."""
    labels = change_studies.list_unchanged_labels(study)
    if not labels:
        return ""
    message = _(
        "Not changed: %(attributes)s. No source has enough other values; extract topics, or import keywords with the "
        "sources, and start another study."
    )
    return message % {"attributes": join_names(labels)}


def describe_no_judge(project: Project, study: ChangeStudy) -> str:
    """What to do for a column of F1; "" where the runs were judged, or the schema has no focus."""
    if not has_ccsbench_length(project.schema_version.schema):
        return ""
    if all(is_judged(project, run, "focus") for run in (study.base, *study.runs)):
        return ""
    return _("F1 takes a judge: run one over the outputs of this run and of each run of the study.")

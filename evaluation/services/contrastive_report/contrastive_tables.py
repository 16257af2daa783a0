"""The report of runs over contrastive examples: tables, figures, the worst tuples; kept until something changes."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db.models import Count, Max, Q, Sum
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotation.models import Contrastive, ContrastiveState, Project
from annotation.services.core.errors import BadInput
from annotation.services.core.kept_results import keep_copies
from epitome.figures.charts import chart_json
from epitome.site.file_language import FILE_LANGUAGE
from evaluation.services.contrastive_report.score_columns import (
    ScoreKind,
    load_examples,
    load_scores,
    name_runs,
)
from evaluation.services.contrastive_report.worst_tuples import describe_worst_tuples
from modelbridge.models import Run, SystemOutput
from modelbridge.services.runs.contrastive_texts import KEY
from modelbridge.services.runs.run_names import find_named_run

MAX_RUNS = 8
SCORES = ("sum", "mean")
WORST = 20


class ReportOptions(NamedTuple):
    """score: sum of a text's token log-probabilities, or their mean. counts_excluded: whether contrastives count that
    people excluded after they were scored."""

    score: ScoreKind = "sum"
    counts_excluded: bool = False


def list_scored_runs(project: Project) -> list[Run]:
    """Runs over contrastive examples that have ended, newest first."""
    rows = Run.objects.done().filter(project=project, over=KEY).select_related("revision__system", "project")
    return list(rows.order_by("-pk")[:100])


def find_scored_run(project: Project, name: str) -> Run:
    """A finished run over contrastives by what people call it (run_names.py). Raises BadInput."""
    rows = Run.objects.done().filter(project=project, over=KEY).select_related("revision__system", "project")
    run = find_named_run(rows, name)
    if run is None:
        message = _("No finished run over contrastives has the id, nor its system the key, %(name)s.")
        raise BadInput(message % {"name": name[:60]}, field="run", code="unknown")
    return run


def find_scored_runs(project: Project, names: Sequence[str]) -> list[Run]:
    """The runs in the order of their names, each once. Raises BadInput."""
    if len(names) > MAX_RUNS:
        raise BadInput(_("Choose at most %(n)s runs.") % {"n": MAX_RUNS}, field="run", code="toomany")
    return list(dict.fromkeys(find_scored_run(project, name) for name in names))


@override(FILE_LANGUAGE)
def build_contrastive_report(project: Project, runs: Sequence[Run], options: ReportOptions) -> dict[str, Any]:
    """JSON values in the shape of `epitome.reports.build.RoundReport.as_json()`, and `worst`: per run the tuples
    with most failures. Without tables for no runs. Raises BadInput: a run has no such score."""
    if not runs:
        return {"name": project.name, "methods": "", "tables": [], "figures": {}, "worst": []}
    name = ("contrastives", *(run.pk for run in runs), *options)
    state = _read_state(project, runs)
    report = keep_copies(project, name, state, lambda: _compute_report(project, runs, options))
    return {**report, "worst": describe_worst_tuples(project, report["worst"])}


def _read_state(project: Project, runs: Sequence[Run]) -> str:
    """Changes with every output, contrastive example and exclusion."""
    is_excluded = Q(state=ContrastiveState.EXCLUDED)
    state = [
        [(run.pk, str(run)) for run in runs],
        SystemOutput.objects.filter(run__in=[run.pk for run in runs]).aggregate(n=Count("pk"), at=Max("finished_at")),
        Contrastive.objects.filter(project=project).aggregate(
            n=Count("pk"),
            last=Max("pk"),
            excluded=Count("pk", filter=is_excluded),
            which=Sum("pk", filter=is_excluded),
            active=Count("pk", filter=Q(state=ContrastiveState.ACTIVE)),
        ),
    ]
    return repr(state)


def _compute_report(project: Project, runs: Sequence[Run], options: ReportOptions) -> dict[str, Any]:
    from epitome.metrics.contrastive_comparison import compare_models
    from epitome.metrics.contrastive_scores import report_scores
    from epitome.metrics.scored_tuples import find_worst_tuples
    from epitome.reports import contrastive as tables

    examples = load_examples(project)
    names = name_runs(runs)
    loaded = [load_scores(run, examples, **options._asdict()) for run in runs]
    systems = [
        tables.ScoredSystem(
            name, report_scores(scores.scored, options.score), scores.excluded, scores.unscored, scores.tuples_missing
        )
        for name, scores in zip(names, loaded, strict=True)
    ]
    built = [
        tables.list_systems_table(systems, counts_excluded=options.counts_excluded),
        tables.list_rules_table(systems),
        tables.list_failures_table(systems),
    ]
    if len(runs) == 2:
        comparison = compare_models(loaded[0].scored, loaded[1].scored)
        built.insert(2, tables.list_comparison_table(names[0], names[1], comparison))
    return {
        "name": project.name,
        "methods": "",
        "tables": [table.as_json() for table in built],
        "figures": {"contrastive-failures": [chart_json(chart) for chart in tables.draw_failures(systems)]},
        "worst": [
            {
                "run": str(run.public_id),
                "name": name,
                "tuples": [row._asdict() for row in find_worst_tuples(scores.scored, WORST)],
            }
            for run, name, scores in zip(runs, names, loaded, strict=True)
        ],
    }

"""Reading outputs: those of one sample side by side, and those of a run as lines with their provenance."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.models import Project, Sample, Score
from annotation.services.scores.score_queries import Scored, latest_scores
from modelbridge.models import OutputState, Run, SystemOutput
from modelbridge.services.runs.changed_requests import requested_values
from modelbridge.services.runs.judged_labels import read_judged_scores

FORMAT = "epitome-outputs-1"
ROWS = 500


@dataclass(frozen=True)
class SampleOutput:
    """One output of a sample. scores: measure -> number or reason; empty until it is scored."""

    output: SystemOutput
    scores: Mapping[str, Scored] = field(default_factory=dict)


def for_sample(project: Project, sample: Sample) -> list[SampleOutput]:
    """Every finished or failed text of a system for a sample, by system, newest run first."""
    rows = list(
        SystemOutput.objects.filter(project=project, sample=sample, state__in=OutputState.ENDED, run__over="")
        .select_related("run__revision__system", "sample__document")
        .order_by("run__revision__system__key", "-run_id")
    )
    scores = _load_scores(project, rows)
    return [SampleOutput(row, scores.get(row.pk, {})) for row in rows]


def _load_scores(project: Project, rows: Sequence[SystemOutput]) -> dict[int, dict[str, Scored]]:
    """Measures of outputs, and what judges saw in them."""
    scores = latest_scores(project, target_kind=Score.Target.OUTPUT, ids=[row.pk for row in rows])
    for output, judged in read_judged_scores(project, rows).items():
        scores[output] = {**scores.get(output, {}), **judged}
    return scores


def export_lines(run: Run) -> Iterator[dict[str, Any]]:
    """One object per sample of the run, in list order; read in batches to limit memory use.

    Each line holds `sample_id` and `prediction` (null if there is none), as `measure --predictions` and uploads read
    them, and the provenance of the output.
    """
    system = run.revision.system
    same = {
        "format": FORMAT,
        "project": run.project.slug,
        "run": str(run.public_id),
        "system": system.key,
        "system_name": system.name,
        "revision": run.revision.number,
        "kind": run.revision.kind,
        "config_hash": run.revision.config_hash,
    }
    last_position = -1
    while rows := list(_rows_of_run(run).filter(position__gt=last_position)[:ROWS]):
        last_position = rows[-1].position
        scores = _load_scores(run.project, rows)
        for row in rows:
            yield {**same, **line_of(row), "metrics": metrics_of(scores.get(row.pk, {}))}


def _rows_of_run(run: Run) -> Any:
    return run.outputs.select_related("run", "sample__document", "sample__group").order_by("position")


def line_of(row: SystemOutput) -> dict[str, Any]:
    """One output as an export line. Its run, sample, document and group must be loaded."""
    sample, document = row.sample, row.sample.document
    is_done = row.state == OutputState.DONE
    return {
        "source_id": document.external_id,
        "sample_id": f"{document.external_id}#{sample.position}",
        "split": sample.split_name,
        "attributes": requested_values(row),
        "state": row.state,
        "prediction": row.text if is_done else None,
        "error": row.error,
        "told": row.told,
        "prompt": row.prompt,
        "decoding": row.decoding,
        "seed": row.seed,
        "weights": row.weights,
        "versions": row.versions,
        "truncated": row.truncated,
        "seconds": row.seconds,
        "usage": row.usage,
        "attempt": row.attempts,
        "flags": row.flags,
        "candidates": row.candidates,
        "scores": row.scores,
        "steps": row.steps,
        "finished_at": row.finished_at.isoformat() if row.finished_at else None,
    }


def metrics_of(scores: Mapping[str, Scored]) -> dict[str, Any]:
    """Scores in the export format."""
    metrics = {}
    for measure, score in sorted(scores.items()):
        value = {"undefined": score.undefined} if score.value is None else {"value": score.value}
        metrics[measure] = {"signature": score.signature, **value}
    return metrics

"""The writes of judge checks, cases, changed requests and scores of runs, by name; see tests/tasks/all_writes.py."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from annotation.models import Annotation, Sample
from evaluation.services.cases import cases
from evaluation.services.changes import change_studies
from evaluation.services.judge_checks import check_draws
from evaluation.services.runs_compared import score_jobs
from modelbridge.models import Run, SystemOutput
from modelbridge.services.runs import runs
from modelbridge.services.systems import systems
from tests.tasks.factories import make_project

Work = Callable[[], Any]


def finish_run(slug: str) -> Run:
    """A run of a project of its own, with a text for every sample."""
    project = make_project(slug, documents=1, frozen=True)
    revision = systems.register_shipped(project=project, key="lead", by=None)
    run = runs.start_run(project=project, revision=revision, by=None, queue_it=False)
    run.outputs.update(state="done", text="The council met.", finished_at=timezone.now())
    Run.objects.filter(pk=run.pk).update(state="done")
    run.refresh_from_db()
    return run


def finish_output(slug: str) -> SystemOutput:
    return finish_run(slug).outputs.select_related("project")[0]


def case_kept(world: Any) -> Work:
    output = finish_output("cases")
    return lambda: cases.store_cases(outputs=[output], label="cut", note="short", by=world.people["admin"])


def case_removed(world: Any) -> Work:
    output = finish_output("cases")
    case = cases.store_case(output=output, label="cut", note="", by=world.people["admin"])
    return lambda: cases.delete_case(project=output.project, public_id=case.public_id, by=world.people["admin"])


def texts_drawn(_world: Any) -> Work:
    project = make_project("papers", documents=1, frozen=True, preset="ccsbench", asks=("keywords",))
    for number, sample in enumerate(Sample.objects.filter(project=project).order_by("pk")):
        Sample.objects.filter(pk=sample.pk).update(values={"focus": ("low", "high")[number % 2]})
        Annotation.objects.create(
            project=project,
            sample=sample,
            schema_version=sample.schema_version,
            origin="import",
            created_at=timezone.now(),
            payload={"summary": f"Part {number}.", "title": ""},
        )
    return lambda: check_draws.draw_check(project=project, question="focus", over="references", n=2, seed=0, by=None)


def requests_changed(world: Any) -> Work:
    run = finish_run("changes")
    return lambda: change_studies.start_study(run=run, n=1, seed=1, by=world.people["admin"])


def scores_started(world: Any) -> Work:
    run = finish_run("scores")
    return lambda: score_jobs.start_scores(project=run.project, runs=[run], by=world.people["admin"])


ANALYSIS_WRITES: dict[str, Callable[[Any], Work]] = {
    "case kept": case_kept,
    "case removed": case_removed,
    "texts drawn for labelling": texts_drawn,
    "requests changed": requests_changed,
    "scores of runs": scores_started,
}

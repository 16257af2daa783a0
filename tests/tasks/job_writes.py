"""Writes of jobs, of workers and of sweepers, by name: what each needs is made first, then comes the write."""

import sys
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock, patch

from django.utils import timezone

from annotation.jobs import NoProgress, cancel_job, create_job, renewing, running
from annotation.jobs.progress import JobProgress
from annotation.models import (
    Annotation,
    Assignment,
    Claim,
    Job,
    JobState,
    Project,
    Release,
    SourceDocument,
    SourceImport,
)
from annotation.services import example
from annotation.services.exports import releases
from annotation.services.exports.exporting import ExportOptions, export_to
from annotation.services.people.projects import create_project
from annotation.services.sampling import draw as sample_draw
from annotation.services.scores import measure_batches, token_counts
from annotation.services.sources import candidates as candidate_jobs
from annotation.services.sources import column_mappings, import_publish, licences
from annotation.services.sources.importing import import_file
from annotation.services.sources.splits import ImportedSplits
from annotation.services.staff import skipped_samples
from annotation.services.statistics import due, stored
from annotation.services.tasks import leases, live_meters
from epitome.formats.options import ImportOptions
from evaluation.management.commands import demo
from evaluation.services.example import finished, removing, steps
from evaluation.services.rating import item_claims, model_judges
from evaluation.services.reports import report_jobs
from modelbridge.models import Run, RunState, SystemOutput, SystemRevision, TrainingRun
from modelbridge.services.runs import output_leases
from modelbridge.services.runs import run_worker as bridge
from modelbridge.services.training import training
from tests.export.factories import import_rows, row
from tests.models.training_text import short_training_text
from tests.reports.judges import YesJudge
from tests.rounds.factories import make_run, project_with_gold
from tests.scores.conftest import FakeTagger
from tests.sources.factories import WordExtractor
from tests.tasks.factories import make_project
from tests.tasks.several_writes import Several

Work = Callable[[], Any]
FAR = timezone.now() + timedelta(days=36500)
PAST = timezone.now() - timedelta(days=2)
TOKEN = "here:1:token"


def a_file(name: str, text: str) -> Path:
    path = Path(tempfile.mkdtemp(dir=data_folder())) / name
    path.write_text(text, encoding="utf-8")
    return path


def data_folder() -> Path:
    from django.conf import settings

    return Path(settings.DATA_DIR)


def a_job(world: Any) -> Job:
    """One that a worker has just begun."""
    job = create_job(kind="count_tokens", project=world.project, by=None)
    other_job = running.claim_job(job.pk)
    assert other_job is not None
    return other_job


def job_taken(world: Any) -> Work:
    job = create_job(kind="count_tokens", project=world.project, by=None)
    return lambda: running.claim_job(job.pk)


def job_ended(world: Any) -> Work:
    job = a_job(world)
    return lambda: running.finish_job(job, JobState.DONE, result={"n": 1})


def job_cancelled(world: Any) -> Work:
    job = a_job(world)
    return lambda: cancel_job(job, world.people["admin"])


def job_released(world: Any) -> Work:
    job = a_job(world)
    return lambda: running.release_job(job, error="broken")


def job_told(world: Any) -> Work:
    progress = JobProgress(a_job(world))
    progress.done = 3
    return progress.flush


def job_kept(world: Any) -> Work:
    job = a_job(world)
    return lambda: renewing.extend_leases(job.held())


def ended_after_another(world: Any, kind: str, result: dict[str, Any], arguments: dict[str, Any]) -> Work:
    """The job's end also empties the older one's result."""
    fields = {"project": world.project, "kind": kind, "arguments": arguments}
    Job.objects.create(state=JobState.DONE, result=result, **fields)
    job = running.claim_job(Job.objects.create(**fields).pk)
    assert job is not None
    return lambda: running.finish_job(job, JobState.DONE, result=result)


def statistics_due(world: Any) -> Work:
    """What was handed in has come to rest."""
    Annotation.objects.update(created_at=PAST)
    Job.objects.filter(project=world.project).update(state=JobState.DONE, finished_at=PAST)
    return due.start_due_statistics


def statistics_ended(world: Any) -> Work:
    return ended_after_another(world, stored.KIND, {"views": {}}, {"version": "1"})


def report_ended(world: Any) -> Work:
    return ended_after_another(world, report_jobs.KIND, {"report": {}}, {"round": world.view.round_id})


def meter_done(world: Any) -> Work:
    job = running.claim_job(world.meter.pk)
    assert job is not None
    return lambda: live_meters.clear_text(job)


def meters_cleared(world: Any) -> Work:
    Job.objects.filter(pk=world.meter.pk).update(created_at=PAST)
    return live_meters.clear_meters


# Sources and what is read out of them.


def imported(_world: Any) -> Work:
    """Stored out of sight and shown at once; where it breaks, all that was stored is deleted again."""
    project = create_project(slug="fresh", schema="macsum-doc", name="Fresh")
    path = a_file("a.jsonl", '{"id": "a", "text": "One. Two."}\n{"id": "b", "text": "Three. Four."}\n')
    return lambda: import_file(project=Project.objects.get(pk=project.pk), path=path, file_name=path.name)


def imported_by_columns(_world: Any) -> Several:
    """The sources, then the columns for the next file; the same file again finds its sources and keeps the columns."""
    project = create_project(slug="fresh", schema="macsum-doc", name="Fresh")
    path = a_file("a.csv", 'key,body\na,"One. Two."\n')
    options = ImportOptions(mapping={"id": "key", "text": "body"})

    def work() -> None:
        import_file(project=Project.objects.get(pk=project.pk), path=path, file_name=path.name, options=options)

    return Several(work, writes=2)


def columns_forgotten(_world: Any) -> Work:
    project = create_project(slug="fresh", schema="macsum-doc", name="Fresh")
    saved = column_mappings.SavedMapping({"id": "key"}, "a.csv", frozenset({"key"}))
    column_mappings.save_mapping(project=project, saved=saved)
    return lambda: column_mappings.forget_mapping(project=Project.objects.get(pk=project.pk), key=saved.key)


def licensed(_world: Any) -> Work:
    project = create_project(slug="fresh", schema="macsum-doc", name="Fresh")
    import_rows(project, data_folder(), [row(1), row(2)])
    sources = SourceDocument.objects.filter(project=project)
    return lambda: licences.set_licence(
        project=project, sources=sources, licence="CC0-1.0", may_release_text=True, by=None
    )


def discarded(_world: Any) -> Several:
    """The rows, then the import, as after a killed process; the sweeper goes on with what is left."""
    project = create_project(slug="fresh", schema="macsum-doc", name="Fresh")
    killed = patch.object(import_publish, "publish_import", Mock(side_effect=KeyboardInterrupt))
    try:
        with killed, patch.object(import_publish, "discard_import", lambda _import: None):
            import_rows(project, data_folder(), [row(1), row(2)])
    except KeyboardInterrupt:
        pass
    source_import = SourceImport.objects.get(project=project, published_at=None)
    return Several(lambda: import_publish.discard_import(source_import), writes=2)


def restored(_world: Any) -> Work:
    """As an import: all that was stored out of sight is deleted again."""
    path = data_folder() / "out.jsonl"
    export_to(
        project=project_with_gold("gold", documents=1), path=path, options=ExportOptions(format="jsonl", state="latest")
    )
    project = create_project(slug="whither", schema="macsum-doc", name="Whither")
    return lambda: import_file(project=Project.objects.get(pk=project.pk), path=path, file_name=path.name)


def extracted(world: Any) -> Work:
    return lambda: candidate_jobs.extract_candidates(project=world.project, extractor=WordExtractor())  # type: ignore[arg-type]


def counted(world: Any) -> Work:
    return lambda: token_counts.count_tokens(project=world.project)


def sampled(_world: Any) -> Several:
    """Batch by batch; the next attempt goes on with the same draw, and the last batch brings the record."""
    project = make_project("undrawn", documents=2, groups=0)

    def work() -> None:
        with patch.object(sample_draw, "BATCH", 1):
            sample_draw.sample_attributes(project=Project.objects.get(pk=project.pk))

    return Several(work, writes=2)


def measured(world: Any) -> Work:
    with patch("annotation.services.scores.score_queries.installed_id", lambda _name: FakeTagger.id):
        version, texts = world.project.schema_version, measure_batches.Summaries()
        scorer = measure_batches.Scorer(world.project, version, FakeTagger(), texts)  # type: ignore[arg-type]
    ids = list(Annotation.objects.filter(project=world.project).values_list("pk", flat=True))
    return lambda: scorer.score(ids)


# Exports.


def released(world: Any) -> Work:
    fields = {"project": world.project, "tag": "v1", "state": "latest", "splits": ImportedSplits(), "split_seed": None}
    return lambda: releases.freeze_release(by=world.people["admin"], **fields)


def remembered(world: Any) -> Work:
    release: Release = released(world)()
    return lambda: releases.remember_hash(release=release, format="jsonl", sha256="0" * 64)


def exported(_world: Any) -> Several:
    """The release, the hash of its first file, the note of the export; the same call again finds the release."""
    project = project_with_gold("gold", documents=1)
    path, options = data_folder() / "out.jsonl", ExportOptions(release="v1", state="latest")
    return Several(lambda: export_to(project=project, path=path, options=options), writes=3)


# Sweepers.


def claim_closed(world: Any) -> Work:
    claim = world.task.claim_id
    Assignment.objects.filter(claim=claim).update(state="submitted")
    assert Claim.objects.filter(pk=claim, closed_at=None).exists()
    return lambda: leases.close_if_empty(claim)


def parked_again(world: Any) -> Work:
    from tests.tasks.all_writes import left_pool

    left_pool(world)
    return skipped_samples.park_again


def item_expired(_world: Any) -> Work:
    return lambda: item_claims.expire_claims(now=FAR)


# Runs and trainings.


def judged(world: Any) -> Several:
    """Question by question; the next attempt asks what has no answer yet."""
    run = make_run(world.project, "judge")
    fields = {"round_": world.view.round, "revision": SystemRevision.objects.get(pk=run.revision_id)}
    return Several(lambda: model_judges.judge_round(judge=YesJudge(), **fields), writes=4)


def a_run(world: Any, **outputs: Any) -> Run:
    run = make_run(world.project, "lead")
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING)
    SystemOutput.objects.filter(run=run).update(finished_at=None, text="", **outputs)
    return Run.objects.get(pk=run.pk)


def given_up(world: Any) -> Work:
    run = a_run(world, state="leased", worker=TOKEN, lease_until=PAST, attempts=output_leases.MAX_ATTEMPTS)
    return lambda: output_leases.fail_exhausted_outputs(run)


def outputs_kept(world: Any) -> Work:
    run = a_run(world, state="leased", worker=TOKEN, lease_until=PAST, attempts=1)
    return lambda: renewing.extend_leases(run.outputs.held_by(TOKEN))


def run_again(world: Any) -> Work:
    run = a_run(world, state="waiting")
    return lambda: bridge.restart_run(Run.objects.get(pk=run.pk))


def run_told(world: Any) -> Work:
    worker = bridge.RunWorker(a_run(world, state="waiting"), NoProgress(), a_job(world))
    Job.objects.filter(kind="count_tokens").update(attempts=2)
    return worker.report_progress


def with_libraries(work: Work) -> Any:
    with patch.object(training, "missing_libraries", lambda: ""):
        return work()


def train_started(world: Any) -> Work:
    SourceDocument.objects.filter(project=world.project).update(split="train")
    return lambda: with_libraries(
        lambda: training.start_training(project=world.project, toml_text=short_training_text(), by=None)
    )


def a_training(world: Any) -> TrainingRun:
    started: TrainingRun = train_started(world)()
    return started


def fresh(run: TrainingRun) -> TrainingRun:
    return TrainingRun.objects.select_related("project", "job").get(pk=run.pk)


def train_cancelled(world: Any) -> Work:
    run = a_training(world)
    return lambda: training.cancel_training(run=fresh(run), by=None)


def train_resumed(world: Any) -> Work:
    run = a_training(world)
    training.cancel_training(run=run, by=None)
    return lambda: training.resume_training(run=fresh(run), by=None)


def train_failed(world: Any) -> Work:
    run = a_training(world)
    return lambda: training.fail_training(run, "why")


def watch(world: Any) -> training.RowWatch:
    return training.RowWatch(a_training(world), NoProgress())


def train_metrics(world: Any) -> Work:
    result = watch(world)
    return lambda: result.metrics(1, "train", {"loss": 1.0})


def train_progress(world: Any) -> Work:
    result = watch(world)
    return lambda: result.progress(4, 4)


def train_rewound(world: Any) -> Work:
    result = watch(world)
    result.metrics(1, "train", {"loss": 1.0})
    return lambda: result.resumed(0)


def trained(world: Any) -> Several:
    """It is under way; its system; it is done. The next attempt goes on from the checkpoint to the same system."""
    run = a_training(world)
    config = training.parse_project_training(run.project, run.config_toml, f"{run.key}.toml")
    training.export_dataset(run, config)
    job = running.claim_job(run.job_id)
    assert job is not None
    system = '[system]\nkey = "tiny"\nkind = "lead"\nname = "Tiny"\n'
    namespace = SimpleNamespace(system=system, writer="", best={}, about={})
    faked = {"epitome.training.run": SimpleNamespace(run_training=lambda *_given: namespace)}

    def work() -> None:
        with patch.dict(sys.modules, faked):  # type: ignore[arg-type]
            training.work_on_training(job, NoProgress())

    return Several(work, writes=3)


# The example.


def people_made(_world: Any) -> Several:
    """Each account; the next attempt makes those that are missing."""
    return Several(example.ensure_people, writes=len(example.PEOPLE))


def members_made(world: Any) -> Work:
    example.ensure_people()
    return lambda: example.ensure_members(world.project)


def writers_made(_world: Any) -> Several:
    return Several(finished.ensure_writers, writes=len(finished.WRITERS))


def run_dated_back(world: Any) -> Work:
    run = make_run(world.project, "lead")
    return lambda: steps.date_back(run)


def project_removed(world: Any) -> Work:
    return lambda: removing.remove_project(world.project)


def password_made(_world: Any) -> Work:
    return demo.set_new_password


JOB_WRITES: dict[str, Callable[[Any], Work]] = {
    "job taken": job_taken,
    "job ended": job_ended,
    "job's progress": job_told,
    "job's lease": job_kept,
    "job released": job_released,
    "job cancelled": job_cancelled,
    "statistics due": statistics_due,
    "statistics ended": statistics_ended,
    "report ended": report_ended,
    "meter done": meter_done,
    "meters cleared": meters_cleared,
    "import": imported,
    "import by columns": imported_by_columns,
    "columns forgotten": columns_forgotten,
    "import discarded": discarded,
    "licence of sources": licensed,
    "restored": restored,
    "candidates": extracted,
    "tokens counted": counted,
    "sampled": sampled,
    "measured": measured,
    "release": released,
    "release's hash": remembered,
    "export": exported,
    "claim closed": claim_closed,
    "skipped sample parked again": parked_again,
    "rating expired": item_expired,
    "judged": judged,
    "outputs given up": given_up,
    "outputs' leases": outputs_kept,
    "run started again": run_again,
    "run's progress": run_told,
    "training": train_started,
    "training called off": train_cancelled,
    "training resumed": train_resumed,
    "training failed": train_failed,
    "training's metrics": train_metrics,
    "training's progress": train_progress,
    "training's metrics taken back": train_rewound,
    "training worked on": trained,
    "example's people": people_made,
    "example's members": members_made,
    "example's writers": writers_made,
    "example's run dated back": run_dated_back,
    "example removed": project_removed,
    "demo's password": password_made,
}

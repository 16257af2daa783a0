"""Trainings on a project's summaries: started here, run by GPU workers, resumed after a crash."""

import hashlib
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError
from django.db.models import Count, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobLost, JobRefused, Progress, create_job, register_handler, register_sweeper
from annotation.models import AuditVerb, Job, JobState, Project, SchemaVersion, build_split_expression
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.job_start import start_job
from annotation.services.exports.exporting import ExportOptions, export_to
from annotation.transactions import write_transaction
from epitome.schema import Schema, SchemaError
from epitome.systems.cleaning import clean_text
from epitome.systems.neural.libraries import INSTALL_COMMAND
from epitome.systems.protocol import SystemFault
from epitome.training.config import Data, TrainingConfig, parse_training
from epitome.training.data import TrainingFault
from epitome.training.folders import WEIGHTS
from epitome.training.shipped import missing_libraries, shipped_text
from epitome.training.watching import DevText, Watch
from modelbridge.models import TrainingGroup, TrainingMetric, TrainingRun, TrainingState, TrainingText
from modelbridge.services.runs.list_lines import iterate_lines
from modelbridge.services.runs.ranking_texts import find_lists, releases_with_lists
from modelbridge.services.runs.references import human_summaries
from modelbridge.services.systems import systems
from modelbridge.services.systems.weights_access import refuse_foreign_weights

KIND = "train"
FOLDER = "training"
DATASET = "dataset.jsonl"
LISTS = "lists.jsonl"
CHECK_EVERY = 2.0
"""Seconds between checks for cancellation; updates of small models take milliseconds."""


def trainings_of(project: Project) -> QuerySet[TrainingRun]:
    """Newest first."""
    return TrainingRun.objects.filter(project=project).select_related("revision__system").order_by("-pk")


def training_of(project: Project, public_id: uuid.UUID | str) -> TrainingRun:
    """Raises NotFound; another project's training is not found either."""
    run = trainings_of(project).filter(public_id=public_id).first()
    if run is None:
        raise NotFound(_("There is no such training."))
    return run


def metrics_of(run: TrainingRun, split: str = "") -> list[dict[str, Any]]:
    """Rows {"step", "split", name: value ...} in the order of the updates."""
    rows = run.metrics.order_by("step", "split")
    if split:
        rows = rows.filter(split=split)
    return [{"step": row.step, "split": row.split, **row.values} for row in rows]


@dataclass(frozen=True)
class ShownSample:
    """A dev sample and what the model in training wrote for it. texts: (update, text), in the order of the updates."""

    sample_id: str
    values: dict[str, Any]
    reference: str
    texts: list[tuple[int, str]]


def list_shown_samples(run: TrainingRun, most: int) -> list[ShownSample]:
    """The shown dev samples with at most this many texts each: the first and last, the others evenly spread."""
    samples: dict[int, ShownSample] = {}
    steps = sorted(set(run.texts.values_list("step", flat=True)))
    if len(steps) > most:
        steps = [steps[number * (len(steps) - 1) // (most - 1)] for number in range(most)]
    for row in run.texts.filter(step__in=steps).order_by("position", "step"):
        empty = ShownSample(row.sample_id, row.values, row.reference, [])
        samples.setdefault(row.position, empty).texts.append((row.step, row.text))
    return list(samples.values())


def count_summaries(project: Project) -> dict[str, int]:
    """Split -> number of samples with a human summary, for train and dev."""
    rows = human_summaries(project).annotate(resolved_split=build_split_expression("sample__"))
    counts: dict[str, int] = dict(
        rows.order_by().values_list("resolved_split").annotate(n=Count("sample", distinct=True))
    )
    return {split: counts.get(split, 0) for split in ("train", "dev")}


def count_lists(project: Project) -> tuple[str, dict[str, int]] | None:
    """(release, split -> number of its ranking lists) that a ranker would learn from; None where no release has any."""
    releases = releases_with_lists(project)
    if not releases:
        return None
    counts = dict(find_lists(project, releases[0].tag).order_by().values_list("split").annotate(n=Count("pk")))
    return releases[0].tag, {split: counts.get(split, 0) for split in ("train", "dev")}


def start_training(
    *, project: Project, toml_text: str, by: AbstractBaseUser | None, name: str = "training.toml"
) -> TrainingRun:
    """Queue a training on the project's summaries (their splits train and dev, the latest of each attempt), or on the
    lists of the newest release that has some, where the method ranks.

    toml_text: a configuration without [data] files and schema, or the key of a shipped one.
    Raises BadInput naming line and key, or what is missing, Conflict while a training of the same key is under way.
    """
    text = shipped_text(toml_text) or toml_text
    config = parse_project_training(project, text, name)
    check_ready(project, config)
    try:
        with write_transaction():
            return create_training(project=project, config=config, text=text, by=by)
    except IntegrityError as error:
        raise under_way(config.key) from error


def create_training(
    *,
    project: Project,
    config: TrainingConfig,
    text: str,
    by: AbstractBaseUser | None,
    group: TrainingGroup | None = None,
    changes: Mapping[str, Any] | None = None,
    is_counted: bool = True,
) -> TrainingRun:
    """Store a training and queue its job; call inside a transaction. is_counted: whether it may be one job too many for
    its person, which raises Conflict."""
    run = TrainingRun.objects.create(
        project=project,
        key=config.key,
        name=config.name,
        method=config.method,
        config_toml=text,
        config_hash=hashlib.sha256(text.encode()).hexdigest(),
        created_by_id=by.pk if by is not None else None,
        group=group,
        changes=dict(changes or {}),
    )
    _queue_job(run, by, is_counted=is_counted)
    audit.record_event(project=project, actor=by, verb=AuditVerb.TRAINING_START, target=f"training:{run.public_id}")
    return run


def check_ready(project: Project, config: TrainingConfig) -> None:
    """Raises BadInput where a library is missing, or the project has nothing to learn from."""
    if config.method != "rank-logistic" and (lacking := missing_libraries()):
        raise BadInput(_("Training needs %(what)s; install with: %(how)s") % {"what": lacking, "how": INSTALL_COMMAND})
    _check_data(project, config)


def _check_data(project: Project, config: TrainingConfig) -> None:
    """Raises BadInput where the project has nothing to learn from."""
    if config.ranks:
        if not releases_with_lists(project):
            raise BadInput(_("No release has ranking lists yet: make them on the page Rankings."), code="nolists")
    elif not count_summaries(project)["train"]:
        raise BadInput(_("No source in the split train has a human summary yet."))


def under_way(key: str) -> Conflict:
    """The refusal of a second training of a key."""
    return Conflict(_("A training of %(key)s is already in progress.") % {"key": key}, code="underway")


def _queue_job(run: TrainingRun, by: AbstractBaseUser | None, *, is_counted: bool = True) -> None:
    start = start_job if is_counted else create_job
    job = start(kind=KIND, project=run.project, by=by, arguments={"training": run.pk})
    TrainingRun.objects.filter(pk=run.pk).update(job=job)
    run.job = job


def cancel_training(*, run: TrainingRun, by: AbstractBaseUser | None) -> None:
    """Cancel a training; its checkpoints are kept, so it can be resumed. Raises Conflict when it has ended."""
    now = timezone.now()
    with write_transaction():
        live = TrainingRun.objects.under_way().filter(pk=run.pk)
        if not live.update(state=TrainingState.CANCELLED, finished_at=now):
            raise Conflict(_("This training has already ended."), code="ended")
        Job.objects.under_way().filter(pk=run.job_id or 0).end(JobState.CANCELLED, finished_at=now)
        audit.record_event(
            project=run.project, actor=by, verb=AuditVerb.TRAINING_CANCEL, target=f"training:{run.public_id}"
        )
    run.refresh_from_db()


def resume_training(*, run: TrainingRun, by: AbstractBaseUser | None) -> None:
    """Resume from the last checkpoint. Raises Conflict: it or another one with its key is under way, or it is done."""
    try:
        with write_transaction():
            ended = TrainingRun.objects.filter(pk=run.pk, state__in=[TrainingState.FAILED, TrainingState.CANCELLED])
            if not ended.update(state=TrainingState.QUEUED, finished_at=None, error=""):
                raise Conflict(_("Only a failed or cancelled training can be resumed."), code="underway")
            run.refresh_from_db()
            _queue_job(run, by)
            audit.record_event(
                project=run.project, actor=by, verb=AuditVerb.TRAINING_RESUME, target=f"training:{run.public_id}"
            )
    except IntegrityError as error:
        raise under_way(run.key) from error


def folder_of(run: TrainingRun) -> Path:
    return Path(settings.DATA_DIR) / FOLDER / str(run.public_id)


def schema_of(project: Project) -> Schema:
    """The newest schema of a project."""
    version = SchemaVersion.objects.filter(project=project).order_by("-number").first()
    if version is None:
        raise BadInput(_("This project has no schema yet."))
    return version.schema


def parse_project_training(project: Project, text: str, name: str, data: Data | None = None) -> TrainingConfig:
    """Parse a training configuration; `base = "training:KEY"` may name trained weights of the project.

    Raises BadInput naming line and key.
    """
    finished_runs = TrainingRun.objects.filter(project=project, state=TrainingState.DONE).order_by("pk")
    trained = {run.key: folder_of(run) / WEIGHTS for run in finished_runs}
    try:
        return parse_training(
            text, name, Path(settings.DATA_DIR), data=data or Data(), schema=schema_of(project), trained=trained
        )
    except SchemaError as error:
        raise BadInput(str(error), field="toml", code="toml", line=error.line, key=error.key) from error


def _cancel_with_job(job: Job, by: AbstractBaseUser | None) -> None:
    cancel_training(run=TrainingRun.objects.select_related("project").get(pk=job.arguments["training"]), by=by)


@register_handler(
    KIND,
    gettext_lazy("Train a system"),
    queue="gpu",
    page="trainings",
    kept=gettext_lazy("Its checkpoints are kept; the training can be resumed."),
    cancelled=_cancel_with_job,
)
def work_on_training(job: Job, progress: Progress) -> dict[str, Any]:
    """Train, or resume after a lost worker. The data are exported once, so that a resumed training uses the same."""
    from epitome.training.run import run_training

    run = TrainingRun.objects.select_related("project").get(pk=job.arguments["training"])
    mine = TrainingRun.objects.under_way().filter(pk=run.pk)
    with write_transaction():
        if not mine.update(state=TrainingState.RUNNING, job=job, started_at=run.started_at or timezone.now()):
            return {"state": run.state}
    try:
        config = parse_project_training(run.project, run.config_toml, f"{run.key}.toml")
        data_options = {
            name: getattr(config.data, name) for name in ("dev_samples", "asks", "asks_at_least", "shown_samples")
        }
        config = replace(config, data=replace(export_dataset(run, config), **data_options))
        if run.created_by_id is not None:
            names = [config.base, *config.adapter.folders.values()]
            refuse_foreign_weights(project=run.project, names=[name for name in names if name])
        result = run_training(config, folder_of(run), RowWatch(run, progress))
        revision = systems.register_system(
            project=run.project, toml_text=result.system, by=run.created_by, name=f"{run.key}.toml"
        )
        if result.writer:
            systems.register_system(
                project=run.project, toml_text=result.writer, by=run.created_by, name=f"{run.key}-writer.toml"
            )
    except JobLost:
        raise
    except (TrainingFault, SystemFault, BadInput) as error:
        fail_training(run, str(error))
        raise JobRefused(str(error)) from error
    except Exception as error:
        if job.attempts >= job.max_attempts:
            fail_training(run, f"{type(error).__name__}: {error}")
        raise
    with write_transaction():
        mine.update(
            state=TrainingState.DONE,
            revision=revision,
            best=result.best,
            result=result.about,
            finished_at=timezone.now(),
        )
    return {"system": revision.system.key, "revision": revision.number, "best": result.best}


def fail_training(run: TrainingRun, why: str) -> None:
    """Store the reason and the state "failed", unless the training has ended already."""
    clean = why.replace("\x00", "\\0").encode(errors="replace").decode()[:2000] or "unknown"
    with write_transaction():
        TrainingRun.objects.under_way().filter(pk=run.pk).update(
            state=TrainingState.FAILED, error=clean, finished_at=timezone.now()
        )


@register_sweeper
def fail_abandoned() -> int:
    """Fail trainings whose job is dead because all of its workers were lost. Returns how many."""
    lost = TrainingRun.objects.under_way().filter(job__state__in=JobState.UNSUCCESSFUL)
    abandoned = list(lost.select_related("job"))
    for run in abandoned:
        fail_training(run, run.job.error if run.job is not None else "")
    return len(abandoned)


def export_dataset(run: TrainingRun, config: TrainingConfig) -> Data:
    """Write the training data of the run once; later calls read the same file."""
    folder = folder_of(run)
    if config.ranks:
        return Data(lists=_export_lists(run, folder / LISTS))
    path = folder / DATASET
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        options = ExportOptions(format="jsonl", state="latest")
        export_to(project=run.project, path=path, options=options, with_withheld=True)
    return Data(dataset=path)


def _export_lists(run: TrainingRun, path: Path) -> Path:
    """The lists of the newest release that has some. Raises BadInput where they are gone."""
    if not path.is_file():
        releases = releases_with_lists(run.project)
        if not releases:
            raise BadInput(_("No release has ranking lists yet: make them on the page Rankings."), code="nolists")
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".part")
        with temporary.open("w", encoding="utf-8") as stream:
            stream.writelines(iterate_lines(run.project, releases[0].tag))
        temporary.replace(path)
    return path


class RowWatch(Watch):
    """Stores metrics and progress on the training's rows, and stops the training when its job is lost."""

    def __init__(self, run: TrainingRun, progress: Progress) -> None:
        self.run, self.job = run, progress
        self.checked = time.monotonic()
        self.told = 0.0

    def metrics(self, step: int, split: str, values: Mapping[str, float]) -> None:
        with write_transaction():
            TrainingMetric.objects.update_or_create(
                run=self.run, step=step, split=split, defaults={"values": dict(values)}
            )

    def texts(self, step: int, texts: Sequence[DevText]) -> None:
        with write_transaction():
            for position, text in enumerate(texts):
                TrainingText.objects.update_or_create(
                    run=self.run,
                    step=step,
                    position=position,
                    defaults={
                        "sample_id": text.sample_id[:300],
                        "values": dict(text.values),
                        "text": clean_text(text.text, settings.EPITOME_MAX_OUTPUT)[0],
                        "reference": text.reference,
                    },
                )

    def progress(self, done: int, total: int) -> None:
        self.job.set(done, total)
        if time.monotonic() - self.told >= CHECK_EVERY or done == total:
            self.told = time.monotonic()
            with write_transaction():
                TrainingRun.objects.filter(pk=self.run.pk).update(step=done, steps=total)

    def resumed(self, step: int) -> None:
        with write_transaction():
            TrainingMetric.objects.filter(run=self.run, step__gt=step).delete()
            TrainingText.objects.filter(run=self.run, step__gt=step).delete()

    def check(self) -> None:
        if time.monotonic() - self.checked >= CHECK_EVERY:
            self.checked = time.monotonic()
            self.job.check()

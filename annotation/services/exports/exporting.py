"""Exports a project: as a stream, to a file with its manifest, or as a job.

A file gets its name only when it is complete; FILE.manifest.json is written beside it.
"""

import hashlib
import json
import os
import shutil
import time
import uuid
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.db.models import Avg
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, NoProgress, Progress, register_handler, register_sweeper
from annotation.models import AuditVerb, Job, Project, SourceDocument, WebhookTopic
from annotation.services.core import audit, withdrawn_people
from annotation.services.core.errors import BadInput, ServiceError
from annotation.services.core.job_start import start_job
from annotation.services.exports import export_writers, manifests, releases
from annotation.services.exports.dataset_reader import Unit, read_units
from annotation.services.exports.export_plan import (
    FORMATS,
    OVERLAPS,
    SPLITS,
    STATES,
    ExportOptions,
    Plan,
    plan_export,
)
from annotation.services.sources import splits
from annotation.services.sources.near_duplicates import NearDuplicates
from annotation.services.webhooks.deliveries import announce_event
from annotation.transactions import write_transaction

__all__ = [
    "FORMATS",
    "OVERLAPS",
    "SPLITS",
    "STATES",
    "ExportOptions",
    "export_lines",
    "export_to",
    "file_name",
    "start_export",
]

ENDINGS = {"jsonl": ".jsonl", "macsum": ".macsum.json", "parquet": ".parquet"}
FOLDER = "exports"
STORED_KINDS = ("export", "publication-write")
"""Kinds of jobs whose result is a stored file with rows of the dataset."""
ROW_GROUP_WORDS = 300_000


def export_lines(*, project: Project, options: ExportOptions | None = None) -> Iterator[bytes]:
    """The file as a stream of chunks; options are checked before the first chunk, and nothing is changed.

    Raises BadInput, NotFound for an unknown release, Conflict for options that a release was not frozen with.
    Parquet is written to a file first, because its footer describes the whole file.
    """
    plan = plan_export(project, options or ExportOptions())
    if plan.options.format == "parquet":
        return _through_file(project, plan)
    return _render_pieces(project, plan, _read_plan_units(project, plan))


def release_withdrawals(*, project: Project, options: ExportOptions) -> list[dict[str, Any]]:
    """The withdrawals that changed the requested release after it was frozen; [] without a release."""
    release = releases.find_release(project=project, tag=options.release) if options.release else None
    return withdrawn_people.withdrawals_affecting(release) if release is not None else []


def file_name(*, project: Project, options: ExportOptions) -> str:
    """The file name of a download: `news.jsonl`, `news-v1.0.parquet`."""
    return project.slug + (f"-{options.release}" if options.release else "") + ENDINGS[options.format]


def export_to(
    *,
    project: Project,
    path: Path,
    options: ExportOptions | None = None,
    by: AbstractBaseUser | None = None,
    progress: Progress | None = None,
    with_withheld: bool = False,
) -> dict[str, Any]:
    """Write the file and its manifest; returns the manifest. A new release tag is frozen first. with_withheld: also the
    texts that may not be released, for a file that stays on this server.

    Raises what `export_lines` raises, and BadInput when the file cannot be written.
    """
    options = options or ExportOptions()
    plan = plan_export(project, options, freeze=True, by=by)
    tally, near = manifests.Tally(), NearDuplicates() if isinstance(plan.splits, splits.ByOrigin) else None
    units = _read_plan_units(project, plan, with_withheld=with_withheld)
    tracked_units = _track_units(project, units, progress or NoProgress(), near)
    try:
        with open_atomically(path) as temp_path:
            sha256 = _write_file(project, plan, tally.counted(tracked_units), temp_path)
            size = temp_path.stat().st_size
        manifest = _build_manifest(project, plan, tally, near, path.name, sha256, size)
        with open_atomically(manifest_path(path)) as temp_path:
            temp_path.write_text(json.dumps(manifest, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(
            _("%(file)s cannot be written: %(why)s") % {"file": path.name, "why": error.strerror}, field="output"
        ) from error
    with write_transaction():
        audit.record_event(
            project=project,
            actor=by,
            verb=AuditVerb.DATASET_EXPORT,
            target=f"project:{project.public_id}",
            format=plan.options.format,
            sources=tally.sources,
            summaries=tally.summaries,
            skipped=tally.skipped,
        )
    return manifest


def manifest_path(path: Path) -> Path:
    return path.with_name(path.name + ".manifest.json")


def _read_plan_units(project: Project, plan: Plan, *, with_withheld: bool = False) -> Iterator[Unit]:
    authorship = plan.options.authorship
    return read_units(project=project, choice=plan.choice, authorship=authorship, with_withheld=with_withheld)


def _render_pieces(project: Project, plan: Plan, unit_stream: Iterable[Unit]) -> Iterator[bytes]:
    if plan.options.format == "macsum":
        versions = project.schema_versions.all()
        lists = {version.number: [attribute.key for attribute in version.schema.chosen] for version in versions}
        return export_writers.write_macsum(unit_stream, lists=lists)
    return export_writers.write_jsonl(plan.head, unit_stream)


def _write_file(project: Project, plan: Plan, unit_stream: Iterable[Unit], path: Path) -> str:
    """Write the file; returns its SHA-256."""
    if plan.options.format == "parquet":
        _write_parquet(project, unit_stream, path)
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    digest = hashlib.sha256()
    with path.open("wb") as out:
        for piece in _render_pieces(project, plan, unit_stream):
            digest.update(piece)
            out.write(piece)
        out.flush()
        os.fsync(out.fileno())
    return digest.hexdigest()


def _write_parquet(project: Project, unit_stream: Iterable[Unit], path: Path) -> None:
    from epitome.formats.parquet import write_parquet

    attributes: dict[str, str] = {}
    for version in project.schema_versions.order_by("number"):
        kinds = {
            attribute.key: "list" if attribute.filled_by == "annotator" else "text"
            for attribute in version.schema.attributes
        }
        attributes.update(kinds)
    words = SourceDocument.objects.filter(project=project).aggregate(mean=Avg("n_words"))["mean"] or 1
    group = max(50, min(1000, int(ROW_GROUP_WORDS / words)))
    write_parquet(
        path, export_writers.table_rows(unit_stream, attributes), export_writers.table_columns(attributes), batch=group
    )


def _through_file(project: Project, plan: Plan) -> Iterator[bytes]:
    path = work_folder() / f"{uuid.uuid4()}.part"
    try:
        _write_parquet(project, _read_plan_units(project, plan), path)
        stream = path.open("rb")
    finally:
        # The open file stays readable after unlinking; nothing is left behind if the download is aborted.
        path.unlink(missing_ok=True)
    return _read_out(stream)


def _read_out(stream: Any) -> Iterator[bytes]:
    with stream:
        while piece := stream.read(export_writers.PIECE):
            yield piece


def work_folder() -> Path:
    """Where files are written before they are stored; swept, see below."""
    folder = Path(settings.DATA_DIR) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def delete_work_folders(job_ids: Collection[str]) -> None:
    """Delete what workers have written of the exports with these public ids; one that is still at work starts again."""
    for folder in work_folder().iterdir():
        if folder.name.rpartition("-")[0] in job_ids:
            shutil.rmtree(folder, ignore_errors=True)


@register_sweeper
def sweep_work_files() -> None:
    """Delete what killed processes left in the work folder: whatever is older than a day."""
    oldest = time.time() - timedelta(days=1).total_seconds()
    for path in work_folder().iterdir():
        try:
            if path.stat().st_mtime >= oldest:
                continue
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        except FileNotFoundError:  # another worker was first
            continue


def _track_units(
    project: Project, unit_stream: Iterable[Unit], progress: Progress, near: NearDuplicates | None
) -> Iterator[Unit]:
    """Pass the units on, report progress and collect texts for near-duplicate detection."""
    total = SourceDocument.objects.filter(project=project).count()
    for number, unit in enumerate(unit_stream, 1):
        if near is not None:
            near.add(
                document_id=unit.document_id,
                origin_id=unit.source["origin_id"],
                split=unit.source["split"],
                segments=unit.segments,
            )
        yield unit
        progress.set(number, total, _("writing"))


@contextmanager
def open_atomically(path: Path) -> Iterator[Path]:
    """A temporary file beside `path`; renamed to it if the block succeeds, else deleted."""
    temp_path = path.with_name(f".{path.name[:100]}.{uuid.uuid4().hex[:12]}.part")
    try:
        yield temp_path
        temp_path.replace(path)
    finally:
        temp_path.unlink(missing_ok=True)


def _build_manifest(
    project: Project,
    plan: Plan,
    tally: manifests.Tally,
    near: NearDuplicates | None,
    name: str,
    sha256: str,
    size: int,
) -> dict[str, Any]:
    """Everything but `made_at` (and `release`, which refers to its first build) depends on the exported rows alone."""
    options = plan.options
    manifest = {
        "file": name,
        "format": options.format if options.format != "jsonl" else plan.head["format"],
        "sha256": sha256,
        "bytes": size,
        "software": {"name": "epitome", "version": manifests.software_version()},
        "project": {key: plan.head[key] for key in ("project", "kind", "domain", "preset", "language")},
        "filters": {
            name: getattr(options, name)
            for name in ("state", "overlap", "split", "split_seed", "shares", "release", "authorship")
        },
        "counts": tally.counts(),
        "left_out": dict(sorted(plan.choice.left_out.items())),
        **manifests.versions_of(plan.head, tally),
        "sampling": tally.sampling(project),
        "splits": {
            **plan.splits.as_dict(),
            "crossings": splits.find_crossings(project=project, splits=plan.splits),
            "near_duplicates": near.report() if near is not None else None,
        },
        **{name: value for describe in manifests.MANIFEST_PARTS for name, value in describe(project).items()},
        "made_at": timezone.now().isoformat(),
    }
    if plan.release is not None:
        manifest["release"] = _release_report(plan, sha256)
    return manifest


def _release_report(plan: Plan, sha256: str) -> dict[str, Any]:
    assert plan.release is not None and isinstance(plan.choice, releases.FrozenSelection)
    kind = plan.options.format + ("+authorship" if plan.options.authorship else "")
    first = releases.remember_hash(release=plan.release, format=kind, sha256=sha256)
    return {
        "tag": plan.release.tag,
        "frozen_at": plan.release.created_at.isoformat(),
        "first_sha256": first,
        "same_as_first": first == sha256,
        "missing_rows": plan.choice.missing,
        "withdrawals": withdrawn_people.withdrawals_affecting(plan.release),
    }


def start_export(*, project: Project, options: ExportOptions, by: AbstractBaseUser | None) -> Job:
    """Queue an export; its result names the stored file."""
    options.check()
    return start_job(kind="export", project=project, by=by, arguments={"options": options.as_dict()})


def announce_export(job: Job) -> None:
    """Notify webhooks of a finished export, in the transaction that stores its result."""

    def describe() -> dict[str, Any]:
        result = Job.objects.values_list("result", flat=True).get(pk=job.pk)
        return {"job": str(job.public_id), **{name: result.get(name) for name in ("format", "bytes", "sha256")}}

    if job.project_id is not None:
        announce_event(project_id=job.project_id, topic=WebhookTopic.EXPORT_READY, describe=describe)


@register_handler("export", gettext_lazy("Export"), stored=announce_export, page="export")
def run_export(job: Job, progress: Progress) -> dict[str, Any]:
    """Export to a file in the storage, named after the job: a second run replaces the files of the first.

    The result: file and manifest (names in the storage), file_name (for the download), sha256, bytes, counts, release.
    """
    if job.project is None:
        raise JobRefused(_("The project was deleted."))
    options = ExportOptions.from_dict(job.arguments["options"])
    stored = f"{FOLDER}/{job.public_id}{ENDINGS[options.format]}"
    name = file_name(project=job.project, options=options)
    delete_work_folders([str(job.public_id)])
    path = work_folder() / f"{job.public_id}-{uuid.uuid4().hex[:8]}" / name
    path.parent.mkdir()
    try:
        manifest = export_to(project=job.project, path=path, options=options, by=job.requested_by, progress=progress)
        progress.check()
        with path.open("rb") as stream:
            store_file(stored, File(stream))
        store_file(f"{stored}.manifest.json", ContentFile(manifest_path(path).read_bytes()))
    except ServiceError as refused:
        raise JobRefused(refused.message) from refused
    finally:
        for leftover in path.parent.iterdir():
            leftover.unlink()
        path.parent.rmdir()
    manifest_fields: dict[str, Any] = {
        key: manifest[key] for key in ("sha256", "bytes", "counts", "release") if key in manifest
    }
    return {
        "file": stored,
        "manifest": f"{stored}.manifest.json",
        "file_name": name,
        "format": options.format,
        **manifest_fields,
    }


def store_file(name: str, content: File) -> None:
    """Put a file in the storage in place of the one of that name."""
    default_storage.delete(name)
    default_storage.save(name, content)

"""Exporting a project: as a stream, to a file with its manifest, or as a job.

A file appears under its name only when it is whole; beside it stands FILE.manifest.json.
"""

import hashlib
import json
import os
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.db.models import Avg
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.jobs import JobRefused, NoProgress, Progress, handler
from annotation.models import Job, Project, SourceDocument
from annotation.services import audit, manifests, releasing, shapes, splitting, withdrawn
from annotation.services.dataset import Unit, units
from annotation.services.errors import BadInput, ServiceError
from annotation.services.export_plan import FORMATS, OVERLAPS, SPLITS, STATES, ExportOptions, Plan, plan_export
from annotation.services.near_duplicates import NearDuplicates
from annotation.services.starting import start_job
from annotation.transactions import write

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
ROW_GROUP_WORDS = 300_000


def export_lines(*, project: Project, options: ExportOptions | None = None) -> Iterator[bytes]:
    """The file as a stream of pieces; checked before the first piece, changes nothing.

    Raises BadInput, NotFound for an unknown release, Conflict for options that a release was not frozen with.
    Parquet is written to a file first, because its end tells what its beginning means.
    """
    plan = plan_export(project, options or ExportOptions())
    if plan.options.format == "parquet":
        return _through_file(project, plan)
    return _pieces(project, plan, _units(project, plan))


def release_withdrawals(*, project: Project, options: ExportOptions) -> list[dict[str, Any]]:
    """The withdrawals because of which the release asked for is no more what it was; [] where there is none."""
    release = releasing.find_release(project=project, tag=options.release) if options.release else None
    return withdrawn.changed_since(release) if release is not None else []


def file_name(*, project: Project, options: ExportOptions) -> str:
    """What a download is called: `news.jsonl`, `news-v1.0.parquet`."""
    return project.slug + (f"-{options.release}" if options.release else "") + ENDINGS[options.format]


def export_to(
    *,
    project: Project,
    path: Path,
    options: ExportOptions | None = None,
    by: AbstractBaseUser | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write the file and its manifest; returns the manifest. A new release tag is frozen first.

    Raises what `export_lines` raises, and BadInput when the file cannot be written.
    """
    options = options or ExportOptions()
    plan = plan_export(project, options, freeze=True, by=by)
    tally, near = manifests.Tally(), NearDuplicates() if isinstance(plan.splits, splitting.ByOrigin) else None
    shown = _shown(project, _units(project, plan), progress or NoProgress(), near)
    try:
        with _whole_file(path) as part:
            sha256 = _write(project, plan, tally.counted(shown), part)
            size = part.stat().st_size
        manifest = _manifest(project, plan, tally, near, path.name, sha256, size)
        with _whole_file(manifest_path(path)) as part:
            part.write_text(json.dumps(manifest, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(
            _("%(file)s cannot be written: %(why)s") % {"file": path.name, "why": error.strerror}, field="output"
        ) from error
    with write():
        audit.record(
            project=project,
            actor=by,
            verb="export",
            target=f"project:{project.public_id}",
            format=plan.options.format,
            sources=tally.sources,
            summaries=tally.summaries,
            skipped=tally.skipped,
        )
    return manifest


def manifest_path(path: Path) -> Path:
    return path.with_name(path.name + ".manifest.json")


def _units(project: Project, plan: Plan) -> Iterator[Unit]:
    return units(project=project, choice=plan.choice, authorship=plan.options.authorship)


def _pieces(project: Project, plan: Plan, found: Iterable[Unit]) -> Iterator[bytes]:
    if plan.options.format == "macsum":
        versions = project.schema_versions.all()
        lists = {version.number: [each.key for each in version.schema.chosen] for version in versions}
        return shapes.macsum(found, lists=lists)
    return shapes.jsonl(plan.head, found)


def _write(project: Project, plan: Plan, found: Iterable[Unit], path: Path) -> str:
    """Write the file; its SHA-256."""
    if plan.options.format == "parquet":
        _write_parquet(project, found, path)
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    digest = hashlib.sha256()
    with path.open("wb") as out:
        for piece in _pieces(project, plan, found):
            digest.update(piece)
            out.write(piece)
        out.flush()
        os.fsync(out.fileno())
    return digest.hexdigest()


def _write_parquet(project: Project, found: Iterable[Unit], path: Path) -> None:
    from annotation.formats.parquet import write_parquet

    attributes: dict[str, str] = {}
    for version in project.schema_versions.order_by("number"):
        kinds = {each.key: "list" if each.filled_by == "annotator" else "text" for each in version.schema.attributes}
        attributes.update(kinds)
    words = SourceDocument.objects.filter(project=project).aggregate(mean=Avg("n_words"))["mean"] or 1
    group = max(50, min(1000, int(ROW_GROUP_WORDS / words)))
    write_parquet(path, shapes.rows(found, attributes), shapes.columns(attributes), batch=group)


def _through_file(project: Project, plan: Plan) -> Iterator[bytes]:
    path = _work_folder() / f"{uuid.uuid4()}.part"
    try:
        _write_parquet(project, _units(project, plan), path)
        stream = path.open("rb")
    finally:
        # The open file stays readable; nothing is left behind whatever becomes of the download.
        path.unlink(missing_ok=True)
    return _read_out(stream)


def _read_out(stream: Any) -> Iterator[bytes]:
    with stream:
        while piece := stream.read(shapes.PIECE):
            yield piece


def _work_folder() -> Path:
    folder = Path(settings.DATA_DIR) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _shown(project: Project, found: Iterable[Unit], progress: Progress, near: NearDuplicates | None) -> Iterator[Unit]:
    """The units, with progress told and texts compared on the way."""
    total = SourceDocument.objects.filter(project=project).count()
    for number, unit in enumerate(found, 1):
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
def _whole_file(path: Path) -> Iterator[Path]:
    """A file to write beside the wanted one; it takes the name when the block ends well, and goes otherwise."""
    part = path.with_name(f".{path.name[:100]}.{uuid.uuid4().hex[:12]}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _manifest(
    project: Project,
    plan: Plan,
    tally: manifests.Tally,
    near: NearDuplicates | None,
    name: str,
    sha256: str,
    size: int,
) -> dict[str, Any]:
    """Everything but `made_at` (and `release`, which tells of its first build) depends on the exported rows alone."""
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
            for name in ("state", "overlap", "split", "split_seed", "release", "authorship")
        },
        "counts": tally.counts(),
        "left_out": dict(sorted(plan.choice.left_out.items())),
        **manifests.versions_of(plan.head, tally),
        "sampling": tally.sampling(project),
        "splits": {
            **plan.splits.as_dict(),
            "crossings": splitting.crossings(project=project, splits=plan.splits),
            "near_duplicates": near.report() if near is not None else None,
        },
        "made_at": timezone.now().isoformat(),
    }
    if plan.release is not None:
        manifest["release"] = _release_report(plan, sha256)
    return manifest


def _release_report(plan: Plan, sha256: str) -> dict[str, Any]:
    assert plan.release is not None and isinstance(plan.choice, releasing.Frozen)
    kind = plan.options.format + ("+authorship" if plan.options.authorship else "")
    first = releasing.remember_hash(release=plan.release, format=kind, sha256=sha256)
    return {
        "tag": plan.release.tag,
        "frozen_at": plan.release.created_at.isoformat(),
        "first_sha256": first,
        "same_as_first": first == sha256,
        "missing_rows": plan.choice.missing,
        "withdrawals": withdrawn.changed_since(plan.release),
    }


def start_export(*, project: Project, options: ExportOptions, by: AbstractBaseUser | None) -> Job:
    """Queue an export; its result names the stored file."""
    options.check()
    return start_job(kind="export", project=project, by=by, arguments={"options": options.as_dict()})


@handler("export")
def run_export(job: Job, progress: Progress) -> dict[str, Any]:
    """Export to a file in the storage, named after the job: a second run replaces what the first one left.

    The result: file and manifest (names in the storage), file_name (for the download), sha256, bytes, counts, release.
    """
    if job.project is None:
        raise JobRefused(_("The project is gone."))
    options = ExportOptions.from_dict(job.arguments["options"])
    stored = f"{FOLDER}/{job.public_id}{ENDINGS[options.format]}"
    name = file_name(project=job.project, options=options)
    path = _work_folder() / f"{job.public_id}-{uuid.uuid4().hex[:8]}" / name
    path.parent.mkdir()
    try:
        manifest = export_to(project=job.project, path=path, options=options, by=job.requested_by, progress=progress)
        progress.check()
        with path.open("rb") as stream:
            _store(stored, File(stream))
        _store(f"{stored}.manifest.json", ContentFile(manifest_path(path).read_bytes()))
    except ServiceError as refused:
        raise JobRefused(refused.message) from refused
    finally:
        for left in path.parent.iterdir():
            left.unlink()
        path.parent.rmdir()
    kept: dict[str, Any] = {key: manifest[key] for key in ("sha256", "bytes", "counts", "release") if key in manifest}
    return {"file": stored, "manifest": f"{stored}.manifest.json", "file_name": name, "format": options.format, **kept}


def _store(name: str, content: File) -> None:
    default_storage.delete(name)
    default_storage.save(name, content)

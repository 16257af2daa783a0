"""Importing again what an import left out for its length only: from the kept upload, with a higher limit of words."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.core.files.storage import default_storage
from django.utils.translation import gettext as _

from annotation.models import Job, JobState
from annotation.services.core.errors import Conflict, NotFound
from annotation.services.sources.import_types import parse_options
from annotation.services.sources.importing import StoredFile, start_stored_import

STEP = 1000
NO_LIMIT = 10_000_000


def propose_limit(job: Job) -> int | None:
    """The limit in words, in whole thousands, with which nothing of an import would be too long. NO_LIMIT where not
    every such row is listed; None when none was left out for its length."""
    if job.state != JobState.DONE or job.result.get("dry_run"):
        return None
    listed: list[dict[str, Any]] = job.result.get("rows_left_out") or []
    words = [int(row["words"]) for row in listed if row["reason"] == "long"]
    n_left_out = int(job.result.get("left_out") or 0)
    if not n_left_out:
        return None
    return -(-max(words) // STEP) * STEP if len(words) == n_left_out else NO_LIMIT


def has_upload(job: Job) -> bool:
    """Whether the uploaded file is still kept."""
    names = [name for name in (job.arguments["file"], job.arguments.get("texts")) if name]
    return all(map(default_storage.exists, names))


def import_left_out(*, job: Job, by: AbstractBaseUser) -> Job:
    """Queue the same import with a limit that accepts what was too long; rows that are stored already are skipped.
    Raises Conflict when nothing was too long, NotFound when the file is gone."""
    limit = propose_limit(job)
    if limit is None or job.project is None:
        raise Conflict(_("No row of this import was too long."))
    if not has_upload(job):
        raise NotFound(_("The uploaded file is gone. Upload it again."))
    options = parse_options({**job.arguments["options"], "max_words": limit})
    arguments = job.arguments
    file = StoredFile(arguments["file"], arguments["file_name"])
    texts = StoredFile(arguments["texts"], arguments["texts_name"]) if arguments.get("texts") else None
    return start_stored_import(project=job.project, by=by, file=file, options=options, texts=texts)

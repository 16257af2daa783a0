"""Uploading predictions of a system that runs elsewhere, as a run: all of a file or nothing of it."""

from django.contrib.auth.models import AbstractBaseUser

from annotation.formats.reading import InputFile
from annotation.models import Project
from modelbridge.models import Run


def upload_predictions(
    *,
    project: Project,
    file: InputFile,
    by: AbstractBaseUser | None,
    system: str = "",
    name: str = "",
    split: str = "",
    label: str = "",
) -> Run:
    """Store the predictions of a JSONL file as a finished run of kind `upload`. Raises BadInput with faults by line."""
    raise NotImplementedError

"""Uploaded files between their upload and their import: stored without a row, named by a signed text."""

import contextlib
import hashlib
import json
import tempfile
import uuid
import zipfile
from collections.abc import Sequence
from datetime import timedelta
from typing import IO, NamedTuple

from django.conf import settings
from django.core import signing
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.jobs import register_sweeper
from annotation.models import Job, Project
from annotation.services.core.errors import BadInput, NotFound
from epitome.formats.zip_tables import ZIP_ENDINGS

FOLDER = "imports"
PENDING = "pending-"
SALT = "epitome.import.upload"
KEPT_FOR = timedelta(hours=24)
MAX_FILES = 2000
MAX_TITLE_WORDS = 20


class PendingUpload(NamedTuple):
    """A stored file that waits for its import. name: in the storage; file_name: as people know it. texts, texts_name:
    the same of a file with the texts of its rows; "" where there is none."""

    name: str
    file_name: str
    size: int
    texts: str = ""
    texts_name: str = ""

    def sign(self, project: Project) -> str:
        """A text for addresses and forms, from which `find_upload` gives the upload back."""
        return signing.dumps([project.pk, *self], salt=SALT, compress=True)


def find_upload(project: Project, token: str) -> PendingUpload:
    """The upload of a signed text. Raises NotFound for another project's, an old one, and one that is imported."""
    try:
        project_id, *fields = signing.loads(token, salt=SALT, max_age=KEPT_FOR)
        upload = PendingUpload(*fields)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise NotFound(_("This file was uploaded too long ago. Upload it again.")) from error
    names = [name for name in (upload.name, upload.texts) if name]
    if project_id != project.pk or not all(map(default_storage.exists, names)):
        raise NotFound(_("This file was imported or deleted. Upload it again."))
    return upload


def store_uploads(files: Sequence[File]) -> PendingUpload:
    """Store one file, or several as one zip file. Raises BadInput: too many, too large, several that do not join."""
    if sum(file.size or 0 for file in files) > settings.EPITOME_MAX_UPLOAD:
        limit = settings.EPITOME_MAX_UPLOAD // 2**20
        raise BadInput(
            _("More than %(n)d MB. Import large files with the command import_sources.") % {"n": limit}, field="file"
        )
    if len(files) == 1:
        return _store(files[0], files[0].name or "upload")
    if len(files) > MAX_FILES:
        raise BadInput(
            _("Too many files, the limit is %(n)d. Pack them as a zip file.") % {"n": MAX_FILES}, field="file"
        )
    with tempfile.TemporaryFile() as packed:
        _pack(files, packed)
        packed.seek(0)
        return _store(File(packed), f"{len(files)}-files.zip")


def _pack(files: Sequence[File], packed: IO[bytes]) -> None:
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for index, file in enumerate(files):
            name = (file.name or f"file-{index}").replace("\\", "/").rsplit("/", 1)[-1]
            if not name.lower().endswith((*ZIP_ENDINGS, ".story")):
                message = _("%(name)s cannot be imported together with other files. Import it by itself.")
                raise BadInput(message % {"name": name[:100]}, field="file")
            with archive.open(name, "w") as member:
                for chunk in file.chunks():
                    member.write(chunk)


def add_texts(upload: PendingUpload, file: File) -> PendingUpload:
    """The upload together with a file that holds the texts of its rows. Raises BadInput: too large."""
    texts = store_uploads([file])
    return upload._replace(texts=texts.name, texts_name=texts.file_name)


def store_pasted_text(text: str) -> PendingUpload:
    """Store a pasted text as one source whose title is its first line; a pasted table or JSON stays as it is.
    Raises BadInput for an empty text."""
    text = text.replace("\r\n", "\n").strip("\n")
    if not text.strip():
        raise BadInput(_("Paste a text, or choose a file."), field="text")
    if text.lstrip()[:1] in ("{", "[") or "\t" in text.split("\n", 1)[0]:
        return _store(ContentFile(text.encode()), "pasted")
    title, _break, rest = text.partition("\n")
    if not rest.strip() or len(title.split()) > MAX_TITLE_WORDS:
        title, rest = "", text
    source_id = "pasted-" + hashlib.sha256(text.encode()).hexdigest()[:8]
    row = {"id": source_id, "title": title.strip(), "text": rest.strip("\n")}
    line = json.dumps(row, ensure_ascii=False).encode()
    return _store(ContentFile(line + b"\n"), "pasted-text.jsonl")


def _store(file: File, file_name: str) -> PendingUpload:
    name = default_storage.save(f"{FOLDER}/{PENDING}{uuid.uuid4()}", file)
    return PendingUpload(name, file_name[-255:], default_storage.size(name))


def is_swept(name: str) -> bool:
    """Whether a stored file is deleted by `sweep_uploads` when nobody needs it."""
    return name.startswith(f"{FOLDER}/{PENDING}")


@register_sweeper
def sweep_uploads() -> None:
    """Delete uploads that nobody imported within a day; those of jobs that still wait or run are kept."""
    if not default_storage.exists(FOLDER):
        return
    jobs = Job.objects.under_way().filter(kind="import")
    needed = {name for pair in jobs.values_list("arguments__file", "arguments__texts") for name in pair}
    for base in default_storage.listdir(FOLDER)[1]:
        name = f"{FOLDER}/{base}"
        if not base.startswith(PENDING) or name in needed:
            continue
        with contextlib.suppress(OSError):  # another sweeper was faster
            if timezone.now() - default_storage.get_modified_time(name) > KEPT_FOR:
                default_storage.delete(name)

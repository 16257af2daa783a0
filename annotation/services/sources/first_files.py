"""A file that is uploaded before its project exists: it belongs to the person who uploaded it."""

from statistics import median_low

from django.contrib.auth.models import AbstractBaseUser
from django.core import signing
from django.core.files.storage import default_storage
from django.utils.translation import gettext as _

from annotation.services.core.errors import NotFound
from annotation.services.sources.import_uploads import KEPT_FOR, PendingUpload
from annotation.services.sources.importing import local_copy
from epitome.formats.columns import read_table_head
from epitome.formats.guess import guess_columns
from epitome.formats.options import ImportOptions
from epitome.formats.outlook import look_ahead
from epitome.formats.reading import InputFile, UnreadableFile, input_file
from epitome.formats.registry import detect_format, has_columns
from epitome.text.words import n_words

SALT = "epitome.first.upload"


def sign_first_file(upload: PendingUpload, by: AbstractBaseUser) -> str:
    """A text for addresses and forms, from which `find_first_file` gives the upload back to this person."""
    return signing.dumps([by.pk, *upload], salt=SALT, compress=True)


def find_first_file(token: str, by: AbstractBaseUser) -> PendingUpload:
    """The upload of a signed text. Raises NotFound for somebody else's, an old one, and one that is gone."""
    try:
        owner, *fields = signing.loads(token, salt=SALT, max_age=KEPT_FOR)
        upload = PendingUpload(*fields)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise NotFound(_("This file was uploaded too long ago. Upload it again.")) from error
    if owner != by.pk or not default_storage.exists(upload.name):
        raise NotFound(_("This file was imported or deleted. Upload it again."))
    return upload


def measure_median_words(upload: PendingUpload) -> int:
    """Words of the median text among the first ones of a file; 0 where that cannot be said, as of conversations."""
    with local_copy(upload.name) as path:
        try:
            lengths = _count_words(input_file(path, upload.file_name))
        except UnreadableFile:  # the import says why
            return 0
    return median_low(lengths) if lengths else 0


def _count_words(file: InputFile) -> list[int]:
    kind = detect_format(file)
    if not has_columns(kind):
        return [source.n_words for source in look_ahead(file, kind, ImportOptions(format=kind)).sources]
    head = read_table_head(file, kind)
    column = guess_columns(head.rows, head.columns).mapping.get("text", "")
    return [n_words(row[column]) for row in head.rows if isinstance(row.get(column), str) and row[column].strip()]

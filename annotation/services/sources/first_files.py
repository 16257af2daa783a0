"""A file that is uploaded before its project exists: it belongs to the person who uploaded it."""

from django.contrib.auth.models import AbstractBaseUser
from django.core import signing
from django.core.files.storage import default_storage
from django.utils.translation import gettext as _

from annotation.services.core.errors import NotFound
from annotation.services.sources.import_uploads import KEPT_FOR, PendingUpload

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

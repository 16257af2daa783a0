"""Uploads a written folder to the hub that the operator set up. Address and token come from the environment alone."""

import re
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from annotation.services.core.errors import BadInput, Conflict, ServiceError

REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")


class HubFailed(ServiceError):
    """The hub refused, or cannot be reached."""

    status = 502


def is_set_up() -> bool:
    return bool(settings.EPITOME_HUB_TOKEN)


def check_repository(repository: str) -> str:
    """Raises BadInput unless it is `owner/name`, Conflict where the site has no token for a hub."""
    if not REPOSITORY.fullmatch(repository) or ".." in repository or repository.endswith((".git", ".ipynb")):
        raise BadInput(_("Write the owner and the name, such as my-lab/council-summaries."), field="repository")
    if not is_set_up():
        raise Conflict(_("This site has no token for a hub: its operator sets EPITOME_HUB_TOKEN."), code="nohub")
    return repository


def upload_folder(*, folder: Path, repository: str, private: bool, message: str) -> str:
    """Make the dataset on the hub where it does not exist, and commit the folder; returns its address.

    Raises HubFailed with the hub's words, Conflict where the library is not installed.
    """
    check_repository(repository)
    try:
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError
    except ImportError:
        raise Conflict(_("Install the extra `hub` on the worker to upload."), code="nohub") from None
    api = HfApi(endpoint=settings.EPITOME_HUB_URL, token=settings.EPITOME_HUB_TOKEN)
    try:
        api.create_repo(repository, repo_type="dataset", private=private, exist_ok=True)
        api.upload_folder(
            repo_id=repository,
            repo_type="dataset",
            folder_path=folder,
            commit_message=message,
            delete_patterns=["data/**"],
        )
    except HfHubHTTPError as error:
        raise HubFailed(_("The hub refused: %(why)s") % {"why": _first_line(error)}) from error
    except OSError as error:  # httpx errors of connections are not OSErrors
        raise HubFailed(_("The hub cannot be reached: %(why)s") % {"why": _first_line(error)}) from error
    except Exception as error:
        if type(error).__module__.startswith(("httpx", "httpcore", "requests", "urllib3")):
            raise HubFailed(_("The hub cannot be reached: %(why)s") % {"why": _first_line(error)}) from error
        raise
    return f"{settings.EPITOME_HUB_URL.rstrip('/')}/datasets/{repository}"


def _first_line(error: BaseException) -> str:
    """Of its message, without the token."""
    line = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return line.replace(settings.EPITOME_HUB_TOKEN or "\0", "…")[:300]

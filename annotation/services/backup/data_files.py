"""The files of the data folder that belong to a backup, and the place of each of them."""

import hashlib
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.conf import settings
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from annotation.services.core.errors import Conflict

FILE_FOLDERS = ("files", "training")
"""Uploads and exports; trained weights. Staging files and collected static files are recreated."""
FILE_PREFIXES = tuple(f"{name}/" for name in FILE_FOLDERS)
KEY_MEMBER = "secret_key"


def locate_folder(name: str) -> Path:
    return Path(settings.MEDIA_ROOT) if name == "files" else Path(settings.DATA_DIR) / name


def locate_member(name: str) -> Path:
    """The place of a member: `files/exports/x.jsonl`, `training/...`, `secret_key`."""
    if name == KEY_MEMBER:
        return key_file()
    folder, _slash, rest = name.partition("/")
    return locate_folder(folder) / rest


def key_file() -> Path:
    return Path(settings.DATA_DIR) / KEY_MEMBER


def uses_key_file() -> bool:
    """Whether the secret key of this site is the one in the data folder, not one of the environment."""
    file = key_file()
    return file.is_file() and file.read_text(encoding="ascii").strip() == settings.SECRET_KEY


def fingerprint_secret_key() -> str:
    """Shows whether two sites have the same secret key, and nothing else about it."""
    return salted_hmac("annotation.services.backup", "secret key", algorithm="sha256").hexdigest()[:32]


def list_files() -> Iterator[tuple[str, Path]]:
    """(name of the member, path) of every plain file; links are not followed."""
    for folder in FILE_FOLDERS:
        root = locate_folder(folder)
        for parent, folders, names in os.walk(root):
            folders.sort()
            for name in sorted(names):
                path = Path(parent) / name
                if path.is_file() and not path.is_symlink() and not name.endswith(".part"):
                    yield f"{folder}/{path.relative_to(root).as_posix()}", path


class StagedFiles:
    """Files of a restore: first written beside the data folder's own, then moved to their places at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.staged: list[tuple[Path, Path]] = []
        self.moved: list[tuple[Path | None, Path]] = []

    def stage(self, name: str, stream: IO[bytes], sha256: str) -> None:
        """Write a file; one that is at its place already with the same bytes is left there. Raises Conflict."""
        target = locate_member(name)
        if name != KEY_MEMBER and target.exists():
            with target.open("rb") as existing:
                if hashlib.file_digest(existing, "sha256").hexdigest() == sha256:
                    return
            raise Conflict(_("The data folder has another %(file)s already.") % {"file": name})
        path = self.folder / str(len(self.staged))
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            shutil.copyfileobj(stream, out)
            out.flush()
            os.fsync(out.fileno())
        self.staged.append((path, target))

    def move_all(self) -> None:
        for index, (path, target) in enumerate(self.staged):
            target.parent.mkdir(parents=True, exist_ok=True)
            saved = None
            if target.exists():
                saved = self.folder / f"replaced-{index}"
                target.replace(saved)
            self.moved.append((saved, target))
            shutil.move(path, target)

    def move_back(self) -> None:
        for saved, target in reversed(self.moved):
            if saved is not None:
                saved.replace(target)
            else:
                target.unlink(missing_ok=True)
        self.moved.clear()


@contextmanager
def stage_files() -> Iterator[StagedFiles]:
    """A folder for staged files; they are moved back and deleted if the block fails."""
    folder = Path(settings.DATA_DIR) / f"restore-{uuid.uuid4().hex[:12]}"
    folder.mkdir(parents=True, mode=0o700)
    files = StagedFiles(folder)
    try:
        yield files
    except BaseException:
        files.move_back()
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)

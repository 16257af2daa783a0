"""A folder of tables as one zip file, so that it is read like one: Hugging Face's `save_to_disk`, parquet shards, or
tables and texts side by side."""

import json
import re
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from epitome.formats.zip_tables import ZIP_ENDINGS

DESCRIPTIONS = ("dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json")
"""What `datasets` writes beside the tables; state.json names the split of its folder."""
CACHE = re.compile(r"(cache|tmp)[-_].*\.arrow")
MAX_FILES = 10_000
MAX_STATE = 100_000


class FolderFault(ValueError):
    """A folder without anything to import, or with too much."""


@contextmanager
def pack_folder(folder: Path) -> Iterator[Path]:
    """The path of a temporary zip file with the tables of a folder. Raises FolderFault."""
    members = list_tables(folder)
    with tempfile.NamedTemporaryFile(suffix=".zip") as packed:
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
            for name, path in members:
                archive.write(path, name)
        packed.flush()
        yield Path(packed.name)


def list_tables(folder: Path) -> list[tuple[str, Path]]:
    """(name in the zip file, path) of what is read of a folder, in the order of the names. Raises FolderFault.

    Where there are Arrow or Parquet files, only these: other files describe them.
    """
    paths = [path for path in sorted(folder.rglob("*")) if _is_read(path, folder)]
    tables = [path for path in paths if path.suffix.lower() in (".arrow", ".parquet")]
    if not paths:
        raise FolderFault(f"holds no table and no text; read are {', '.join(ZIP_ENDINGS)}")
    if len(paths) > MAX_FILES:
        raise FolderFault(f"holds {len(paths):,} files, more than {MAX_FILES:,}")
    return [(_name_member(path, folder), path) for path in tables or paths]


def _is_read(path: Path, folder: Path) -> bool:
    parts = path.relative_to(folder).parts
    if any(part.startswith(".") for part in parts) or path.name in DESCRIPTIONS or CACHE.fullmatch(path.name):
        return False
    return path.name.lower().endswith(tuple(ZIP_ENDINGS)) and path.is_file()


def _name_member(path: Path, folder: Path) -> str:
    """The path in the folder, below the split that `save_to_disk` noted beside the file."""
    parts = path.relative_to(folder).parts
    split = _read_split(path.parent) if len(parts) == 1 else ""
    return "/".join([split, *parts] if split else parts)


def _read_split(folder: Path) -> str:
    """The split that `save_to_disk` noted in a folder; "" for none."""
    state = folder / "state.json"
    try:
        with state.open("rb") as stream:
            split = json.loads(stream.read(MAX_STATE)).get("_split")
    except (OSError, ValueError, AttributeError):
        return ""
    return split if isinstance(split, str) and split.isalnum() else ""

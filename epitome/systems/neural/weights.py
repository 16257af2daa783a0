"""Finds weights, checks whether they may be loaded, and hashes them.

Only safetensors files are loaded, and code that comes with weights is never run.
"""

import hashlib
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from epitome.systems.protocol import MissingWeights, SystemFault

FOLDERS = "EPITOME_MODELS_DIR"
"""The variable with the folders in which relative names of weights are looked up, separated as in PATH."""
DOWNLOADED_FILES = ("*.safetensors", "*.json", "*.model", "*.txt", "*.jinja")
_HUB = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
_UNSAFE = {".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack"}
_CHUNK = 1 << 20
_hashes: dict[tuple[str, int, int, int], str] = {}


def find_weights(name: str, revision: str = "") -> Path:
    """The folder of weights: a local folder, or a snapshot of a repository on the Hugging Face hub.

    Looked up in this order: below the folders of EPITOME_MODELS_DIR, the path as it is, the hub's local copies; last
    the hub itself, unless HF_HUB_OFFLINE is set. Raises MissingWeights, which lists the places searched.
    """
    looked = []
    for place in _candidate_paths(name):
        if place.is_dir():
            return check_weights_folder(place)
        looked.append(str(place))
    if _HUB.fullmatch(name) and ".." not in name:
        folder, why = _fetch_from_hub(name, revision)
        if folder is not None:
            return check_weights_folder(folder)
        looked.append(why)
    advice = f"; to have them here: hf download {name} --local-dir FOLDER/{name}, in a folder of {FOLDERS}"
    is_published = "/" in name and _HUB.fullmatch(name) is not None
    raise MissingWeights(
        f'there are no weights "{name}"; looked at {"; ".join(looked)}{advice if is_published else ""}'
    )


def _candidate_paths(name: str) -> list[Path]:
    path = Path(name).expanduser()
    if path.is_absolute():
        return [path]
    return [*(root / path for root in _models_folders()), path]


def _models_folders() -> list[Path]:
    return [Path(root) for root in os.environ.get(FOLDERS, "").split(os.pathsep) if root]


def is_permitted(name: str, own_folders: Sequence[Path] = ()) -> bool:
    """Whether a name leads below EPITOME_MODELS_DIR or a project's own folders, or to the hub; links are resolved."""
    path = Path(name)
    if name.startswith("~") or ".." in path.parts:
        return False
    roots = _models_folders()
    if path.is_absolute():
        resolved = path.resolve()
        return any(resolved.is_relative_to(root.resolve()) for root in (*roots, *own_folders))
    for root in roots:
        if (root / path).exists():
            return (root / path).resolve().is_relative_to(root.resolve())
    return _HUB.fullmatch(name) is not None and not path.exists()


def find_operator_weights(name: str) -> Path | None:
    """The folder of weights below one of the folders of EPITOME_MODELS_DIR; None where there is none.

    Links that lead outside are not followed, and the hub is not asked. Raises MissingWeights, SystemFault for a folder
    whose weights may not be loaded.
    """
    if Path(name).is_absolute() or not is_permitted(name):
        return None
    place = next((root / name for root in _models_folders() if (root / name).is_dir()), None)
    return None if place is None else check_weights_folder(place)


def _fetch_from_hub(name: str, revision: str) -> tuple[Path | None, str]:
    """(the local copy, "") or (None, why there is none)."""
    from epitome.systems.neural.libraries import import_library

    hub = import_library("huggingface_hub")
    arguments = {"revision": revision or None, "allow_patterns": list(DOWNLOADED_FILES)}
    try:
        return Path(hub.snapshot_download(name, local_files_only=True, **arguments)), ""
    except (OSError, ValueError):  # no local copy; the hub is tried next
        pass
    if hub.constants.HF_HUB_OFFLINE:
        return None, f"the hub's copies in {hub.constants.HF_HUB_CACHE} (HF_HUB_OFFLINE is set)"
    try:
        return Path(hub.snapshot_download(name, **arguments)), ""
    except Exception as error:  # noqa: BLE001  # the hub's client raises errors of several libraries
        why = str(error).strip().partition("\n")[0][:120] or type(error).__name__
        return None, f"the hub's copies in {hub.constants.HF_HUB_CACHE} and the hub itself ({why})"


def check_weights_folder(folder: Path) -> Path:
    """The folder, if its weights are safetensors and need no code of their own. Raises MissingWeights, SystemFault."""
    if not any(folder.glob("*.safetensors")):
        others = sorted(
            path.name for path in folder.iterdir() if path.suffix in {".bin", ".pt", ".pth", ".ckpt", ".h5"}
        )
        has = f"has {others[0]}, which can hold code" if others else "has no file of weights"
        raise MissingWeights(f"{folder} {has}; only .safetensors files are loaded")
    if "auto_map" in read_json(folder / "config.json"):
        raise SystemFault(f"{folder.name} asks for code that comes with it (auto_map); such code is never run")
    return folder


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a folder of weights; empty if the file is absent. Raises SystemFault for a broken one."""
    if not path.is_file():
        return {}
    try:
        data = json.loads(path.read_bytes())
    except ValueError as error:
        raise SystemFault(f"{path} is not sound JSON: {error}") from error
    return data if isinstance(data, dict) else {}


def weights_hash(*paths: Path) -> str:
    """SHA-256 over the names and bytes of the safetensors files of folders, or of single files, in their order.

    A file is hashed again only when its size or modification time has changed.
    """
    combined = hashlib.sha256()
    for path in paths:
        for file in [path] if path.is_file() else sorted(path.glob("*.safetensors")):
            combined.update(f"{file.name}\0{file_hash(file)}\n".encode())
    return combined.hexdigest()


def file_hash(file: Path) -> str:
    stat = file.stat()
    key = (str(file.resolve()), stat.st_size, stat.st_mtime_ns, stat.st_ino)
    if key not in _hashes:
        digest = hashlib.sha256()
        with file.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
        _hashes[key] = digest.hexdigest()
    return _hashes[key]


def find_file(name: str) -> Path:
    """A file or folder used with the weights (prefixes, an adapter): the path itself, or below the folders of
    EPITOME_MODELS_DIR. Raises MissingWeights."""
    places = _candidate_paths(name)
    for place in places:
        if place.exists():
            return place
    raise MissingWeights(f'there is no "{name}"; looked at {"; ".join(map(str, places))}')


def list_operator_weights() -> list[str]:
    """Names of the weights below the folders of EPITOME_MODELS_DIR, as a configuration names them."""
    names = set()
    for root in _models_folders():
        for pattern in ("*/config.json", "*/*/config.json", "*/adapter_config.json", "*/*/adapter_config.json"):
            names |= {str(file.parent.relative_to(root)) for file in root.glob(pattern)}
    return sorted(names)

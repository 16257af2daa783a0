"""The id of a spaCy pipeline, read from its files: web processes can label scores without loading spaCy."""

import importlib.util
import json
from functools import lru_cache
from pathlib import Path

from epitome.text.pipeline import DEFAULT_PIPELINE, SHIPPED, PipelineNotFound, hash_files


def installed_id(name: str | None = None) -> str:
    """The same as `pipeline_id(load_pipeline(name))`, read from the files. Raises PipelineNotFound.

    Cached for the life of the process, like the loaded pipeline.
    """
    return _read_pipeline_id((name or "").strip() or DEFAULT_PIPELINE)


@lru_cache(maxsize=8)
def _read_pipeline_id(name: str) -> str:
    folder = _find_folder(name)
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    return f"{meta['lang']}_{meta['name']}@{meta['version']}+{hash_files(folder)[:8]}"


def _find_folder(name: str) -> Path:
    """The folder with the weights: shipped, a folder on disk, or inside an installed package."""
    for folder in (SHIPPED / name, Path(name).expanduser(), *_inside_package(name)):
        if (folder / "config.cfg").is_file() and (folder / "meta.json").is_file():
            return folder
    raise PipelineNotFound(
        f"EPITOME_SPACY_PIPELINE={name!r} is neither a folder with a spaCy pipeline (config.cfg) nor an installed "
        f"package. Install it, give its folder, or leave the setting empty for {DEFAULT_PIPELINE}, which is shipped."
    )


def _inside_package(name: str) -> list[Path]:
    """The versioned folders of an installed pipeline package."""
    if not name.isidentifier():
        return []
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return []
    return sorted(Path(spec.origin).parent.glob(f"{name}-*"))

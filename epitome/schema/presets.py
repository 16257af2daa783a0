"""Access to the schemas, guidelines and sampling weights that are shipped as data files."""

from importlib import resources

from epitome.schema.declaration import Schema
from epitome.schema.load import parse_schema

PRESETS = ("macsum-doc", "macsum-dial", "ccsbench", "tesa", "short-articles", "aclsum")
WITHOUT_ATTRIBUTES = ("tesa",)
"""Presets for kinds of task that need no attribute."""


def _read_preset_file(preset: str, path: str) -> str:
    """A file of the presets folder. Raises ValueError naming the presets."""
    if preset not in PRESETS:
        raise ValueError(f'there is no preset "{preset}"; there are {", ".join(PRESETS)}')
    folder = resources.files("epitome.schema") / "presets"
    return folder.joinpath(path).read_text(encoding="utf-8")


def preset_text(name: str) -> str:
    """The TOML text of a preset, which a project copies. Raises ValueError for an unknown name."""
    return _read_preset_file(name, f"{name}.toml")


def load_preset(name: str) -> Schema:
    """A preset, parsed. Raises ValueError for an unknown name."""
    return parse_schema(preset_text(name), name=f"{name}.toml", needs_attributes=name not in WITHOUT_ATTRIBUTES)


def guideline_text(name: str) -> str:
    """The Markdown guideline written for a preset, which a project copies. Raises ValueError for an unknown name."""
    return _read_preset_file(name, f"guidelines/{name}.md")

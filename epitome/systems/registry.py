"""Makes systems from keys and configurations. A kind is added in `kinds.py`, a shipped configuration in `configs/`."""

import tomllib
from functools import cache
from importlib import import_module, resources
from importlib.util import find_spec
from pathlib import Path
from typing import cast

from epitome.schema import SchemaError
from epitome.systems.config import SystemConfig, parse_config
from epitome.systems.kinds import KINDS, Kind, Queue
from epitome.systems.protocol import Follows, MissingLibrary, System, SystemFault

__all__ = [
    "KINDS",
    "Kind",
    "config_of",
    "explain_missing_libraries",
    "find_queue",
    "followed_attributes",
    "make_system",
    "make_system_by_key",
    "shipped_configs",
    "shipped_keys",
    "shipped_kinds",
]

NEEDED = {"models": ("torch", "transformers", "safetensors")}
"""Extra of the package -> the libraries whose presence shows that it is installed."""


@cache
def _shipped_texts() -> dict[str, str]:
    folder = resources.files("epitome.systems") / "configs"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    return {file.name.removesuffix(".toml"): file.read_text(encoding="utf-8") for file in files}


def shipped_keys(role: str = "") -> list[str]:
    """The keys of the shipped configurations, which are their file names; role: of those alone that have it."""
    return [key for key, text in _shipped_texts().items() if not role or KINDS[_kind_of(text)].role == role]


def shipped_kinds() -> dict[str, str]:
    """The kind of each shipped configuration by its key, without reading the rest of it."""
    return {key: _kind_of(text) for key, text in _shipped_texts().items()}


def _kind_of(text: str) -> str:
    """The kind that a shipped configuration names, without reading the rest of it."""
    return str(tomllib.loads(text)["system"]["kind"])


def shipped_configs() -> list[SystemConfig]:
    """The configurations that come with the program."""
    return [parse_config(text, f"{key}.toml") for key, text in _shipped_texts().items()]


def config_of(key_or_path: str) -> SystemConfig:
    """A shipped configuration by its key, or one in a file (what ends in .toml or has a slash).

    Raises SystemFault: no such key or file; SchemaError: the text cannot be used.
    """
    if key_or_path in _shipped_texts():
        return parse_config(_shipped_texts()[key_or_path], f"{key_or_path}.toml")
    path = Path(key_or_path)
    if path.suffix != ".toml" and "/" not in key_or_path:
        raise SystemFault(
            f'there is no system "{key_or_path[:60]}"; there are {", ".join(_shipped_texts())}, or name a file .toml'
        )
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise SystemFault(f"{path.name}: cannot be read: {error.strerror or type(error).__name__}") from error
    except UnicodeDecodeError as error:
        raise SchemaError(
            "is not UTF-8", name=path.name, key="", line=error.object[: error.start].count(b"\n") + 1
        ) from error
    return parse_config(text, path.name)


def explain_missing_libraries(config: SystemConfig) -> str:
    """A message naming the libraries to install before a configuration can run here; "" when nothing is missing."""
    kind = _working_kind(config)
    extra = kind.needs
    absent = [name for name in NEEDED.get(extra, ()) if find_spec(name) is None]
    if not absent:
        return ""
    command = f'make install-models, or pip install "epitome[{extra}]"'
    return f"{kind.name} needs {', '.join(absent)}; install them with: {command}"


def find_queue(config: SystemConfig) -> Queue:
    """Which workers run a configuration: those of the system that does the work."""
    return _working_kind(config).queue


def _working_kind(config: SystemConfig) -> Kind:
    """The kind that needs libraries and machines: of a system that works through another, that one's."""
    kind = KINDS[config.kind]
    return KINDS[config.settings.base.kind] if kind.wraps_system else kind


def make_system(config: SystemConfig) -> System:
    """The system of a configuration. Raises SystemFault: a library or weights are missing."""
    if lacking := explain_missing_libraries(config):
        raise MissingLibrary(lacking)
    module, _, function = KINDS[config.kind].load.partition(":")
    return cast(System, getattr(import_module(module), function)(config))


def make_system_by_key(key_or_path: str) -> System:
    """The system of a shipped key or of a configuration file. Raises SystemFault, SchemaError."""
    return make_system(config_of(key_or_path))


def followed_attributes(config: SystemConfig) -> Follows | None:
    """What a configuration can follow, without loading weights; None if the kind does not declare it."""
    function = getattr(import_module(KINDS[config.kind].module), "followed_attributes", None)
    return cast(Follows, function(config.settings)) if function is not None else None

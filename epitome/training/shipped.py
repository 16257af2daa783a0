"""The shipped training configurations, and the libraries missing for training."""

from functools import cache
from importlib import resources
from importlib.util import find_spec

NEEDED = ("torch", "transformers", "accelerate", "peft", "safetensors")


@cache
def _shipped_texts() -> dict[str, str]:
    folder = resources.files("epitome.training") / "configs"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    return {file.name.removesuffix(".toml"): file.read_text(encoding="utf-8") for file in files}


def shipped_trainings() -> list[str]:
    """The keys of the configurations, which are their file names."""
    return list(_shipped_texts())


def shipped_text(key: str) -> str:
    """The TOML text of a shipped configuration; "" for another key."""
    return _shipped_texts().get(key, "")


def missing_libraries() -> str:
    """The missing libraries that a training needs, separated by commas; "" if none is missing."""
    return ", ".join(name for name in NEEDED if find_spec(name) is None)

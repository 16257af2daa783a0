"""The trainings that come with the program, and what this machine lacks for one."""

from functools import cache
from importlib import resources
from importlib.util import find_spec

NEEDED = ("torch", "transformers", "accelerate", "peft", "safetensors")


@cache
def _texts() -> dict[str, str]:
    folder = resources.files("modelbridge.training") / "configs"
    files = sorted((each for each in folder.iterdir() if each.name.endswith(".toml")), key=lambda each: each.name)
    return {each.name.removesuffix(".toml"): each.read_text(encoding="utf-8") for each in files}


def shipped_trainings() -> list[str]:
    """The keys of the configurations, which are their file names."""
    return list(_texts())


def shipped_text(key: str) -> str:
    """The TOML text of a shipped configuration; "" for another key."""
    return _texts().get(key, "")


def missing() -> str:
    """The libraries that a training needs and this machine lacks, "" when it has all."""
    return ", ".join(name for name in NEEDED if find_spec(name) is None)

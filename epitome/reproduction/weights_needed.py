"""The weights that a table starts from: those in the operator's folders, and where the others are published."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from epitome.systems.neural.weights import FOLDERS, find_operator_weights


@dataclass(frozen=True)
class PublishedWeights:
    """name: the folder below EPITOME_MODELS_DIR, and the repository at `url`. parameters: how many, in words.
    architecture: of a tiny model in its place."""

    name: str
    url: str
    parameters: str
    architecture: str

    def describe_missing(self) -> str:
        """What is missing, where it is published, and how it comes to its folder."""
        return (
            f"{self.name} ({self.parameters} parameters) is in none of the folders of {FOLDERS}; it is published at "
            f"{self.url}: hf download {self.name} --local-dir FOLDER/{self.name}"
        )


@cache
def published_weights() -> dict[str, PublishedWeights]:
    text = (resources.files("epitome.reproduction") / "weights.toml").read_text(encoding="utf-8")
    return {name: PublishedWeights(name=name, **about) for name, about in tomllib.loads(text).items()}


def describe_weights(name: str) -> PublishedWeights:
    """Of a name that is not listed, the repository of that name."""
    unlisted = PublishedWeights(name, f"https://huggingface.co/{name}", "unknown number of", "bart")
    return published_weights().get(name, unlisted)


def find_weights_folder(name: str) -> Path | None:
    """Raises MissingWeights, SystemFault for a folder whose weights may not be loaded."""
    return find_operator_weights(name)

"""The cells of a grid of trainings: one configuration with every combination of some settings."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from epitome.training.variants import Changes

MAX_CELLS = 100
MAX_KEY = 60
FIXED = ("training.key", "training.schema", "optimisation.selection")
"""Settings without which the scores of two trainings could not be compared."""


class BadGrid(ValueError):
    """A grid that cannot be trained; the message says why."""


@dataclass(frozen=True)
class GridCell:
    """key: of the training and its system. changes: what sets it apart."""

    key: str
    changes: Changes


def parse_grid(texts: Sequence[str], key: str) -> list[GridCell]:
    """The cells of `learning_rate=1e-5,3e-5` and the like; a name without its table is one of [optimisation]. key: of
    the configuration. Raises BadGrid."""
    axes = [_parse_axis(text) for text in texts]
    names = [name for name, _values in axes]
    if len(set(names)) < len(names):
        raise BadGrid("a setting is named twice")
    cells = [
        GridCell(_cell_key(key, dict(zip(names, values, strict=True))), dict(zip(names, values, strict=True)))
        for values in product(*(values for _name, values in axes))
    ]
    if len(cells) > MAX_CELLS:
        raise BadGrid(f"it has {len(cells)} cells; the most is {MAX_CELLS}")
    return cells


def _parse_axis(text: str) -> tuple[str, list[Any]]:
    name, equals, listed = text.partition("=")
    if not equals or not re.fullmatch(r"[a-z_]+(\.[a-z_]+)?", name):
        raise BadGrid(f"{text[:60]!r} is not SETTING=VALUE,VALUE, such as learning_rate=1e-5,3e-5")
    name = name if "." in name else f"optimisation.{name}"
    if name in FIXED:
        raise BadGrid(f"{name} cannot vary: the scores of its trainings could not be compared")
    values = [_parse_value(word.strip()) for word in listed.split(",")]
    if len({repr(value) for value in values}) < len(values):
        raise BadGrid(f"{name} has a value twice")
    return name, values


def _parse_value(word: str) -> Any:
    """As TOML has it; other words are texts."""
    try:
        return tomllib.loads(f"value = {word}")["value"]
    except tomllib.TOMLDecodeError:
        return word


def _cell_key(key: str, changes: Mapping[str, Any]) -> str:
    """A key of its own, of lower-case letters, digits and hyphens."""
    parts = [f"{name.partition('.')[2]}-{value}" for name, value in changes.items()]
    slug = re.sub(r"[^a-z0-9]+", "-", "-".join([key, *parts]).lower()).strip("-")
    if len(slug) > MAX_KEY:
        raise BadGrid(f"the key {slug} has more than {MAX_KEY} characters; shorten the key of the configuration")
    return slug


def describe_changes(changes: Mapping[str, Any]) -> str:
    """What sets a training apart, without the names of tables."""
    return ", ".join(f"{name.partition('.')[2]} {value}" for name, value in changes.items())

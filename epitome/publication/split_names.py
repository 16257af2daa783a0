"""Names of splits as the Hugging Face hub writes them, and which split is held out more than another."""

import re
from collections.abc import Collection

_HUB_NAMES = {"dev": "validation", "val": "validation", "valid": "validation", "development": "validation"}
_RANKS = {"train": 0, "validation": 2, "test": 3}
WITHOUT = "unsplit"


def name_split(split: str, splits: Collection[str]) -> str:
    """The name of a split on the hub. splits: all of the dataset's; where no row has one, all rows are `train`."""
    if not split:
        return "train" if not any(splits) else WITHOUT
    name = _HUB_NAMES.get(split.casefold(), split.casefold())
    return re.sub(r"[^a-z0-9_]+", "_", name).strip("_") or WITHOUT


def held_out_order(split: str) -> tuple[int, str]:
    """Sort key: a row stays in the split with the greatest one when it would be in several."""
    name = _HUB_NAMES.get(split.casefold(), split.casefold())
    return _RANKS.get(name, 1), name

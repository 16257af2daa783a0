"""The argument of models that holds keys and values of earlier tokens, under the name that the installed transformers
has for it: `past_key_values`, and `cache` from 5.24 on, where the older name warns and goes away in 5.40."""

from inspect import signature
from typing import Any

OLD, NEW = "past_key_values", "cache"


def cache_argument(model: Any, cache: Any) -> dict[str, Any]:
    """The keyword that gives a model, or its `generate`, this cache."""
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    return {NEW if NEW in signature(base.forward).parameters else OLD: cache}


def cache_of(output: Any) -> Any:
    """The cache that a model returned; None where it gave none."""
    cache = getattr(output, NEW, None)
    return getattr(output, OLD, None) if cache is None else cache

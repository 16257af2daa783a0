"""Words that a test puts into a language do not reach the next one."""

import inspect
import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def words_of_no_other_test() -> Iterator[None]:
    """Days and weeks in words are kept by language, and some tests put other words into a language."""
    forget_words()
    yield
    forget_words()


def forget_words() -> None:
    rooms = [module for name, module in sys.modules.items() if name.startswith(("annotation.", "evaluation."))]
    for function in [var for module in rooms for var in vars(module).values() if hasattr(var, "cache_clear")]:
        if {"language", "_language"} & set(inspect.signature(function).parameters):
            function.cache_clear()

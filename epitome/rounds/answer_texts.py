"""How answers are written: letters and keys, joined values, orders of texts, numbers."""

from collections.abc import Sequence
from itertools import permutations

NOTE_LENGTH = 4_000
WHY_LENGTH = 1_000
KEYS = "123456789"
LETTERS = "abcdef"
FEWEST_TEXTS, MOST_TEXTS = 3, len(LETTERS)
"""Texts of a list that raters compare all at once."""
NONE = "none"
"""The answer to a question with several answers that none of them applies."""
SEVERAL_JOIN, PLACE_JOIN = "; ", ">"


class BadAnswer(ValueError):
    """An answer that a question does not have."""


def text_order(left: int, n_texts: int) -> tuple[int, ...]:
    """The numbers of an item's texts in the order in which they are shown. left: which of all orders, from 1.

    Of two texts 1 is (1, 2) and 2 is (2, 1), so that it is also the number of the text on the left.
    """
    return list(permutations(range(1, n_texts + 1)))[left - 1]


def order_number(order: Sequence[int]) -> int:
    """The number of an order, from 1: the reverse of `text_order`."""
    return 1 + list(permutations(range(1, len(order) + 1))).index(tuple(order))


def format_number(number: float) -> str:
    """A number as it is stored: at most six decimals, none that are zero."""
    text = f"{number:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text

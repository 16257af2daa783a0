"""How much of a suggested text was kept in the text that was made of it.

Both texts are split into words (`split_words`: white-space tokens, so marks belong to their word; scripts that write no
words apart are cut by ICU). A word of one text counts as shared if it is in a run of at least `RUN` words that also
is, in the same order and without a gap, anywhere in the other text; case and marks count. Moved sentences are
shared, words that both texts happen to have are not. Of texts shorter than `RUN` words the run is the shorter one.
"""

from collections.abc import Sequence
from typing import NamedTuple

from epitome.text.words import split_words

METHOD = "kept-words@1"
"""Name and version of the definition; a changed one needs a new name."""
RUN = 3
"""Words in a row that make a shared run."""
DIGITS = 4


class KeptShares(NamedTuple):
    """kept: characters of the suggestion's shared words / characters of all its words.
    of_text: the same for the final text. Both from 0 to 1, rounded to four digits, without white space; 0 where a text
    has no words. identical: both have the same words in the same order."""

    kept: float
    of_text: float
    identical: bool


def compute_kept_shares(suggestion: str, text: str) -> KeptShares:
    """Compare a suggestion with the text that was submitted. The time grows with their length, not with its square."""
    suggested_words, text_words = split_words(suggestion), split_words(text)
    length = min(RUN, len(suggested_words), len(text_words))
    if not length:
        return KeptShares(0.0, 0.0, False)
    return KeptShares(
        _share_in(suggested_words, text_words, length),
        _share_in(text_words, suggested_words, length),
        suggested_words == text_words,
    )


def _share_in(words: Sequence[str], others: Sequence[str], length: int) -> float:
    """Share of the characters of `words` that are in runs of `length` words that `others` has too."""
    runs = {tuple(others[i : i + length]) for i in range(len(others) - length + 1)}
    shared: set[int] = set()
    for start in range(len(words) - length + 1):
        if tuple(words[start : start + length]) in runs:
            shared.update(range(start, start + length))
    return round(sum(len(words[i]) for i in shared) / sum(map(len, words)), DIGITS)

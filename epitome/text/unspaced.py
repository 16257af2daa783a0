"""Words in scripts that write none apart: Chinese, Japanese, Thai, Lao, Khmer and Burmese.

ICU cuts them by its dictionaries, in whatever language the rest of the text is. Texts in other scripts do not come
here, so that their words stay what white space makes of them.
Source: Unicode Standard Annex 29 with the dictionaries of ICU (https://unicode-org.github.io/icu/).
"""

import re
import unicodedata
from functools import cache
from itertools import filterfalse
from typing import Any

from epitome.text.missing_library import MissingLibrary, explain_missing

_SCRIPTS = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\ua9e0-\ua9ff\uaa60-\uaa7f"  # Burmese, Khmer
    "\u3000-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # marks, kana, Han
    "\uff00-\uffef"  # wide and narrow forms, with the marks that end a sentence
    "\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_SCRIPTS}]+")
# The marks “ ” — … stand in other scripts too: they are cut off only in a piece that has one of these scripts.
_RUN_AND_MARKS = re.compile(f"[{_SCRIPTS}\u2014\u201c\u201d\u2026]+")


@cache
def _load_icu() -> Any:
    """The package icu4py with its breakers. Raises MissingLibrary."""
    try:
        import icu4py
        import icu4py.breakers
    except ModuleNotFoundError as error:
        words = "cutting Chinese, Japanese, Thai, Lao, Khmer and Burmese into words"
        raise MissingLibrary(explain_missing(words, "ICU (icu4py)")) from error
    return icu4py


@cache
def icu_version() -> str:
    """The version of ICU whose dictionaries cut."""
    return str(_load_icu().icu_version)


def has_unspaced(text: str) -> bool:
    """Whether any character is of a script that writes no words apart."""
    return not text.isascii() and _RUN.search(text) is not None


def cut_runs(piece: str) -> list[str]:
    """A text without white space, cut before, after and inside of each run of such scripts; marks are separate."""
    if not has_unspaced(piece):
        return [piece] if piece else []
    pieces: list[str] = []
    at = 0
    for run in _RUN_AND_MARKS.finditer(piece):
        if run.start() > at:
            pieces.append(piece[at : run.start()])
        pieces += _cut_run(run.group())
        at = run.end()
    return [*pieces, piece[at:]] if at < len(piece) else pieces


def _cut_run(run: str) -> list[str]:
    return [piece for piece in _load_icu().breakers.WordBreaker(run, "root") if not piece.isspace()]


def cut_words(text: str) -> list[str]:
    """White-space tokens; those with such scripts are cut, and marks between their words are no words."""
    words: list[str] = []
    for token in text.split():
        words += filterfalse(is_mark, cut_runs(token)) if has_unspaced(token) else [token]
    return words


def is_mark(piece: str) -> bool:
    """Whether a piece holds punctuation and symbols alone."""
    return all(unicodedata.category(character)[0] in "PSZ" for character in piece)

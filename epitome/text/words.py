"""The one definition of words: white-space tokens, and what ICU cuts where a script writes no words apart."""

import re

from epitome.text.unspaced import cut_runs, cut_words, has_unspaced, is_mark

_TOKEN = re.compile(r"\S+")


def split_words(text: str) -> list[str]:
    """The words of a text in order."""
    return cut_words(text) if has_unspaced(text) else text.split()


def word_spans(text: str) -> list[tuple[int, int]]:
    """Start and end (exclusive) of each word, in code points."""
    spans: list[tuple[int, int]] = []
    for token in _TOKEN.finditer(text):
        if not has_unspaced(token.group()):
            spans.append(token.span())
            continue
        at = token.start()
        for piece in cut_runs(token.group()):
            if not is_mark(piece):
                spans.append((at, at + len(piece)))
            at += len(piece)
    return spans


def n_words(text: str) -> int:
    """How many words. The 5,000 rule, the sample budget and the length ratio use this count."""
    return len(split_words(text))

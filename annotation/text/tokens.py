"""Word tokens in the manner of the Penn Treebank, by one regular expression: for counts, quick and without a model.

"don't" is do + n't, "Gordon's" is Gordon + 's; a decimal number, a hyphened word and an abbreviation such as U.S.
stay whole; every other mark is a token of its own, "..." and "--" are one each.
"""

import re

VERSION = "treebank-regex@1"

_TOKEN = re.compile(
    r"""
    \.\.\.+ | --+                                     # an ellipsis, a dash
    | (?:[^\W\d_]\.){2,}                              # U.S. and e.g.
    | [^\W_]+(?:[-‐‑][^\W_]+)+                        # a hyphened word, 21-year-old
    | \d+(?:[.,:/]\d+)*(?:st|nd|rd|th|s|%)?(?![^\W_]) # 1,000.50 and 4:30 and 21st
    | [^\W_]+?(?=n['’]t\b)                            # do|n't
    | n['’]t\b
    | ['’](?:s|m|d|ll|re|ve)\b                        # 's after a word
    | [^\W_]+(?:['’](?!(?:s|m|d|t|ll|re|ve)\b)[^\W_]+)* # a word, O'Neil
    | \S                                              # any other mark
    """,
    re.VERBOSE | re.IGNORECASE,
)


def tokens(text: str) -> list[str]:
    """The tokens in their order; white space is none."""
    return _TOKEN.findall(text)


def n_tokens(text: str) -> int:
    """How many tokens the text has."""
    return sum(1 for _ in _TOKEN.finditer(text))

"""The rules of NLTK's Penn Treebank word tokenizer: the tokens of one sentence.

From NLTK 3.10 (nltk/tokenize/destructive.py), reduced to `NLTKWordTokenizer().tokenize(text)`; changed: one list of
rules, compiled at the first use. The regular expressions are NLTK's, and so is the engine of each (`regex` or `re`):
the two differ in what a word character is, for example in Hindi.

Natural Language Toolkit: NLTK's very own tokenizer.
Copyright (C) 2001-2026 NLTK Project
Author: Liling Tan; Tom Aarsen (modifications)
URL: <https://www.nltk.org>
Licensed under the Apache License, Version 2.0: see LICENSES/NLTK.txt.
"""

import re
from collections.abc import Callable
from functools import lru_cache, partial

PAD = r" \g<0> "

STARTING_QUOTES = [
    (r"([«“‘„]|[`]+)", r" \1 "),
    (r"^\"", r"``"),
    (r"(``)", r" \1 "),
    (r"([ \(\[{<])(\"|\'{2})", r"\1 `` "),
    (r"(?i)(?<!\w)(\')(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)", r"\1 "),
]
PUNCTUATION = [
    (r'([^\.])(\.)([\]\)}>"\'' r"»”’ " r"]*+)\s*$", r"\1 \2 \3 "),
    (r"([:,])([^\d])", r" \1 \2"),
    (r"([:,])$", r" \1 "),
    (r"\.{2,}", PAD),
    (r"[;@#$%&]", PAD),
    (r"[\u2012-\u2015]", PAD),  # figure dash, en and em dash, horizontal bar
    (r'([^\.])(\.)([\]\)}>"\']*)\s*$', r"\1 \2\3 "),  # the final full stop
    (r"[?!]", PAD),
    (r"([^'])' ", r"\1 ' "),
    (r"[*]", PAD),
    (r"[\]\[\(\)\{\}\<\>]", PAD),
    (r"--", r" -- "),
]
ENDING_QUOTES = [
    (r"([»”’])", r" \1 "),
    (r"''", " '' "),
    (r'"', " '' "),
    (r"\s+", " "),
    (r"([^' ])('[sS]|'[mM]|'[dD]|') ", r"\1 \2 "),
    (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 "),
]
# Adapted by NLTK from Robert MacIntyre's tokenizer.
CONTRACTIONS = [
    r"(?i)\b(can)(?#X)(not)\b",
    r"(?i)\b(d)(?#X)('ye)\b",
    r"(?i)\b(gim)(?#X)(me)\b",
    r"(?i)\b(gon)(?#X)(na)\b",
    r"(?i)\b(got)(?#X)(ta)\b",
    r"(?i)\b(lem)(?#X)(me)\b",
    r"(?i)\b(more)(?#X)('n)\b",
    r"(?i)\b(wan)(?#X)(na)(?=\s)",
    r"(?i) ('t)(?#X)(is)\b",
    r"(?i) ('t)(?#X)(was)\b",
]

Substitution = Callable[[str], str]


@lru_cache(maxsize=1)
def _compile_rules() -> tuple[list[Substitution], list[Substitution]]:
    """The substitutions before and after the text is padded with spaces, in order."""
    import regex

    first: list[Substitution] = [
        partial(regex.compile(pattern).sub, new) for pattern, new in (*STARTING_QUOTES, *PUNCTUATION)
    ]
    last: list[Substitution] = [partial(regex.compile(pattern).sub, new) for pattern, new in ENDING_QUOTES]
    last += [partial(re.compile(pattern).sub, r" \1 \2 ") for pattern in CONTRACTIONS]
    return first, last


def tokenize_sentence(sentence: str) -> list[str]:
    """The tokens of one sentence, in order; [] for an empty one. A straight double quote becomes `` or ''."""
    before_padding, after_padding = _compile_rules()
    for substitute in before_padding:
        sentence = substitute(sentence)
    sentence = f" {sentence} "
    for substitute in after_padding:
        sentence = substitute(sentence)
    return sentence.split()

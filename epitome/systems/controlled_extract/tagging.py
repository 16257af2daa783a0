"""Tokens of a sentence with their offsets and Penn tags; without a tagger the tags are empty."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from epitome.measures import Tagger

TOKEN = re.compile(r"\w+(?=n't\b)|n't\b|'(?:s|re|ve|ll|d|m)\b|\w+(?:[-.,:/]\w+)*|\S", re.IGNORECASE)
FINITE: Final = frozenset({"VBD", "VBP", "VBZ", "MD"})
SUBJECT: Final = frozenset({"DT", "PRP", "PRP$", "NN", "NNS", "NNP", "NNPS", "CD", "JJ", "EX", "JJS", "PDT", "JJR"})

RELATIVE: Final = frozenset({"WDT", "WP", "WP$"})
_SUBORDINATOR_WORDS = """
    if because since although though unless whereas while until whenever whether that
"""
SUBORDINATORS = frozenset(_SUBORDINATOR_WORDS.split())


@dataclass(frozen=True, slots=True)
class Token:
    """start, end: code points of the sentence, end exclusive. tag: "" without a tagger."""

    text: str
    start: int
    end: int
    tag: str

    @property
    def low(self) -> str:
        return self.text.lower()


Tagged = tuple[Token, ...]


def tag_all(texts: Sequence[str], tagger: Tagger | None) -> list[Tagged]:
    """The tokens of each text, tagged in a single call."""
    matches_by_text = [list(TOKEN.finditer(text)) for text in texts]
    words = [[match.group() for match in matches] for matches in matches_by_text]
    tags = tagger.tag(words) if tagger is not None else [[""] * len(text_words) for text_words in words]
    return [
        tuple(
            Token(match.group(), match.start(), match.end(), tag) for match, tag in zip(matches, text_tags, strict=True)
        )
        for matches, text_tags in zip(matches_by_text, tags, strict=True)
    ]


def has_clause(tokens: Sequence[Token]) -> bool:
    """Whether a subject is before a finite verb that is not a relative clause's, and, where the sentence begins
    with "if" or "because", a comma between. True where nothing is tagged."""
    if not any(token.tag for token in tokens):
        return True
    if tokens[0].low in SUBORDINATORS and tokens[0].tag in ("IN", "WRB", "RB"):
        comma = next((index for index, token in enumerate(tokens) if token.text == "," and index > 2), None)
        return comma is not None and has_clause(tokens[comma + 1 :])
    subject = relative = False
    for token in tokens:
        if token.tag in RELATIVE and subject:
            relative = True
        elif token.tag in FINITE:
            if subject and not relative:
                return True
            relative = False
        elif token.tag in SUBJECT:
            subject = True
    return False

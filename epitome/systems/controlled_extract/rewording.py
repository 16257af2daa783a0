"""Phrase replacements that are valid in any sentence, to reduce copying. Applied from left to right only."""

import re
from typing import Final

PHRASES: Final = {
    "in order to": "to",
    "due to": "because of",
    "at the moment": "now",
    "at this point": "now",
    "right now": "now",
    "prior to": "before",
    "is able to": "can",
    "are able to": "can",
    "was able to": "could",
    "were able to": "could",
    "wanna": "want to",
    "took place": "happened",
    "find out": "learn",
    "found out": "learned",
    "pointed out": "noted",
    "make sure": "ensure",
    "makes sure": "ensures",
    "made sure": "ensured",
    "each other": "one another",
    "as soon as": "once",
    "across the country": "nationwide",
    "around the world": "worldwide",
    "so far": "until now",
    "as well as": "and also",
    "such as": "like",
    "because": "since",
    "because of": "owing to",
    "maybe": "perhaps",
    "nearly": "almost",
    "numerous": "many",
    "bought": "purchased",
    "began": "started",
    "kids": "children",
    "guys": "people",
    "don't": "do not",
    "doesn't": "does not",
    "didn't": "did not",
    "isn't": "is not",
    "aren't": "are not",
    "wasn't": "was not",
    "weren't": "were not",
    "can't": "cannot",
    "couldn't": "could not",
    "won't": "will not",
    "wouldn't": "would not",
    "shouldn't": "should not",
    "haven't": "have not",
    "hasn't": "has not",
    "hadn't": "had not",
    "it's": "it is",
    "that's": "that is",
    "there's": "there is",
    "they're": "they are",
    "they've": "they have",
    "they'll": "they will",
    "we're": "we are",
    "you're": "you are",
    "per cent": "percent",
}
_ANY = re.compile(
    r"\b(?<!['-])(" + "|".join(sorted(map(re.escape, PHRASES), key=len, reverse=True)) + r")\b(?!['-])", re.IGNORECASE
)


def replace_phrases(text: str) -> str:
    """The text with known phrases replaced; quoted text is unchanged."""
    chunks = re.split(r"(\"[^\"]*\"|“[^”]*”)", text)
    return "".join(chunk if chunk[:1] in '"“' and chunk else _ANY.sub(_replacement_for, chunk) for chunk in chunks)


def _replacement_for(match: re.Match[str]) -> str:
    word = PHRASES[match[0].lower()]
    return word[0].upper() + word[1:] if match[0][0].isupper() else word

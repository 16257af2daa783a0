"""Content tokens of a text."""

import string
from typing import Final

from annotation.measures.length import split_tokens
from annotation.measures.stopwords import STOP_WORDS
from annotation.measures.values import Profile

_IGNORED: Final = STOP_WORDS | set(string.punctuation) | {"disfmarker", "vocalsound"}


def content_tokens(text: str, profile: Profile = "release") -> list[str]:
    """The tokens in lower case, without stop words, single punctuation marks and two marks of meeting transcripts."""
    return [token for token in map(str.lower, split_tokens(text, profile)) if token not in _IGNORED]

"""Content tokens of a text."""

import string
from typing import Final

from epitome.measures.length import split_tokens
from epitome.measures.stopwords import STOP_WORDS
from epitome.measures.values import Profile
from epitome.text.sentences import MARKS
from epitome.text.unspaced import has_unspaced, is_mark

_IGNORED: Final = STOP_WORDS | set(string.punctuation) | set(MARKS) | {"disfmarker", "vocalsound"}


def content_tokens(text: str, profile: Profile = "release") -> list[str]:
    """The tokens in lower case, without stop words, single punctuation marks and two marks of meeting transcripts; in
    Chinese, Japanese, Thai and the like without any mark."""
    tokens = [token for token in map(str.lower, split_tokens(text, profile)) if token not in _IGNORED]
    return [token for token in tokens if not is_mark(token)] if has_unspaced(text) else tokens

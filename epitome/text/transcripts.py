"""A transcript's turn as people read it: without the transcriber's marks, punctuation next to its word.

Only what is shown changes. What is stored, measured, exported and given to systems is the text as it was imported;
static/js/shown-text.js does the same in the browser and keeps the place of every character.
"""

import re

# {vocalsound}, {disfmarker}, [laughter]: as epitome/candidates leaves them out.
_MARK = re.compile(
    r"\{[a-z]+(?:[ _-][a-z]+)*\}"
    r"|\[(?:inaudible|unintelligible|laugh(?:ter|s)?|cross-?talk|applause|pause)\b[^\]\n]{0,20}\]",
    re.IGNORECASE,
)
_SPACES = re.compile(r"\s+")
_SPACE_BEFORE_PUNCTUATION = re.compile(
    r" (?=[,.?!;:](?:[ ,.?!;:]|$)|(?:n['’]t|['’](?:s|m|re|ve|ll|d))(?![^\W_]))", re.IGNORECASE
)
_LONELY_COMMA = re.compile(r"^(?:[,;:]+|\.(?= )) ?|[,;:]+(?=[.?!,;:])")


def clean_turn(text: str) -> str:
    """The turn as it is shown; the text itself where nothing else would be left."""
    shown = _SPACES.sub(" ", _MARK.sub("", text)).strip(" ")
    shown = _LONELY_COMMA.sub("", _SPACE_BEFORE_PUNCTUATION.sub("", shown))
    return shown or text

"""Which script a text is in, as far as numbers that are defined for English need to know."""

import re

_LATIN = re.compile("[A-Za-zªºÀ-ÖØ-öø-ʯḀ-ỿⱠ-ⱿꜢ-ꟿ\uff21-\uff3a\uff41-\uff5a]")
OTHER_SCRIPT = "the text is in another script than English"


def is_latin(text: str) -> bool:
    """Whether three quarters of the text's letters are Latin, so that a few names in another script do not count; True
    for a text without letters."""
    if text.isascii():
        return True
    return 4 * len(_LATIN.findall(text)) >= 3 * sum(map(str.isalpha, text))

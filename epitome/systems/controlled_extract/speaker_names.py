"""How a summary names a speaker and introduces what they said."""

import re
from typing import Final, Literal

Mode = Literal["plain", "that", "subject", "quote"]
"""The sentence unchanged; after "... said that"; with the speaker as subject; in quotation marks."""

_ROLE_WORDS: Final = """
    manager designer expert professor chair chairman chairwoman chairperson secretary minister engineer
    interviewer interviewee moderator president director officer clerk host guest doctor patient agent customer
    student teacher analyst operator developer researcher lawyer judge witness speaker
"""
_ROLES: Final = frozenset(_ROLE_WORDS.split())
_BRACKETS = re.compile(r"\s*\([^()]*\)")


def name_of(speaker: str, *, start: bool) -> str:
    """The speaker as written; a role gets an article ("the Project Manager"), brackets are left out."""
    name = " ".join(_BRACKETS.sub("", speaker).split()) or " ".join(speaker.split())
    last = name.split()[-1].lower() if name else ""
    if last in _ROLES and not name.lower().startswith(("the ", "mr", "mrs", "ms", "dr")) and len(name.split()) <= 3:
        return f"{'The' if start else 'the'} {name}"
    return name


def build_lead(speaker: str, mode: Mode, *, joined: bool, again: bool, asks: bool = False) -> str:
    """The words before a sentence. joined: it continues the previous sentence. again: it has the same speaker."""
    name = name_of(speaker, start=not joined)
    if mode == "plain":
        return ", and" if joined else ""
    if mode == "quote":
        return f"{name} {'asked' if asks else 'added' if again else 'said'},"
    if mode == "subject":
        return name if not joined else ", and" if again else f", while {name}"
    if joined:
        return ", and that" if again else f", while {name} said that"
    return f"{name} {'added' if again else 'said'} that"

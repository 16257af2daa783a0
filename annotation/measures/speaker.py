"""Speaker (Spk): how much of a summary's wording comes from the speakers it was asked to be about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from annotation.measures.content import content_tokens
from annotation.measures.names import as_list
from annotation.measures.source import SourceIndex
from annotation.measures.values import Profile, Value


def speaker_share(text: str, speakers: Sequence[str] | str, source: SourceIndex, profile: Profile = "release") -> Value:
    """f_Spk: share of the text's content tokens that occur in what the speakers said, 0 to 1; 0 for an empty text.

    Content tokens: lower case, no stop words, no punctuation marks. Undefined where no speaker was asked for.
    release: as the authors' released code reads a source, see `said_in_chunks`. literal: the speakers' own turns.
    """
    if not (names := as_list(speakers)):
        return Value.none("no speaker requested")
    own = content_tokens(text)
    if not own:
        return Value.of(0.0)
    said = said_in_chunks(names, source) if profile == "release" else said_in_turns(names, source)
    return Value.of(sum(token in said for token in own) / len(own))


def said_in_chunks(speakers: Sequence[str], source: SourceIndex) -> set[str]:
    """Content tokens after each colon whose text before it, back to the colon before that, names a speaker.

    So a turn brings the name of the next speaker along, a speaker who is only mentioned brings the turn that follows,
    and a name with a comma in it counts as several. The published numbers were made this way.
    """
    names = [name.strip() for name in re.split("[,;:]", ",".join(speakers).lower()) if name.strip()]
    found: set[str] = set()
    for number, chunk in enumerate(source.chunks[:-1]):
        low = chunk.lower()
        if any(name in low for name in names):
            found |= source.chunk_tokens(number + 1)
    return found


def said_in_turns(speakers: Sequence[str], source: SourceIndex) -> set[str]:
    """Content tokens of the speakers' own turns; names are compared by their letters and digits, case-free."""
    wanted = {_bare(name) for name in speakers}
    found: set[str] = set()
    for number, speaker in enumerate(source.speakers):
        if speaker and _bare(speaker) in wanted:
            found |= source.turn_tokens(number)
    return found


def _bare(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))

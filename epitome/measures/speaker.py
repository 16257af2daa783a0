"""Speaker (Spk): how much of a summary's wording comes from the requested speakers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from epitome.measures.content_tokens import content_tokens
from epitome.measures.requested_names import parse_names
from epitome.measures.source import SourceIndex
from epitome.measures.values import Profile, Value


def speaker_share(text: str, speakers: Sequence[str] | str, source: SourceIndex, profile: Profile = "release") -> Value:
    """f_Spk: share of the text's content tokens that occur in what the speakers said, 0 to 1; 0 for an empty text.

    Content tokens: lower case, no stop words, no punctuation marks. Undefined where no speaker was requested.
    release: as the authors' released code reads a source, see `collect_chunk_tokens`. literal: the speakers' own turns.
    """
    if not (names := parse_names(speakers)):
        return Value.none("no speaker requested")
    summary_tokens = content_tokens(text, profile)
    if not summary_tokens:
        return Value.of(0.0)
    spoken_tokens = collect_chunk_tokens(names, source) if profile == "release" else collect_turn_tokens(names, source)
    return Value.of(sum(token in spoken_tokens for token in summary_tokens) / len(summary_tokens))


def collect_chunk_tokens(speakers: Sequence[str], source: SourceIndex) -> set[str]:
    """Content tokens of each chunk (text between two colons) whose previous chunk names a speaker.

    So a turn includes the name of the next speaker, a speaker who is only mentioned adds the turn that follows,
    and a name with a comma in it counts as several. The published numbers were computed this way.
    """
    names = [name.strip() for name in re.split("[,;:]", ",".join(speakers).lower()) if name.strip()]
    spoken_tokens: set[str] = set()
    for index, chunk in enumerate(source.chunks[:-1]):
        lowered = chunk.lower()
        if any(name in lowered for name in names):
            spoken_tokens |= source.chunk_tokens(index + 1)
    return spoken_tokens


def collect_turn_tokens(speakers: Sequence[str], source: SourceIndex) -> set[str]:
    """Content tokens of the speakers' own turns; names are compared by their letters and digits, case-free."""
    requested_names = {_normalize_name(name) for name in speakers}
    spoken_tokens: set[str] = set()
    for index, speaker in enumerate(source.speakers):
        if speaker and _normalize_name(speaker) in requested_names:
            spoken_tokens |= source.turn_tokens(index)
    return spoken_tokens


def _normalize_name(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))

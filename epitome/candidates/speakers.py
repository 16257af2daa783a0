"""The speakers of a source."""

from dataclasses import dataclass

from epitome.candidates.protocol import Segments
from epitome.text.words import n_words


@dataclass(frozen=True, slots=True)
class SpeakerCandidate:
    """A speaker as written in the source, with the number of turns and words (white-space tokens)."""

    text: str
    turns: int
    words: int
    rank: int


def list_speakers(segments: Segments) -> list[SpeakerCandidate]:
    """All speakers in order of appearance; names that differ in any character are different speakers.

    Segments without a speaker, as in documents, are skipped.
    """
    counts_by_speaker: dict[str, list[int]] = {}
    for segment in segments:
        speaker = segment.get("speaker") or ""
        if speaker:
            counts_by_speaker.setdefault(speaker, []).append(n_words(segment["text"]))
    return [
        SpeakerCandidate(text=speaker, turns=len(counts), words=sum(counts), rank=rank)
        for rank, (speaker, counts) in enumerate(counts_by_speaker.items(), start=1)
    ]

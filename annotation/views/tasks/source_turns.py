"""The numbered segments of a source, as the pages of tasks and of ratings show them, and the line above them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import ngettext

from annotation.services.core.word_patterns import join_names
from epitome.figures.numbers import format_count

N_COLOURS = 8
Segments = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Turn:
    """One numbered segment; `same`: same speaker as in the previous segment; `opens`: another speaker than there."""

    text: str
    speaker: str = ""
    colour: int = 0
    same: bool = False
    opens: bool = False
    label: str = ""


def colour_speakers(segments: Segments) -> dict[str, int]:
    """speaker -> colour, in order of first appearance; the colours repeat after eight. Empty where nobody speaks."""
    names = dict.fromkeys(segment["speaker"] for segment in segments if segment.get("speaker"))
    return {name: 1 + i % N_COLOURS for i, name in enumerate(names)}


def build_turns(segments: Segments, label_turn: Callable[[int, str], str] = lambda _number, _speaker: "") -> list[Turn]:
    """label_turn: what a turn is called aloud, from its number and speaker."""
    colours = colour_speakers(segments)
    turns: list[Turn] = []
    previous_speaker = None
    for number, segment in enumerate(segments, 1):
        speaker = segment.get("speaker") or ""
        same = bool(colours) and speaker == previous_speaker
        opens = bool(colours) and bool(turns) and not same
        label = label_turn(number, speaker)
        turns.append(Turn(segment["text"], speaker, colours.get(speaker, 0), same, opens, label))
        previous_speaker = speaker
    return turns


def describe_size(n_segments: int, n_words: int, *, is_dialogue: bool, n_speakers: int = 0) -> str:
    """The length of a source in words of the page. n_speakers: 0 where they are not to be counted."""
    if is_dialogue:
        counts = [ngettext("%(n)s turn", "%(n)s turns", n_segments) % {"n": n_segments}]
    else:
        counts = [ngettext("%(n)s segment", "%(n)s segments", n_segments) % {"n": n_segments}]
    if n_speakers:
        counts.append(ngettext("%(n)s speaker", "%(n)s speakers", n_speakers) % {"n": n_speakers})
    counts.append(ngettext("%(n)s word", "%(n)s words", n_words) % {"n": format_count(n_words)})
    return join_names(counts)

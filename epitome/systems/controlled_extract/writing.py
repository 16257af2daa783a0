"""Chosen sentences -> the text of a summary."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from epitome.systems.controlled_extract.speaker_names import build_lead
from epitome.systems.controlled_extract.variants import Variant


@dataclass(frozen=True, slots=True)
class Item:
    """One chosen variant. joined: it continues the previous sentence."""

    variant: Variant
    joined: bool = False


def may_join(first: Variant, second: Variant) -> bool:
    """Whether two variants can form one sentence: no quotes, and both plain or both reported."""
    modes = {first.mode, second.mode}
    if first.text.endswith(('"', "”")):
        return False
    return "quote" not in modes and (modes == {"plain"} or "plain" not in modes) and bool(first.mark and second.mark)


@dataclass(frozen=True, slots=True)
class Stretch:
    """What one item adds to the summary: the words before its text, its text, whether it begins a sentence."""

    lead: str
    text: str
    starts: bool


def write_stretch(items: Sequence[Item], place: int) -> Stretch:
    """The item with what its neighbours ask of it."""
    item, previous = items[place], items[place - 1] if place else None
    variant = item.variant
    joined = item.joined and previous is not None
    speaker = variant.sentence.speaker
    again = previous is not None and speaker == previous.variant.sentence.speaker
    words = build_lead(speaker, variant.mode, joined=joined, again=again, asks=variant.text.endswith('?"'))
    if joined and previous is not None and variant.mode == "plain" and not _is_adjacent(previous.variant, variant):
        words = ";"
    return Stretch(words, variant.after_lead() if joined else variant.text, not joined)


def list_stretches(items: Sequence[Item]) -> Iterator[Stretch]:
    """The stretch of each item."""
    return (write_stretch(items, index) for index in range(len(items)))


def _is_adjacent(first: Variant, second: Variant) -> bool:
    return first.sentence.number == second.sentence.number - 1


def write_summary(items: Sequence[Item]) -> str:
    """The summary: capitalized sentences with final marks, separated by single spaces."""
    sentences: list[str] = []
    for stretch, item in zip(list_stretches(items), items, strict=True):
        if stretch.starts:
            sentences.append(f"{stretch.lead} {stretch.text}".strip() + item.variant.mark)
        else:
            sentences[-1] = f"{sentences[-1].rstrip('.')}{stretch.lead} {stretch.text}{item.variant.mark}"
    return " ".join(finish_sentence(sentence) for sentence in sentences)


def finish_sentence(sentence: str) -> str:
    """The sentence capitalized, with doubled final marks merged."""
    text = sentence[:1].upper() + sentence[1:]
    while text.endswith((",.", ";.", ":.", "-.", "–.", "—.", " .", "..")):
        text = text[:-2].rstrip() + "."
    for double in ('.".', '?".', '!".', ".”.", "?”.", "!”.", "?.", "!."):
        if text.endswith(double):
            return text[:-1]
    return text

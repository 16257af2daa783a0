"""Chosen sentences -> the text of a summary."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from modelbridge.systems.controlled_extract.speaker_names import build_lead
from modelbridge.systems.controlled_extract.variants import Variant


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


def list_stretches(items: Sequence[Item]) -> Iterator[tuple[str, str, bool]]:
    """(lead, text, whether it begins a sentence) of each item."""
    speaker = ""
    for place, item in enumerate(items):
        variant = item.variant
        current_speaker = variant.sentence.speaker
        joined = item.joined and place > 0
        again = place > 0 and current_speaker == speaker
        words = build_lead(current_speaker, variant.mode, joined=joined, again=again, asks=variant.text.endswith('?"'))
        if joined and variant.mode == "plain" and not _is_adjacent(items[place - 1].variant, variant):
            words = ";"
        yield words, variant.after_lead() if joined else variant.text, not joined
        speaker = current_speaker


def _is_adjacent(first: Variant, second: Variant) -> bool:
    return first.sentence.number == second.sentence.number - 1


def write_summary(items: Sequence[Item]) -> str:
    """The summary: capitalized sentences with final marks, separated by single spaces."""
    sentences: list[str] = []
    for (words, text, starts), item in zip(list_stretches(items), items, strict=True):
        if starts:
            sentences.append(f"{words} {text}".strip() + item.variant.mark)
        else:
            sentences[-1] = f"{sentences[-1].rstrip('.')}{words} {text}{item.variant.mark}"
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

"""Chosen sentences -> the text of a summary."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from modelbridge.systems.controlled_extract.naming import lead
from modelbridge.systems.controlled_extract.variants import Variant


@dataclass(frozen=True, slots=True)
class Item:
    """One chosen form. joined: it goes on the sentence before it."""

    variant: Variant
    joined: bool = False


def may_join(before: Variant, after: Variant) -> bool:
    """Whether two forms can be one sentence: no quotes, and a tale goes on a tale."""
    modes = {before.mode, after.mode}
    return "quote" not in modes and (modes == {"plain"} or "plain" not in modes) and bool(before.mark and after.mark)


def stretches(items: Sequence[Item]) -> Iterator[tuple[str, str, bool]]:
    """(lead, text, whether it begins a sentence) of each item."""
    speaker = ""
    for place, item in enumerate(items):
        variant = item.variant
        own = variant.sentence.speaker
        joined = item.joined and place > 0
        again = place > 0 and own == speaker
        words = lead(own, variant.mode, joined=joined, again=again, asks=variant.text.endswith('?"'))
        if joined and variant.mode == "plain" and not _next_to(items[place - 1].variant, variant):
            words = ";"
        yield words, variant.after_lead() if joined else variant.text, not joined
        speaker = own


def _next_to(before: Variant, after: Variant) -> bool:
    return before.sentence.number == after.sentence.number - 1


def write(items: Sequence[Item]) -> str:
    """The summary: sentences with a capital and a final mark, one blank between them."""
    sentences: list[str] = []
    for (words, text, starts), item in zip(stretches(items), items, strict=True):
        if starts:
            sentences.append(f"{words} {text}".strip() + item.variant.mark)
        else:
            sentences[-1] = f"{sentences[-1].rstrip('.')}{words} {text}{item.variant.mark}"
    return " ".join(finished(each) for each in sentences)


def finished(sentence: str) -> str:
    """With a capital, and a full stop where no other mark ends it."""
    text = sentence[:1].upper() + sentence[1:]
    while text.endswith((",.", ";.", ":.", "-.", "–.", "—.", " .", "..")):
        text = text[:-2].rstrip() + "."
    for double in ('.".', '?".', '!".', ".”.", "?”.", "!”.", "?.", "!."):
        if text.endswith(double):
            return text[:-1]
    return text

"""The forms in which one sentence of the source may stand in a summary."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from modelbridge.systems.controlled_extract.compressing import Reading, readings
from modelbridge.systems.controlled_extract.naming import Mode
from modelbridge.systems.controlled_extract.reporting import opening_verb, reported
from modelbridge.systems.controlled_extract.rewording import reworded
from modelbridge.systems.controlled_extract.sentences import Sentence
from modelbridge.systems.controlled_extract.tagging import FINITE, RELATIVE, Tagged, has_clause

_THINKS = re.compile(r"^(?:I (?:think|guess|mean|believe|suppose|say)(?: that)?|I'd say(?: that)?),? ", re.IGNORECASE)
_NO_START = frozenset({"VB", "VBG", "VBN", "VBP", "VBD", "VBZ", "CC", "UH", "MD", "TO", "."})
_KEEPS_CASE = re.compile(r"^(?:I\b|[A-Z][a-z]*[A-Z]|[A-Z]{2,}|\w*\d)")


@dataclass(frozen=True, slots=True)
class Variant:
    """text: without its final mark; what follows a lead begins with a small letter. cost: how far from the source's
    own sentence, 0 or more."""

    sentence: Sentence
    text: str
    mode: Mode
    cost: float
    mark: str = "."
    inner: str = ""

    def after_lead(self) -> str:
        """The text as it goes on another sentence."""
        return self.inner or self.text


def variants(sentence: Sentence, tokens: Tagged, *, english: bool) -> list[Variant]:
    """All forms of a sentence, the plainest first, without doubles."""
    if english and not (_stands(tokens) if sentence.speaker else has_clause(tokens)):
        return []
    made = _forms(sentence, tokens) if english else [Variant(sentence, sentence.text.rstrip(" ."), "plain", 0.0)]
    found: dict[tuple[str, Mode], Variant] = {}
    for variant in made:
        if variant.text:
            found.setdefault((variant.text, variant.mode), variant)
    return list(found.values())


def as_it_is(sentence: Sentence) -> Variant:
    """The words as they are, quoted where somebody spoke them."""
    if sentence.speaker:
        return Variant(sentence, f'"{sentence.text}"', "quote", 0.2, "")
    return Variant(sentence, sentence.text.rstrip(" ."), "plain", 0.0)


def _stands(tokens: Tagged) -> bool:
    """Whether what was spoken is a sentence with a subject, not an order or a scrap. True where nothing is tagged."""
    asks = len(tokens) > 1 and tokens[0].tag in RELATIVE | {"WRB"} and tokens[1].tag in FINITE
    return bool(tokens) and has_clause(tokens) and tokens[0].tag not in _NO_START and not asks


def _forms(sentence: Sentence, tokens: Tagged) -> Iterator[Variant]:
    for reading in readings(sentence.text, tokens):
        cost = 0.3 * (1 - reading.kept)
        if sentence.speaker:
            yield from _told(sentence, tokens, reading, cost)
        else:
            for text, more in ((reading.text, 0.0), (reworded(reading.text), 0.02)):
                yield Variant(sentence, text, "plain", cost + more, inner=lowered(text, tokens))


def _told(sentence: Sentence, tokens: Tagged, reading: Reading, cost: float) -> Iterator[Variant]:
    """A quote, and, unless it is a question, reported speech."""
    mark = sentence.text[-1] if sentence.text[-1] in "?!" else "."
    if not set(reading.text) & set('"“”'):
        yield Variant(sentence, f'"{reading.text}{mark}"', "quote", cost + 0.05, "")
    if mark == "?" or reading.text.endswith(('"', "?")):
        return
    own = reading.text.startswith("I ") and opening_verb(tokens) and sentence.text.startswith("I ")
    thought = _THINKS.match(reading.text)
    if own and not thought:
        # "I want ..." -> "wanted ...": the speaker's name takes the place of the pronoun.
        told = reported(sentence.text, tokens, reading.text, past=True)
        text = _singular(told.removeprefix("They ").removeprefix("they "))
        yield Variant(sentence, text, "subject", cost)
        yield Variant(sentence, reworded(text), "subject", cost + 0.02)
    kept = reading.text[thought.end() :] if thought else reading.text
    text = reported(sentence.text, tokens, kept, past=True)
    yield Variant(sentence, lowered(text, tokens), "that", cost)
    yield Variant(sentence, reworded(lowered(text, tokens)), "that", cost + 0.02)


def _singular(text: str) -> str:
    """After a name in place of "they": "were" is "was"."""
    return "was" + text[4:] if re.match(r"were\b", text) else text


def lowered(text: str, tokens: Tagged) -> str:
    """The first letter small, unless it begins a name or an abbreviation."""
    first = re.match(r"[\w'’-]+", text)
    if first is None or _KEEPS_CASE.match(text):
        return text
    tags = {token.tag for token in tokens if token.text == first[0]}
    names = bool(tags) and all(tag in ("NNP", "NNPS") for tag in tags)
    return text if names else text[:1].lower() + text[1:]

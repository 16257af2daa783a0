"""The variants of a source sentence that can be used in a summary."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from epitome.systems.controlled_extract.compressing import Reading, list_readings
from epitome.systems.controlled_extract.letter_case import PLAIN_CASING, Casing
from epitome.systems.controlled_extract.reporting import opens_with_i_and_verb, to_reported_speech
from epitome.systems.controlled_extract.rewording import replace_phrases
from epitome.systems.controlled_extract.sentences import Sentence
from epitome.systems.controlled_extract.speaker_names import Mode
from epitome.systems.controlled_extract.tagging import FINITE, RELATIVE, Tagged, has_clause

_THINKS = re.compile(r"^(?:I (?:think|guess|mean|believe|suppose|say)(?: that)?|I'd say(?: that)?),? ", re.IGNORECASE)
_NO_START = frozenset({"VB", "VBG", "VBN", "VBP", "VBD", "VBZ", "CC", "UH", "MD", "TO", "."})
_KEEPS_CASE = re.compile(r"^(?:I\b|[A-Z][a-z]*[A-Z]|[A-Z]{2,}|\w*\d|[A-Z][a-z]{0,5}\.\s?[A-Z])")


@dataclass(frozen=True, slots=True)
class Variant:
    """text: without its final mark, in lower case after a lead. cost: distance from the source's own sentence, 0 or
    more."""

    sentence: Sentence
    text: str
    mode: Mode
    cost: float
    mark: str = "."
    inner: str = ""

    def after_lead(self) -> str:
        """The text as a continuation of another sentence."""
        return self.inner or self.text


def list_variants(sentence: Sentence, tokens: Tagged, *, english: bool, casing: Casing = PLAIN_CASING) -> list[Variant]:
    """All variants of a sentence, plainest first, without duplicates. casing: how the source writes its words."""
    if english and not (_is_full_sentence(tokens) if sentence.speaker else has_clause(tokens)):
        return []
    forms = (
        _build_forms(sentence, tokens, casing)
        if english
        else [Variant(sentence, sentence.text.rstrip(" ."), "plain", 0.0)]
    )
    unique_forms: dict[tuple[str, Mode], Variant] = {}
    for variant in forms:
        if variant.text:
            unique_forms.setdefault((variant.text, variant.mode), variant)
    return list(unique_forms.values())


def unchanged_variant(sentence: Sentence) -> Variant:
    """The unchanged sentence, quoted if it was spoken."""
    if sentence.speaker:
        return Variant(sentence, f'"{sentence.text}"', "quote", 0.2, "")
    return Variant(sentence, sentence.text.rstrip(" ."), "plain", 0.0)


def _is_full_sentence(tokens: Tagged) -> bool:
    """Whether a spoken text is a full sentence with a subject, not a command, question or fragment."""
    asks = len(tokens) > 1 and tokens[0].tag in RELATIVE | {"WRB"} and tokens[1].tag in FINITE
    return bool(tokens) and has_clause(tokens) and tokens[0].tag not in _NO_START and not asks


def _build_forms(sentence: Sentence, tokens: Tagged, casing: Casing) -> Iterator[Variant]:
    for reading in list_readings(sentence.text, tokens):
        cost = 0.3 * (1 - reading.share)
        if sentence.speaker:
            yield from _spoken_forms(sentence, tokens, reading, cost, casing)
        else:
            for text, more in ((reading.text, 0.0), (replace_phrases(reading.text), 0.02)):
                yield Variant(sentence, text, "plain", cost + more, inner=lower_first_letter(text, tokens, casing))


def _spoken_forms(
    sentence: Sentence, tokens: Tagged, reading: Reading, cost: float, casing: Casing
) -> Iterator[Variant]:
    """A quote, and, unless it is a question, reported speech."""
    mark = sentence.text[-1] if sentence.text[-1] in "?!" else "."
    if not set(reading.text) & set('"“”'):
        yield Variant(sentence, f'"{reading.text}{mark}"', "quote", cost + 0.05, "")
    if mark == "?" or reading.text.endswith(('"', "?")):
        return
    is_subject = reading.text.startswith("I ") and opens_with_i_and_verb(tokens) and sentence.text.startswith("I ")
    thought = _THINKS.match(reading.text)
    if is_subject and not thought:
        # "I want ..." -> "wanted ...": the speaker's name takes the place of the pronoun.
        reported_text = to_reported_speech(sentence.text, tokens, reading.text, past=True)
        text = _to_singular(reported_text.removeprefix("They ").removeprefix("they "))
        yield Variant(sentence, text, "subject", cost)
        yield Variant(sentence, replace_phrases(text), "subject", cost + 0.02)
    statement = reading.text[thought.end() :] if thought else reading.text
    text = to_reported_speech(sentence.text, tokens, statement, past=True)
    lowered = lower_first_letter(text, tokens, casing)
    yield Variant(sentence, lowered, "that", cost)
    yield Variant(sentence, replace_phrases(lowered), "that", cost + 0.02)


def _to_singular(text: str) -> str:
    """Change a leading "were" to "was", for a name in place of "they"."""
    return "was" + text[4:] if re.match(r"were\b", text) else text


def lower_first_letter(text: str, tokens: Tagged, casing: Casing = PLAIN_CASING) -> str:
    """The text with its first letter in lower case, unless it begins a name or an abbreviation."""
    first = re.match(r"[\w-]+", text)
    if first is None or _KEEPS_CASE.match(text):
        return text
    tags = {token.tag for token in tokens if token.text == first[0]}
    tag = "NNP" if tags and tags <= {"NNP", "NNPS"} else next(iter(tags)) if len(tags) == 1 else ""
    return text if casing.keeps_capital(first[0], tag) else text[:1].lower() + text[1:]

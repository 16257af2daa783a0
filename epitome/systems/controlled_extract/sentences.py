"""The sentences of a source that can be used in a summary: a document's own, or cleaned spoken ones of a dialogue."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from epitome.measures import Domain
from epitome.systems.controlled_extract.compressing import ends_mid_phrase
from epitome.systems.controlled_extract.spoken import spoken_sentences
from epitome.text.sentences import split_sentences

_DATELINE = re.compile(
    r"^(?:[A-Z][\w.,' ]{0,40}\s)?\((?:CNN|AP|Reuters|CNN Student News|[A-Z]{2,5})\)\s*(?:--|–|—|-)?\s*"
)
_LIST = re.compile(r"^(?:\d+[.)]|[•*·-])\s*")
_DANGLING = re.compile(
    r"^(?:it|this|that|these|those|he|she|they|him|her|his|their|such|there|one|another|both|here|its|the same"
    r"|which|who)\b",
    re.IGNORECASE,
)
_HEADING = re.compile(r"(?:How|Why|What|Where|Who|When) \w+ (?:\w+ )?(?:are|is|was|were|\w+s)\b(?!.*,)|People we'")
"""A link to another text: "How ISIS makes money"."""
_OWN = re.compile(r"(?<!War )\b(?:I|we|my|our|me|us|you|your)\b")
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”")
_BOILERPLATE = re.compile(
    r"contributed to this (?:report|story)|all rights reserved|click here|read more|follow us|copyright|\bsee also\b"
    r"|opinions expressed|sign up for|e-?mail to a friend|www\.|https?:",
    re.IGNORECASE,
)
_SAYS = re.compile(r"^([A-Z][\w.' -]{2,40}: \"[^\"]+)$")  # an interview: the quote continues in the next sentence
_RESTARTED = re.compile(r"\b(they|we|I|he|she|it) (\w+)(?: \w+){1,3},? \1 \2\b", re.IGNORECASE)
"""One subject and verb twice in a few words: a speaker who looks for the right words."""
_GLUED = re.compile(r"\b[a-z]+'(?!\w{1,2}\b)[a-z]{3,}")
"""Two words around an apostrophe: "haven'thought"."""
SPOKEN_MAX_WORDS, WRITTEN_MAX_WORDS = 45, 60
MIN_WORDS = 5
FIRST_PERSON = 0.5
"""The flaw of a written sentence in the first or second person: a summary does not say who speaks."""
RUN_ON = 26
"""More words than this without a comma make speech hard to follow."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """number: its index among all. segment: where it begins. flaw: 0 (reads well by itself) or more. leans: whether it
    begins with a word that refers to the previous sentence ("it", "this")."""

    number: int
    segment: int
    speaker: str
    text: str
    flaw: float
    leans: bool


def source_sentences(segments: Sequence[Mapping[str, str]], domain: Domain) -> list[Sentence]:
    """All sentences that contain a word, in order. A turn may have several; a sentence that the source split at an
    abbreviation ("former Gov." + "Martin O'Malley") is rejoined."""
    if domain == "dialogue":
        rows = [
            (index, segment["speaker"], text, _spoken_flaw(text, broken))
            for index, segment in enumerate(segments)
            for text, broken in spoken_sentences(segment["text"])
        ]
    else:
        rows = [(number, "", text, _written_flaw(text)) for number, text in _join_cut_sentences(segments)]
    return [Sentence(index, *row, leans=bool(_DANGLING.match(row[2]))) for index, row in enumerate(rows)]


def _join_cut_sentences(segments: Sequence[Mapping[str, str]]) -> list[tuple[int, str]]:
    joined: list[tuple[int, str]] = []
    for index, segment in enumerate(segments):
        text = " ".join(segment["text"].split())
        if not any(map(str.isalnum, text)):
            continue
        if joined and _is_one_sentence(joined[-1][1], text):
            joined[-1] = (joined[-1][0], f"{joined[-1][1]} {text}")
        else:
            joined.append((index, text))
    joined = [(number, _SAYS.sub(r'\1"', text) if text.count('"') == 1 else text) for number, text in joined]
    return [(number, _LIST.sub("", _DATELINE.sub("", text)).strip() or text) for number, text in joined]


def _is_one_sentence(first: str, second: str) -> bool:
    """Whether the sentence splitter finds no boundary between two segments."""
    tail = first[-60:]
    border = len(tail)
    return tail[-1:] == "." and all(start <= border for start, _ in split_sentences(f"{tail} {second[:60]}")[-1:])


def _spoken_flaw(text: str, broken: bool) -> float:
    words = text.split()
    flaw = _common_flaw(text, len(words), SPOKEN_MAX_WORDS)
    if ends_mid_phrase(text):
        flaw += 1.0
    if broken:
        flaw += 0.6
    if max(len(phrase.split()) for phrase in re.split("[,;:]", text)) > RUN_ON:
        flaw += 0.3
    if text.endswith("?"):
        flaw += 0.5
    if _RESTARTED.search(text) or _GLUED.search(text):
        flaw += 0.9
    if "{" in text or "—" in text or "…" in text or "..." in text:
        flaw += 0.7
    short = sum(len(word.strip(".,'")) <= 1 and word.lower().strip(".,") not in ("i", "a") for word in words)
    return (
        flaw + 0.3 * short + (0.3 if text[-1] not in ".!?" else 0.0) + (0.2 if " you " in f" {text.lower()}" else 0.0)
    )


def _written_flaw(text: str) -> float:
    flaw = _common_flaw(text, len(text.split()), WRITTEN_MAX_WORDS)
    if text.count('"') % 2 or text.count("“") != text.count("”"):
        flaw += 1.0
    elif text[:1] in '"“' and text[-1:] in '"”':
        flaw += 0.4  # a quote without a speaker
    elif text[:1] in "\"“'":
        flaw += 0.2
    if _OWN.search(_QUOTED.sub("", text)):
        flaw += FIRST_PERSON
    if _HEADING.match(text) and not text.endswith("?"):
        flaw += 1.0
    if text[-1:] not in '.!?"”':
        flaw += 0.4
    return flaw + (0.3 if text.endswith(("?", '?"', ":")) else 0.0)


def _common_flaw(text: str, n_words: int, max_words: int) -> float:
    flaw = 1.0 if n_words < MIN_WORDS else 0.5 if n_words > max_words else 0.0
    return flaw + (0.3 if text[:1].islower() else 0.0)

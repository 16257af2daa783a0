"""Normalised answers: what two people wrote alike becomes the same text, and what names nothing is refused.

Rules and their order: the released code of Jumel, Louis, Cheung, "TESA: A Task in Entity Semantic Aggregation for
Abstractive Summarization", EMNLP 2020.
"""

import re
from collections.abc import Iterable

COPIED_SENTENCE = re.compile(r"^.*?\bare discussed\.", re.IGNORECASE | re.DOTALL)
NUMBERS = ("two", "three", "four", "five", "six")
NUMBER_ALONE = re.compile(
    r"[\d.,]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a dozen|both", re.IGNORECASE
)
REFUSED_WORDS = frozenset({"have", "are", "or", "and"})
REFUSED_ANSWERS = frozenset({"", "the", "na", "people", "areas", "organizations"})
PUNCTUATION = ".,;:!?\"'()[]\u2018\u2019\u201c\u201d"


def normalize_answer(text: str) -> str:
    """The answer as it is compared: "The two French cities." and "FRENCH CITIES" both give "french cities".

    A copied first sentence ("In this article, A and B are discussed.") goes, then a final full stop, capitals, a
    leading "the" and a leading number from two to six, each only if something remains. Runs of blanks count as one.
    """
    answer = COPIED_SENTENCE.sub("", text, count=1)
    words = answer.strip().rstrip(". \t\r\n").lower().split()
    if len(words) > 1 and words[0] == "the":
        del words[0]
    if len(words) > 1 and words[0] in NUMBERS:
        del words[0]
    return " ".join(words)


def is_conforming(normalized: str) -> bool:
    """Whether a normalised answer names something: no list ("and", "or", "/"), no sentence ("are", "have"), no number
    alone ("The two"), and more than the entities' type."""
    if normalized in REFUSED_ANSWERS or "/" in normalized or NUMBER_ALONE.fullmatch(normalized):
        return False
    return not REFUSED_WORDS.intersection(word.strip(PUNCTUATION) for word in normalized.split())


def normalize_answers(answers: Iterable[str]) -> list[str]:
    """The conforming answers of one person, normalised, each once, in the order in which they were written."""
    normalized = (normalize_answer(answer) for answer in answers)
    return list(dict.fromkeys(answer for answer in normalized if is_conforming(answer)))

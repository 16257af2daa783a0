"""What the lengths of a schema ask for on the texts of a draw, in words."""

from collections.abc import Iterator
from dataclasses import dataclass

from epitome.schema import Schema

FEWEST_WORDS = 8
"""Fewer words hardly make a sentence."""
SHORT_TEXT = 250
"""Words; below it, shares of a text ask for a few words only, and lengths are better given in words."""

WordRange = tuple[int, int | None]


@dataclass(frozen=True)
class AskedLength:
    """The words that a value asks for, both ends inclusive, no upper end as None. whole: of the median text, where all
    of it is relevant; marked: where one segment of mean length is; None where that makes no difference."""

    attribute: str
    value: str
    whole: WordRange
    marked: WordRange | None = None

    def fewest(self, median_words: int) -> int | None:
        """The most words that a request for the value can ask for, if they are too few; None where they are enough.
        Long texts do not count with one marked segment: more of them is relevant to a topic."""
        ranges = [self.whole] if median_words >= SHORT_TEXT or self.marked is None else [self.marked, self.whole]
        return next((high for _low, high in ranges if high is not None and high < FEWEST_WORDS), None)


def list_asked_lengths(
    schema: Schema, median_words: int, segment_words: float = 0.0, *, has_topics: bool = True
) -> Iterator[AskedLength]:
    """The lengths that a schema asks for, by attribute and value.

    median_words, segment_words: white-space words of the median text and of its mean segment; 0: unknown. has_topics:
    whether some samples ask for a topic or speaker, so that only what is marked is relevant.
    """
    for attribute in schema.sampled:
        for value in attribute.values:
            whole = attribute.band_words(value, median_words)
            if whole is not None:
                marked = attribute.band_words(value, round(segment_words)) if has_topics else None
                yield AskedLength(attribute.key, value, whole, marked if marked != whole else None)

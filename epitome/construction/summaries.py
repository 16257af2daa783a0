"""Which summaries make up each set: pure functions from papers and texts to summaries with the attributes they have.

A summary gets only the attributes that it was built for or that are read off its text; others are absent, so that
metrics and prompts leave them out. Source: CCSBench, section 3.3.
"""

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from epitome.construction.answers import CONCEPTUAL, EMPIRICAL
from epitome.measures.keywords import match_keywords

FOCUS_VALUES = {EMPIRICAL: "high", CONCEPTUAL: "low"}
ABSTRACT = "abstract"
LengthBin = Callable[[int], str]
"""Number of words between blanks -> value of the length attribute."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class BuiltSummary:
    """One summary of one set. key: identifies it within its step, so that nothing is built twice.

    origin: `abstract`, `rewrite:readability`, `rewrite:empirical`, `rewrite:conceptual` or `rewrite:compositional`.
    base: public id of the annotation that was rewritten, "" where it was not. rewrite: row id of the call that gave
    the text, 0 for none; aspect: which aspect of its answer.
    """

    key: str
    document: int
    text: str
    origin: str
    attributes: Mapping[str, Any]
    base: str = ""
    rewrite: int = 0
    aspect: str = ""
    prompt_hash: str = ""
    revision: str = ""


@dataclass(frozen=True)
class Pool:
    """Summaries to build from. keywords: document -> keywords of its paper."""

    summaries: Sequence[BuiltSummary]
    keywords: Mapping[int, Sequence[str]] = field(default_factory=dict)


def n_words(text: str) -> int:
    """Words between blanks, as the length bins count them."""
    return len(text.split())


def draw_sample(rows: Sequence[_T], n: int, seed: int, purpose: str, key: Callable[[_T], str]) -> list[_T]:
    """n of the rows (all, where there are no more), drawn with a seed; in the rows' order. It depends on the keys
    alone, which must differ, not on the rows' order."""
    if n >= len(rows):
        return list(rows)
    keys = sorted(map(key, rows))
    drawn = set(random.Random(f"{seed}:{purpose}").sample(keys, n))
    return [row for row in rows if key(row) in drawn]


def find_keywords(text: str, keywords: Sequence[str], *, exact: bool = False) -> list[str]:
    """The keywords that a text has: side by side and in order, in any case, by Porter stems as SR compares them; exact:
    letter for letter but for case and blanks."""
    if exact:
        return [keyword for keyword in keywords if _has_exactly(text, keyword)]
    return [keyword for keyword, hit in zip(keywords, match_keywords(text, keywords), strict=True) if hit]


def _has_exactly(text: str, keyword: str) -> bool:
    words = r"\s+".join(re.escape(word) for word in keyword.casefold().split())
    return bool(words) and re.search(rf"(?<!\w){words}(?!\w)", text.casefold()) is not None


def build_length(pool: Pool, length_bin: LengthBin, *, n: int, seed: int) -> list[BuiltSummary]:
    """n summaries of the pool, each asked for its own length and nothing else."""
    drawn = draw_sample(pool.summaries, n, seed, "length", lambda row: row.key)
    return [replace(row, attributes={"length": length_bin(n_words(row.text))}) for row in drawn]


def build_compositional(
    pool: Pool, length_bin: LengthBin, *, n: int, seed: int, purpose: str, keyword_share: float, exact: bool = False
) -> list[BuiltSummary]:
    """Train and dev: n summaries of the pool with what they were built for (readability or focus), their length, and,
    with the probability `keyword_share`, the keywords found in this very text. So two or three attributes."""
    summaries = []
    for row in draw_sample(pool.summaries, n, seed, purpose, lambda row: row.key):
        attributes = {**row.attributes, "length": length_bin(n_words(row.text))}
        hits = find_keywords(row.text, pool.keywords.get(row.document, ()), exact=exact)
        if hits and random.Random(f"{seed}:keywords:{row.key}").random() < keyword_share:
            attributes["keywords"] = hits
        summaries.append(replace(row, attributes=attributes))
    return summaries


def build_test_pair(
    original: BuiltSummary,
    rewritten: BuiltSummary,
    keywords: Sequence[str],
    length_bin: LengthBin,
    *,
    exact: bool = False,
) -> list[BuiltSummary]:
    """Test: a focus summary (readability normal) and its rewrite for lay readers (high), with all four attributes each,
    keywords and length read off the respective text. [] where one of the two has no keyword left."""
    pair = []
    for row, readability in ((original, "normal"), (rewritten, "high")):
        hits = find_keywords(row.text, keywords, exact=exact)
        if not hits:
            return []
        attributes = {
            "length": length_bin(n_words(row.text)),
            "keywords": hits,
            "readability": readability,
            "focus": original.attributes["focus"],
        }
        pair.append(replace(row, attributes=attributes))
    return pair


def count_values(summaries: Iterable[BuiltSummary], key: str) -> dict[str, int]:
    """How many summaries are asked for each value of an attribute, values in order."""
    values = sorted(str(row.attributes[key]) for row in summaries if key in row.attributes)
    return {value: values.count(value) for value in dict.fromkeys(values)}

"""Shorter readings of a sentence: optional clauses and asides are removed so that a complete sentence remains.

A reading only removes spans of the sentence. Negations, numbers and the attribution of quotes do not change. Without
tags the only reading is the sentence itself.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from epitome.systems.controlled_extract.tagging import FINITE, SUBJECT, Tagged, has_clause

Span = tuple[int, int]
MAX_READINGS = 6
MIN_WORDS = 4

_OPENING = re.compile(
    r"^(?:But|And|So(?! \w+ that\b| far\b| much\b| many\b| long\b| that\b)|However"
    r"|Meanwhile|Still|Also|Now(?! that\b)|Then|Yet|Plus|In fact|Of course|Indeed|Instead|Besides|Moreover"
    r"|In addition|For example|For instance|Nevertheless|Nonetheless|Furthermore|Therefore|Thus|Again)\b"
    r"(?:\s*,)?\s+(?=\S)"
)
_LEADING = re.compile(
    r"^(?:On|In|At|For|As|After|Before|During|With|By|From|Since|When|While|Although|Though|Despite|Under|Because"
    r"|Over|Following|Until|To|Earlier|Last|Later|Today|Yesterday|Recently)\b[^,;:\"“”]{3,70},\s+(?=\S)"
)
_ASIDE = re.compile(r"\s*\([^()]*\)|\s+(?:--|–|—)\s[^—–]*?\s(?:--|–|—)(?=\s)|(?<=\w)—[^—]{3,60}—(?=\w)")
_RELATIVE = re.compile(r",\s+(?:which|who|whom|whose|where)\b[^,;:\"“”]+(?=,\s|[.!?]?$)")
_BETWEEN = re.compile(r",\s+([^,;:\"“”]{3,80}),(?=\s)")
_TAIL = re.compile(
    r",?\s+(?:because|although|though|whereas|unless|despite|since|so that|in order to|instead of|rather than)\b"
    r"[^;:\"“”]*(?=[.!?]?$)"
    r"|,\s+(?:while|as|after|before|when|if|with|without|even|including|such as|like|especially|particularly|not)\b"
    r"[^;:\"“”]*(?=[.!?]?$)"
)
_PARTICIPLE = re.compile(r",\s+(\w+ing)\b[^;:\"“”]*(?=[.!?]?$)")
_CLAUSE = re.compile(
    r"(?:;|,\s+(?:and|but|so|yet|or)\b|\s+--|\s[—–])\s+(?=\S)|(?<=\w)—(?=\w)|\s(?:and|but)\s+(?=(?:I|we|it|they|he|she|there|you)\b)"
)
_QUOTE_ENDS = ('."', ".”", '?"', "?”", '!"', "!”")
_DROPPED_WORDS = """
    really very just actually also quite rather simply certainly absolutely obviously clearly basically generally
    literally definitely perhaps truly highly extremely particularly especially apparently frankly totally
    completely already currently
"""
_DROPPED = frozenset(_DROPPED_WORDS.split())
_NO_END_WORDS = """
    the a an of to and or but in on at for with from by as that which who is are was were be been being if than so
    because very my your his her our their its this these those i we they he she not into about have has had will
    would can could should may might must do does did when where while whether how what like just got get i'm
    we're
"""
_NO_END = frozenset(_NO_END_WORDS.split())


@dataclass(frozen=True, slots=True)
class Reading:
    """A shortened sentence, without its final mark; share: the fraction of the sentence's characters that is kept."""

    text: str
    share: float


def list_readings(text: str, tokens: Tagged) -> list[Reading]:
    """The sentence itself without an opening connective, then shorter ones, at most MAX_READINGS. Longest first."""
    start = opening_end(text)
    full_text = _remove_spans(text, [(0, start)] if start else [])
    by_text = {full_text: Reading(full_text, 1.0)}
    if tokens and tokens[0].tag:
        spans = _removable_spans(text, tokens)
        opened: list[Span] = [(0, start)] if start else []
        for size in (1, 2, 3):
            for some in combinations(spans, size):
                if not _spans_overlap(some):
                    _add_reading(by_text, text, tokens, [*opened, *some])
        for span in _clause_cuts(text, tokens):
            _add_reading(by_text, text, tokens, span)
    ordered = sorted(by_text.values(), key=lambda reading: (-reading.share, reading.text))
    return _spread_evenly(ordered)


def opening_end(text: str) -> int:
    """Where the sentence begins after an opening connective ("But ..."); 0 without one."""
    opening = _OPENING.match(text)
    return opening.end() if opening and opening.end() < len(text) else 0


def _spread_evenly(ordered: Sequence[Reading]) -> list[Reading]:
    """At most MAX_READINGS readings with evenly spread lengths, including the longest and the shortest."""
    if len(ordered) <= MAX_READINGS:
        return list(ordered)
    step = (len(ordered) - 1) / (MAX_READINGS - 1)
    return [ordered[round(number * step)] for number in range(MAX_READINGS)]


def _add_reading(by_text: dict[str, Reading], text: str, tokens: Tagged, spans: Sequence[Span]) -> None:
    short = _remove_spans(text, spans)
    remaining = [token for token in tokens if not any(start <= token.start < end for start, end in spans)]
    if short not in by_text and can_stand_alone(short) and has_clause(remaining):
        by_text[short] = Reading(short, len(short) / max(1, len(text)))


def ends_mid_phrase(text: str) -> bool:
    """Whether the text ends with a word that needs a continuation."""
    words = text.split()
    return bool(words) and words[-1].lower().strip("\"'?!.,—") in _NO_END


def can_stand_alone(text: str) -> bool:
    """Whether a reading works as a sentence: enough words, balanced quotes and brackets, no incomplete ending."""
    if len(text.split()) < MIN_WORDS or ends_mid_phrase(text):
        return False
    return text.count('"') % 2 == 0 and text.count("(") == text.count(")") and text.count("“") == text.count("”")


def _removable_spans(text: str, tokens: Tagged) -> list[Span]:
    """Spans that may be removed independently, in text order: at most five, and one adverb."""
    spans: set[Span] = set()
    if (match := _LEADING.match(text)) and _subject_at(tokens, match.end()):
        spans.add((0, match.end()))
    spans |= {match.span() for match in _ASIDE.finditer(text)}
    spans |= {_with_comma(text, tokens, match.span()) for match in _RELATIVE.finditer(text)}
    spans |= set(_appositive_spans(text, tokens))
    spans |= {match.span() for pattern in (_TAIL, _PARTICIPLE) for match in _tail_matches(pattern, text, tokens)}
    spans |= {(at, _text_end(text)) for at, _, subject in _clause_borders(text, tokens) if subject}
    return sorted(spans)[:5] + list(_adverb_spans(tokens))


def _tail_matches(pattern: re.Pattern[str], text: str, tokens: Tagged) -> Iterator[re.Match[str]]:
    match = pattern.search(text)
    if match is None:
        return
    tags_before = [token.tag for token in tokens if token.end <= match.start()][-1:]
    if pattern is _TAIL or (_tag_at(tokens, match.start(1)) == "VBG" and tags_before != ["VBG"]):
        yield match


def _with_comma(text: str, tokens: Tagged, span: Span) -> Span:
    """The span of an aside between two commas, with the second one where the clause's own verb follows."""
    followed = text[span[1] : span[1] + 1] == "," and _tag_at(tokens, span[1] + 1) in FINITE
    return (span[0], span[1] + 1) if followed else span


def _appositive_spans(text: str, tokens: Tagged) -> Iterator[Span]:
    """ ", the head of the bank," between a noun and a verb."""
    for match in _BETWEEN.finditer(text):
        inside = [token for token in tokens if match.start() < token.start < match.end() - 1]
        preceding = [token for token in tokens if token.end <= match.start()]
        following = next((token for token in tokens if token.start >= match.end()), None)
        plain = not any(token.tag in FINITE for token in inside)
        if preceding and following and plain and preceding[-1].tag.startswith("NN") and following.tag in FINITE:
            yield match.span()


def _adverb_spans(tokens: Tagged) -> Iterator[Span]:
    """The first adverb that is only emphatic, with the space before it; what is quoted stays as it is."""
    for previous, token in pairwise(tokens):
        if previous.text in '"“”':
            return
        if token.low in _DROPPED and token.tag == "RB" and previous.text != "not" and previous.low != "n't":
            yield previous.end, token.end
            return


def _clause_borders(text: str, tokens: Tagged) -> Iterator[tuple[int, int, bool]]:
    """(end of the clause before, start of the clause after, whether it begins with a subject and has a verb)."""
    for match in _CLAUSE.finditer(text):
        following = [token for token in tokens if token.start >= match.end()]
        yield match.start(), match.end(), bool(following) and following[0].tag in SUBJECT and has_clause(following[:8])


def _clause_cuts(text: str, tokens: Tagged) -> Iterator[list[Span]]:
    """Spans to remove so that a single clause of a compound sentence remains."""
    borders = [(end, start) for end, start, subject in _clause_borders(text, tokens) if subject]
    stops = [0, *(start for _, start in borders)], [*(end for end, _ in borders), _text_end(text)]
    for start, end in list(zip(*stops, strict=True))[1:]:
        yield [span for span in ((0, start), (end, _text_end(text))) if span[0] < span[1]]


def _text_end(text: str) -> int:
    return len(text.rstrip(" .!?;:"))


def _subject_at(tokens: Tagged, at: int) -> bool:
    return _tag_at(tokens, at) in SUBJECT


def _tag_at(tokens: Tagged, at: int) -> str:
    return next((token.tag for token in tokens if token.start >= at), "")


def _spans_overlap(spans: Sequence[Span]) -> bool:
    return any(first[1] > second[0] for first, second in pairwise(spans))


def _remove_spans(text: str, spans: Sequence[Span]) -> str:
    """The text without the spans and its final mark, capitalized."""
    chunks, at = [], 0
    for start, end in sorted(spans):
        chunks.append(text[at:start])
        at = max(at, end)
    shortened = re.sub(r"\s+", " ", "".join([*chunks, text[at:]])).strip()
    shortened = re.sub(r"\s+([,.;!?])", r"\1", shortened)
    if not shortened.endswith(_QUOTE_ENDS):
        shortened = shortened.rstrip(" .;:,-–—?!")
    return shortened[:1].upper() + shortened[1:]

"""Splits a text into sentences, and joins them again byte for byte.

Rules instead of a model, and one regular expression over the text, because an import splits thousands
of documents a second. Offsets are code points, the end is exclusive, white space between sentences belongs
to neither.

Importing and measuring have profiles of their own. A document is cut where a small letter does not follow, so that a
stray stop does not tear a sentence of the source apart. A measure must not depend on capitals, which systems may not
write: there a small letter matters only after abbreviations and initials, "..." and marks inside quotes or brackets.
"""

import re
from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

SentenceProfile = Literal["import", "release", "literal"]
"""`import`: for cutting documents. `release`, `literal`: the profiles of the measures; "Hon." ends a sentence in
`release`, as in the published numbers."""


class Segment(TypedDict):
    """One sentence of a document or one turn of a dialogue (speaker "" in documents).

    `after` is the white space up to the next segment, stored only where it differs from the default of
    `join_segments` (one space between segments, nothing after the last). `before` is leading white space, on the
    first segment only.
    """

    speaker: str
    text: str
    after: NotRequired[str]
    before: NotRequired[str]


ALWAYS = "。！？｡।॥؟۔።။។"
"""Marks that end a sentence wherever they occur: Chinese and Japanese, Hindi, Arabic, Urdu, Amharic, Burmese, Khmer."""
MARKS = ALWAYS + "،؛、，；："
"""Those, and the marks inside a sentence: Arabic, Chinese and Japanese."""

# A line break, a mark that always ends one, or end marks with closing quotes and brackets and then white space. All
# branches start inside one character class, so that the engine skips to it quickly. The empty group 1 matches where
# the end is certain: a longer lower-case word before the mark, one space and a capital or an opening quote after it.
_STOP = re.compile(
    r"[\n\r\u2028\u2029.!?…" + ALWAYS + "](?:"
    r"(?<=[a-z][a-z][a-z][a-z][.!?]|[a-z][a-z][a-z] [.!?])()[\"'”’)]* (?=[A-Z\"“])"
    r"|(?<=[\n\r\u2028\u2029])\s*"
    r"|(?<=[" + ALWAYS + r"])[" + ALWAYS + r".!?…\"'”’)\]»」』）】]*\s*"
    r"|[.!?…\"'”’)\]»]*\s+)"
)
_CERTAIN_MARK = re.compile(f"[{ALWAYS}]")
_LINE_BREAK = re.compile(r"[\n\r\u2028\u2029]")
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘—–-]+\Z")
_NEXT_WORD = re.compile(r"[\"'“‘(\[«\s]*(\w+(?:['’]\w+)?|\W)")


# What follows a quote inside a sentence: "「はい。」と", "“好的。”他说。".
_SAID = re.compile("(?:(?<=[」』])(?:と|って)|(?<=[”」』])[\u4e00-\u9fff]{1,6}?[说說问問道答喊][，。：])")


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Abbreviations that never end a sentence.
_TITLES = _word_set("""
    mr mrs ms messrs mme mlle dr prof rev fr st ste hon gov sen sens rep reps gen col lt sgt maj capt cmdr cpl pvt
    adm insp supt pres amb sec det dist vs v eg e.g ie i.e cf viz al approx ca fig figs eq vol ft mt
""")
# Titles in Spanish, Portuguese, Italian and Dutch, in Russian, in Hindi and in Arabic.
_TITLES |= _word_set("sra srta dra dña sig dott mgr dhr mevr проф акад им т.е डॉ प्रो पं श्री أ.د د أ")
_ENDING_IN_RELEASE = _word_set("hon")
"""Titles after which the splitter behind the published numbers ends the sentence."""
# Abbreviations before a number; otherwise the end of a sentence ("No." as an answer).
_BEFORE_NUMBER = _word_set("no nos art ch p pp par jan feb mar apr jun jul aug sep sept oct nov dec")
_ALSO_WORDS = _word_set("no art par")
# German ones that never end a sentence, and words before a day or a rank ("am 3. Oktober", "der 2. Weltkrieg").
_GERMAN = _word_set("bzw bspw evtl ggf inkl exkl vgl nr abs sog geb hrsg z.b d.h u.a v.a i.d.r o.ä m.e u.ä")
_BEFORE_ORDINAL = re.compile(
    r"\b(?:am|der|die|das|dem|den|des|im|vom|zum|zur|beim|ab|seit|bis)\s+\d{1,2}\Z", re.IGNORECASE
)
_LISTED_LETTER = re.compile(r"(?:^|[\s(])(?!a\.)[a-zäöü]\. ?[a-zäöü]\Z")  # "u. a.", "d. h.", "Dr. h. c."
_ROMAN = re.compile(r"[IVXLC]{2,}")  # "Ludwig XIV. war"
_WORD_BEFORE_I = re.compile(r"(?:\A|\s)([^\W\d_][\w.'’-]*) I\Z")
_BEFORE_NUMERAL = frozenset({"War", "Part", "Act", "Chapter", "Volume", "Book", "Phase", "Type", "Class", "Title"})
_GERMAN_MONTHS = _word_set("Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember")
# Abbreviations that may end a sentence, depending on the next word.
_MAY_END = _word_set("inc ltd co corp bros llc jr sr esq etc dept est ave blvd rd univ assn ph.d m.d b.a m.a d.c")
_STARTERS = _word_set("""
    A An The This That These Those I He She It We You They There Here His Her Its Our Your Their My If In On At As
    For From With But And Or So Yet When While Where What Who Why How After Before Since Because Although Though
    Until Both Some Many Most All One Two No Not Now Then Also However Meanwhile Still To By Of Under Over Is Are
    Was Were Did Do Does Has Have Had
""")


def _sentence_continues(text: str, start: int, stop: int, following: int, profile: SentenceProfile) -> bool:
    """Whether the sentence continues after the end mark at `stop` (the next word starts at `following`)."""
    next_match = _NEXT_WORD.match(text, following)
    following_word = next_match.group(1) if next_match else ""
    first = following_word[:1]
    if first and first in ".!?…":
        return True
    dots = text[stop : stop + 2] == ".."
    apart = not dots and stop > start and text[stop - 1] == " "  # tokenised text: "the end ."
    if first.islower() and not apart and (profile == "import" or _case_decides(text, stop, following)):
        return True
    if text[stop] != "." or dots:
        return False
    last_match = _LAST_WORD.search(text, max(start, stop - 24), stop - apart)
    if not last_match:
        return False
    begins = last_match.start()
    if profile != "import" and begins > start and text[begins - 1] in "'’":  # the t of "won't" is no initial
        return False
    before = text[max(start, stop - 24) : stop - apart]
    if last_match.group().isdigit() and len(last_match.group()) <= 2:
        return _ordinal_continues(before, following_word)
    if _LISTED_LETTER.search(before) or (_ROMAN.fullmatch(last_match.group()) and first.islower()):
        return following_word not in _STARTERS
    if last_match.group() == "I":
        return _is_middle_initial(before, following_word)
    return _abbreviation_continues(last_match.group(), following_word, profile)


def _is_middle_initial(before: str, following_word: str) -> bool:
    """Whether "I" and its stop are part of a name: at the beginning of a sentence or after a name, and a name follows.
    "World War I." ends a sentence, and so does "so did I."."""
    name_before = _WORD_BEFORE_I.search(before)
    is_first = before.strip("\"“‘'([« ") == "I"
    name = name_before.group(1) if name_before else ""
    is_named = name[:1].isupper() and name not in _STARTERS and name not in _BEFORE_NUMERAL
    return following_word[:1].isupper() and following_word not in _STARTERS and (is_first or is_named)


def _ordinal_continues(before: str, following_word: str) -> bool:
    """Whether a number and its stop are a German rank or day; before: the text up to the stop."""
    return following_word in _GERMAN_MONTHS or bool(_BEFORE_ORDINAL.search(before) and following_word[:1].isupper())


def _case_decides(text: str, stop: int, following: int) -> bool:
    """Whether a small letter continues the sentence after these marks: "..." and "…", and "?" or "!" before a closing
    quote or bracket ("Why?" he asked)."""
    marks = text[stop:following].rstrip()
    return marks.startswith(("..", "…")) or (marks[0] in "?!" and marks[-1] not in ".?!")


def _abbreviation_continues(word: str, following_word: str, profile: SentenceProfile) -> bool:
    """Whether the sentence continues after `word` and a full stop because of what `word` is."""
    lower = word.lower()
    first = following_word[:1]
    if lower in _TITLES:
        return profile != "release" or lower not in _ENDING_IN_RELEASE
    if lower in _GERMAN or (len(word) == len(following_word) == 1 and word.islower() and following_word.isupper()):
        return following_word not in _STARTERS  # the second: "z. B."
    if len(word) == 1 and word.isupper() and first.isupper():  # "Rosco P. Coltrane"; "p. 3" is below
        return following_word not in _STARTERS
    if lower in _BEFORE_NUMBER:
        return first.isdigit() or (first.islower() and lower not in _ALSO_WORDS and profile != "import")
    if _is_initial(word, first, profile) or lower in _MAY_END:
        return following_word not in _STARTERS
    if "." in word and max(map(len, word.split("."))) == 1:  # U.S, p.m, J.R
        return following_word not in _STARTERS
    return False


def _is_initial(word: str, first: str, profile: SentenceProfile) -> bool:
    """A capital, or in a text without capitals any letter but the words "i" and "a"."""
    if len(word) != 1 or word == "I":
        return False
    return word.isupper() or (profile != "import" and word.isalpha() and first.islower() and word not in "ia")


def _doubtful_end(text: str, start: int, stop: int, following: int, profile: SentenceProfile) -> int:
    """The end of the sentence that starts at `start`, or -1 when it continues."""
    mark = text[stop:following].rstrip()
    if _SAID.match(text, following):
        return -1
    certain = not mark or _CERTAIN_MARK.match(mark) or _LINE_BREAK.search(text, stop, following)
    if not certain and _sentence_continues(text, start, stop, following, profile):
        return -1
    return start + len(text[start : stop + len(mark)].rstrip())


def split_sentences(text: str, profile: SentenceProfile = "import") -> list[tuple[int, int]]:
    """(start, end) of every sentence, in code points, end exclusive; a line break always ends one.

    profile: see SentenceProfile.
    """
    spans: list[tuple[int, int]] = []
    add = spans.append
    size = len(text)
    start = size - len(text.lstrip())
    for match in _STOP.finditer(text, start):
        following = match.end()
        if match.lastindex:
            add((start, following - 1))
            start = following
            continue
        if following == size:
            break
        end = _doubtful_end(text, start, match.start(), following, profile)
        if end > start:
            add((start, end))
        if end >= 0:
            start = following
    end = start + len(text[start:].rstrip())
    if end > start:
        add((start, end))
    return spans


def segments_of(text: str) -> list[Segment]:
    """The sentences of a document as segments; `join_segments` restores exactly `text`."""
    spans = split_sentences(text)
    if not spans:
        return [{"speaker": "", "text": "", "before": text}] if text else []
    segments: list[Segment] = []
    add = segments.append
    previous: Segment | None = None
    at = 0
    for start, end in spans:
        segment: Segment = {"speaker": "", "text": text[start:end]}
        if previous is None:
            if start:
                segment["before"] = text[:start]
        elif start - at != 1 or text[at] != " ":
            previous["after"] = text[at:start]
        add(segment)
        previous, at = segment, end
    if previous is not None and at < len(text):
        previous["after"] = text[at:]
    return segments


def join_segments(segments: Sequence[Segment]) -> str:
    """The text the segments were split from: texts and gaps in order, without speaker names."""
    if not segments:
        return ""
    pieces = [segments[0].get("before", "")]
    for segment in segments[:-1]:
        pieces += segment["text"], segment.get("after", " ")
    pieces += segments[-1]["text"], segments[-1].get("after", "")
    return "".join(pieces)

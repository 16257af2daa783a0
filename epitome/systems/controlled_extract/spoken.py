"""Transcribed speech -> readable sentences: marks, fillers, repetitions and false starts are removed.

Words are only removed, never added, except that spoken short forms ("gonna") are written out.
"""

import re

from epitome.measures.stopwords import STOP_WORDS
from epitome.text.tokens import sentence_texts

_BREAK = re.compile(r"\{(?:disfmarker|gap)\}")
_MARK = re.compile(r"\{[^{}]*\}")
_LETTERS = re.compile(r"\b(?:[A-Z]_)+(?:s\b)?")
_BEFORE_POINT = re.compile(r"\s+([.,;:?!])")
_BEFORE_CLITIC = re.compile(r"(?<=\w)\s+(n't|'(?:s|m|re|ve|ll|d|t))\b", re.IGNORECASE)
_FILLER = re.compile(
    r"(?:,\s*)?\b(?:um+|uh+|uhm|erm?|mm+|hmm?|mm-?hmm?|mm-mm|uh-?huh|ah|oh|eh|huh|wow|ooh)\b(?!-)(?:\s*,)?",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"(?:(?<=,)|(?<=^)|(?<=\.))\s*(?:you know|I mean|you see|sort of|kind of|like|basically|actually|obviously"
    r"|of course|if you like|as I said|as I say|I suppose|I guess|yeah|yes|okay|right|well)\s*,",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"(?<!\bthis)(?<!\bthat)(?<!\bwhat)(?<!\bsome)(?<!\bany)(?<!\bthe)(?<!\ba)(?<!\bone)(?<!\bwhich)(?<!\bof)"
    r" (?:sort of|kind of|kinda|sorta)(?= (?!a\b|the\b|like\b|thing))",
    re.IGNORECASE,
)
_YOU_KNOW = re.compile(
    r"(?<!\bdo)(?<!\bas)(?<!\bif)(?<!\blet) you know(?= (?!how|what|where|why|if|that|who|when|the|a)\w)", re.I
)
_OPENING = re.compile(
    r"^(?:[\s,;.—–-]*\b(?:okay|ok|yeah|yep|yes|no|well|so|and|but|or|right|alright|all right|now|then|because|'cause"
    r"|also|plus|anyway|basically|actually|obviously|sure|like|I mean|you know|you see|I guess|of course|thank you"
    r"|thanks|sorry|fine|good|great|exactly|maybe|indeed|hence|therefore|otherwise|first of all|as I said"
    r"|to be honest|in fact|again|though|hi|hello)\b(?=\s*[,;—–]|\s+\w)[\s,;—–]*)(?=\S)",
    re.IGNORECASE,
)
_FLOOR = re.compile(
    r"^(?:(?:right|okay|no|sure|now|then|fine) )+(?=(?:okay|so|well|then|this|we|I|they|it|the|there)\b)", re.I
)
_SPELLED = {
    "gonna": "going to",
    "wanna": "want to",
    "gotta": "got to",
    "'cause": "because",
    "cuz": "because",
    "dunno": "don't know",
}
_SLANG = re.compile(r"(?<!\w)(?:gonna|wanna|gotta|'cause|cuz|dunno)\b", re.IGNORECASE)
_BARE_OPENING = re.compile(
    r"^(?:(?:okay|ok|yeah|yep|yes|well|so|and|but|or|alright|all right|because|'cause|anyway|basically|actually|hence"
    r"|also|plus|I mean|you know|sort of|kind of|like)\b[\s,]*)+",
    re.IGNORECASE,
)
_REPEAT = re.compile(r"\b([\w'-]+(?: [\w'-]+){0,4})(?:,? \1\b)+(?!['-])", re.IGNORECASE)
_FRAGMENT = re.compile(
    r"\b([A-Za-z]{1,4}) (?=(\1[a-z]+))|\b([a-z]{5,8}|[A-Z][a-z]{3,7}),? (?=\3[a-z']{1,4}\b)", re.IGNORECASE
)
_RESTART = re.compile(
    r"\b(the|a|an|this|my|your|our|their|in the|of the|to the|for the|I|we|they) [a-z]{1,9},? \1 (?=\w)", re.IGNORECASE
)
_VOCATIVE = re.compile(
    r"(?:(?:^|,\s*)(?:Well,?\s+|Yes,?\s+|No,?\s+)?(?:Thank you,?\s+|Thanks,?\s+)?"
    r"(?:Mr|Ms|Mrs|Madam)\.?\s*(?:Chair|Speaker|Chairman|Chairperson|Chairwoman|President)\b\s*(?:,|(?=[.?!]?$)))"
)
_LETTER = re.compile(r"(?<![\w'’.-])[b-hj-z] (?=[a-zA-Z])")
_TWO_SUBJECTS = re.compile(r"\b(?:it|they|we|I|he|she),? (?=(?:they|we|I|he|she)\b)")
_BLANKS = re.compile(r"\s+")
_COMMAS = re.compile(r"(?:,\s*)+,")
_LOOSE = re.compile(r"\s+(?=[.,;:?!])|^[\s,;:.—–-]+")


_AFTER_JOIN = re.compile(r"\b(but|and|so|or|because|that|if|to|of|the|a|is|are),\s", re.IGNORECASE)
_TRAILING = re.compile(
    r",?\s+(?:okay|yeah|right|you know|and so on|and stuff|or something|or whatever|then|so|but|and)\s*(?=[.!?]$)", re.I
)


def spoken_sentences(text: str) -> list[tuple[str, bool]]:
    """(sentence, whether it was broken off) of a turn, in order; no sentence is empty."""
    marked_sentences: list[tuple[str, bool]] = []
    stretches = _BREAK.split(_join_clitics(text))
    for position, stretch in enumerate(stretches):
        sentences = [cleaned for raw in sentence_texts(_MARK.sub(" ", stretch)) if (cleaned := clean_sentence(raw))]
        for index, sentence in enumerate(sentences):
            last = index == len(sentences) - 1
            open_end = sentence[-1] not in ".?!" or sentence.endswith(("—.", "—?", "-."))
            marked_sentences.append((sentence, (last and open_end and position < len(stretches) - 1) or open_end))
    return marked_sentences


def _join_clitics(text: str) -> str:
    """Rejoin tokenized punctuation and clitics with their words, and spelled abbreviations (T_V_ -> TV)."""
    text = _LETTERS.sub(lambda match: match[0].replace("_", ""), _BLANKS.sub(" ", text))
    text = re.sub(r"(?<=[a-z]) - (?=[a-z])", "-", text)
    return _BEFORE_CLITIC.sub(r"\1", _BEFORE_POINT.sub(r"\1", text))


def clean_sentence(sentence: str) -> str:
    """One sentence without fillers, asides, repeated and cut-off words, capitalized."""
    text = _FILLER.sub(" ", _VOCATIVE.sub(" ", sentence))
    text = _tidy_punctuation(text)
    text = _YOU_KNOW.sub("", _HEDGE.sub("", _ASIDE.sub(" ", text)))
    text = _FRAGMENT.sub(_without_fragment, _tidy_punctuation(text))
    text = _TWO_SUBJECTS.sub("", _LETTER.sub("", text))
    previous = ""
    while previous != text:
        previous = text
        text = _RESTART.sub(r"\1 ", _REPEAT.sub(r"\1", text))
    text = _BARE_OPENING.sub("", _FLOOR.sub("", _strip_openings(_tidy_punctuation(text))))
    text = _SLANG.sub(lambda match: _SPELLED[match[0].lower()], text)
    text = _tidy_punctuation(_TRAILING.sub("", _AFTER_JOIN.sub(r"\1 ", text)))
    return text[:1].upper() + text[1:] if any(map(str.isalnum, text)) else ""


def _strip_openings(text: str) -> str:
    """Remove discourse markers at the beginning: "Well, okay, so we ..." becomes "we ..."."""
    previous = ""
    while previous != text:
        previous = text
        match = _OPENING.match(text)
        if match and ("," in match[0] or ";" in match[0] or "—" in match[0]):
            text = text[match.end() :]
    return text


def _without_fragment(match: re.Match[str]) -> str:
    """ "f for" -> "for"; a complete word before a longer one with the same beginning ("so some") is kept."""
    if match[1] is None:
        return ""
    word = match[1].lower()
    if len(word) == 1 and word not in ("a", "i"):
        return ""
    return match[0] if word in STOP_WORDS or word in _WHOLE or match[1].isupper() else ""


_WHOLE_WORDS = """
    go see use may also us yes one two ten man men per car cup set new get put let not end bit big
"""
_WHOLE = frozenset(_WHOLE_WORDS.split())


def _tidy_punctuation(text: str) -> str:
    return _LOOSE.sub("", _COMMAS.sub(",", _BLANKS.sub(" ", text))).strip()

"""Generated texts that are hard to count alike in two languages: emoji, marks, scripts, cases, odd blanks and stops."""

import random
from pathlib import Path
from typing import Any

from epitome.text.sentences import Segment

SEED = 20260
PLAIN = [
    "the",
    "council",
    "voted",
    "to",
    "pay",
    "for",
    "night",
    "boat",
    "fares",
    "rise",
    "from",
    "a",
    "small",
    "island",
]
ODD = [
    "🚢", "👩‍👩‍👧", "e\u0301tude", "café", "İstanbul", "ISTANBUL", "ırmak", "ΟΔΟΣ", "οδός", "Σ", "ΣΑΣ.",
    "Straße", "STRASSE", "ẞ", "ﬁnance", "Ǆ", "ǅ", "שלום", "مرحبا،", "العبّارة", "不动", "ไทย",
    "हिन्दी", "\u200bzero", "\ufeffmark", "a\u0301\u0323", "\U0001d400\U0001d401", "\U00010400",
    "\U00010428", "\u10a0", "\ua7cb", "\U0001e030", "x\u00adx", "don't", "O'Neil's", "rock-and-roll", "3.5",
    "14:40", "1,000", "U.S.", "e.g.", "...", ".", "..", "a.b", "“quoted”", "'single'", "(in", "brackets)",
    "</s>", ":", "and/or", "--", "—", "²", "½", "Ⅷ", "ⅷ", "ª", "ʰ", "_", "\x01", "a\x01b", "\u0345", "Ά",
    "\u0295Ab", "我们讨论了预算，下周再", "今日は会議", "วันนี้เราคุยกัน", "GDP增长2024年。",
]  # fmt: skip
SPACES = [" "] * 30 + ["  ", "\n", "\t", "\r\n", "\x0b", "\x0c", "\x1c", "\x1f", "\x85", "\xa0", "\u1680", "\u2007",
          "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\n\n "]  # fmt: skip
STOPS = ["", "", "", "", "", ".", ".", "...", ",", "!", ";", " ."]
NAMES = ["", "Ann", "Bo Li", "Dr. Cy", "Ünal", "Project Manager", "محمد"]


def _word(draw: random.Random) -> str:
    word = draw.choice(PLAIN) if draw.random() < 0.75 else draw.choice(ODD)
    change = draw.random()
    if change < 0.06:
        word = word.upper()
    elif change < 0.1:
        word = word.title()
    return word + draw.choice(STOPS)


def _text(draw: random.Random, n_words: int) -> str:
    items = []
    for _ in range(n_words):
        items += [_word(draw), draw.choice(SPACES)]
    if items and draw.random() < 0.7:
        items.pop()
    return (draw.choice(SPACES) if draw.random() < 0.1 else "") + "".join(items)


def _segments(draw: random.Random, dialogue: bool) -> list[Segment]:
    """Some say the same twice, as people do, so that a copied run stands in several places."""
    texts: list[str] = []
    for _ in range(draw.randrange(1, 7)):
        again = draw.choice(texts)[-draw.choice([40, 500]) :] + " " if texts and draw.random() < 0.3 else ""
        texts.append(again + _text(draw, draw.randrange(0, 16)))
    return [{"speaker": draw.choice(NAMES) if dialogue else "", "text": text} for text in texts]


def _summary(draw: random.Random, segments: list[Segment]) -> str:
    """Words of its own and pieces of the source, some changed, some over a segment's border."""
    items = []
    for _ in range(draw.randrange(0, 5)):
        if draw.random() < 0.4:
            items.append(_text(draw, draw.randrange(0, 6)))
            continue
        source = draw.choice(
            [*_run_on(segments), draw.choice(segments)["text"], " ".join(segment["text"] for segment in segments)]
        )
        start = draw.randrange(0, len(source) + 1)
        piece = source[start : start + draw.randrange(1, 80)]
        if draw.random() < 0.3:
            piece = draw.choice(SPACES).join(piece.split())
        items.append(piece + draw.choice(STOPS))
    return draw.choice(SPACES).join(items)


def _run_on(segments: list[Segment]) -> list[str]:
    """Texts whose words stand in one segment at first and in another in the end, so that two copied runs overlap."""
    texts = [segment["text"] for segment in segments]
    return [a + b[40:] for a in texts for b in texts if len(a) > 40 and a[-40:] == b[:40]]


def _topics(draw: random.Random, segments: list[Segment]) -> list[str]:
    items = []
    for _ in range(draw.randrange(0, 4)):
        words = [_word(draw) for _ in range(draw.randrange(0, 4))]
        source = draw.choice(segments)["text"].split()
        items.append(" ".join(words + source[: draw.randrange(0, 2)]))
    return items


def _band(draw: random.Random) -> dict[str, Any]:
    if draw.random() < 0.5:
        low = draw.randrange(0, 40)
        return {"of": "words", "low": low, "high": draw.choice([None, low + draw.randrange(0, 30)])}
    low = round(draw.uniform(0, 0.3), 3)
    return {"of": "relevant_words", "low": low, "high": draw.choice([None, round(low + draw.uniform(0, 0.2), 3)])}


def case(draw: random.Random) -> dict[str, Any]:
    """One case: {domain, segments, text, topics, band, base}."""
    domain = draw.choice(["document", "dialogue"])
    segments = _segments(draw, domain == "dialogue")
    return {
        "domain": domain,
        "segments": segments,
        "text": _summary(draw, segments),
        "topics": _topics(draw, segments),
        "band": _band(draw),
        "base": draw.choice([0, 1, 5, 50, draw.randrange(0, 3000)]),
    }


def cases(number: int, seed: int = SEED) -> list[dict[str, Any]]:
    """The same cases for the same seed, on every machine."""
    draw = random.Random(seed)
    return [case(draw) for _ in range(number)]


VECTORS = Path(__file__).resolve().parents[1] / "vectors" / "measures.json"

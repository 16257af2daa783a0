"""Selections in a real browser against the server's own check: no offset is off by one, whatever the text holds."""

import os
import random

from annotation.kinds.protocol import PayloadRefused
from annotation.kinds.summary import check_quote, check_span
from tests.browser import world
from tests.browser.task_steps import open_first_task

SELECTIONS = 5_000 if os.environ.get("EPITOME_TEST_FULL") else 100
PIECES = [
    *("word", "Word,", "42", " ", "  ", ".", "—", "\r\n", "\n", "\u00a0", "\u3000"),
    *("🙂", "🚢", "👩‍👩‍👧", "🏳️‍🌈", "🇫🇷", "🇩🇪🇫🇷", "👍🏽", "1️⃣"),
    *("é", "e\u0301", "n\u0303", "Å", "A\u030a", "\u1112\u1161\u11ab", "한", "क्षि", "ไทย"),
    *("مرحبا", "العبّارة", "שָׁלוֹם", "\u200f", "\u200e", "\u202e", "\u2067x\u2069", "\ufeff", "\u200b"),
    *("𝒳", "𠮷", "\U0010ffff", "ﬁ", "ß", "İ", "<b>", "&amp;", "\ufffd", "\u0301", "\u200d"),
]
BLANKS = " \t\r\n\u00a0\u3000\ufeff"  # of the pieces, what a browser takes for white space
PICK = """async ([count, seed]) => {
    const { selected } = await import("/static/js/selecting.js");
    const { toSpan } = await import("/static/js/offsets.js");
    const segments = JSON.parse(document.querySelector("#task-data").textContent).document.segments;
    const texts = [...document.querySelectorAll(".turn-text")];
    let state = seed;
    const dice = (n) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 4294967296) * n);
    };
    const found = [];
    for (let i = 0; i < count; i += 1) {
        const segment = dice(texts.length);
        const node = texts[segment].firstChild;
        const [a, b] = [dice(node.length + 1), dice(node.length + 1)];
        getSelection().setBaseAndExtent(node, a, node, b);  // also backwards, also inside a pair
        const hit = selected(getSelection(), texts);
        const span = hit && toSpan(segments[hit.segment].text, hit.segment, hit.from, hit.to);
        found.push({ segment, a: Math.min(a, b), b: Math.max(a, b), span, seen: getSelection().toString().length });
    }
    return found;
}"""


def texts(seed: int) -> list[str]:
    dice = random.Random(seed)
    rows = ["".join(dice.choice(PIECES) for _ in range(dice.randint(1, 40))) for _ in range(24)]
    return [row if row.strip() else row + "x" for row in rows]


def units(text: str) -> list[int]:
    """The code point that each UTF-16 unit belongs to; one more at the end."""
    places = [i for i, character in enumerate(text) for _ in range(2 if ord(character) > 0xFFFF else 1)]
    return [*places, len(text)]


def test_no_selection_is_off_by_one(open_page):
    project = world.news(frozen=True, segments=world.document_segments(texts(7)))
    page, assignment = open_first_task(open_page, project)
    segments = assignment.group.document.source_text.segments
    value = page.evaluate(PICK, [SELECTIONS, 20])

    spans, wrong = 0, []
    for item in value:
        text, span = segments[item["segment"]]["text"], item["span"]
        place = units(text)
        first, last = place[item["a"]], place[item["b"]]
        if item["b"] and item["b"] < len(place) - 1 and place[item["b"]] == place[item["b"] - 1]:
            last += 1  # a pair that was cut in two is taken whole
        if span is None:
            if item["a"] < item["b"] and text[first:last].strip(BLANKS):
                wrong.append((item, "nothing was taken of words"))
            continue
        spans += 1
        try:
            check_quote(check_span(span, "spans[0]"), "spans[0]", segments)
        except PayloadRefused as error:
            wrong.append((item, str(error)))
            continue
        if not first <= span["start"] < span["end"] <= last:
            wrong.append((item, f"outside of {first}..{last}"))
        elif text[first : span["start"]].strip(BLANKS):
            wrong.append((item, "words were left out in front"))
        elif text[span["end"] : last].strip(BLANKS):
            wrong.append((item, "words were left out behind"))
    print(f"{len(value)} selections, {spans} spans, {len(wrong)} off")
    assert len(value) == SELECTIONS and spans > SELECTIONS * 0.8
    assert wrong == []

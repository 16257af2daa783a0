import assert from "node:assert/strict";
import { test } from "node:test";

import { toPoints, toRange, toSpan, toUnits, whole } from "../../static/js/offsets.js";

const EMOJI = "The 👩‍👩‍👧 ferry 🚢 left at 🇳🇴 noon";

test("code points are counted, not UTF-16 units", () => {
  const at = EMOJI.indexOf("left");
  assert.equal(toPoints(EMOJI, at), [...EMOJI.slice(0, at)].length);
  assert.equal(toUnits(EMOJI, toPoints(EMOJI, at)), at);
  assert.notEqual(toPoints(EMOJI, at), at);
});

test("a selection keeps its words and loses the space around them", () => {
  const from = EMOJI.indexOf(" ferry");
  const span = toSpan(EMOJI, 3, from, EMOJI.indexOf("left"));
  assert.deepEqual(span, { segment: 3, start: 10, end: 17, quote: "ferry 🚢" });
  assert.equal([...EMOJI].slice(span.start, span.end).join(""), span.quote);
});

test("a selection through the middle of a character takes the whole character", () => {
  const at = EMOJI.indexOf("🚢");
  assert.deepEqual(whole(EMOJI, at + 1, at + 1 + 5), { from: at, to: at + 6 });
  assert.equal(toSpan(EMOJI, 0, at + 1, at + 2).quote, "🚢");
});

test("nothing but space is no selection", () => {
  assert.equal(toSpan("one  two", 0, 3, 5), null);
  assert.equal(toSpan("one", 0, 2, 2), null);
});

test("CR LF, combining marks and NFD text keep their offsets", () => {
  const text = "cafe\u0301\r\nnext 🙂 line";
  const span = toSpan(text, 0, text.indexOf("next"), text.length);
  assert.deepEqual(span, { segment: 0, start: 7, end: 18, quote: "next 🙂 line" });
});

test("a stored selection finds its place again, and only where its words are", () => {
  const span = toSpan(EMOJI, 0, EMOJI.indexOf("noon"), EMOJI.length);
  assert.deepEqual(toRange(EMOJI, span), { from: EMOJI.indexOf("noon"), to: EMOJI.length });
  assert.equal(toRange(EMOJI, { ...span, quote: "moon" }), null);
});

test("10,000 random selections round-trip", () => {
  const alphabet = ["a", " ", "é", "e\u0301", "🙂", "👨‍👩‍👧", "🇳🇴", "\r\n", "ط", "\u200f", "字"];
  let seed = 7;
  const random = (n) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % n;
  };
  for (let round = 0; round < 10000; round += 1) {
    const text = Array.from({ length: 1 + random(30) }, () => alphabet[random(alphabet.length)]).join("");
    const from = random(text.length + 1);
    const span = toSpan(text, 0, from, from + random(text.length - from + 1));
    if (!span) continue;
    assert.equal([...text].slice(span.start, span.end).join(""), span.quote);
    const range = toRange(text, span);
    assert.equal(text.slice(range.from, range.to), span.quote);
  }
});

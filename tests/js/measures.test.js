import assert from "node:assert/strict";
import { test } from "node:test";

import { bandInWords, countWords, lengthReport } from "../../static/js/measures.js";

const SHORT = { of: "relevant_words", low: 0.045, high: 0.06 };

test("words are what Python's str.split() gives", () => {
  assert.equal(countWords(""), 0);
  assert.equal(countWords("  one two\n\tthree "), 3);
  assert.equal(countWords("one\u001ctwo\u0085three\u00a0four\u3000five"), 5);
  assert.equal(countWords("one\ufefftwo\u200bthree"), 1); // Python splits at neither
});

test("the band is a share of the marked words, in whole words", () => {
  assert.deepEqual(bandInWords(SHORT, 494), { low: 23, high: 29 });
  assert.deepEqual(bandInWords({ of: "words", low: 51, high: 100 }, 0), { low: 51, high: 100 });
  assert.deepEqual(bandInWords({ of: "words", low: 50.5, high: 99.5 }, 0), { low: 51, high: 99 });
  assert.equal(bandInWords(SHORT, 0), null);
  assert.deepEqual(bandInWords(SHORT, 5), { low: 1, high: 1 }); // never an empty band
});

test("before anything is marked the report says so", () => {
  assert.equal(lengthReport("five words are written here", 0, SHORT).place, "unmarked");
});

test("over, under and in count whole words", () => {
  const text = (n) => Array(n).fill("w").join(" ");
  assert.deepEqual(lengthReport(text(33), 494, SHORT).by, 4);
  assert.equal(lengthReport(text(33), 494, SHORT).place, "over");
  assert.equal(lengthReport(text(22), 494, SHORT).place, "under");
  assert.equal(lengthReport(text(23), 494, SHORT).place, "in");
  assert.equal(lengthReport(text(29), 494, SHORT).place, "in");
  assert.equal(lengthReport("", 494, SHORT).place, "empty");
  assert.equal(lengthReport(text(9), 494, null).place, "none");
  assert.equal(lengthReport(text(10), 200, SHORT).ratio, 0.05);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  addSpan,
  listRows,
  moveWords,
  openSegments,
  packSegments,
  removeSpan,
  wordPlaces,
} from "../../static/js/spans.js";

test("runs become inclusive pairs, single segments stay numbers", () => {
  assert.deepEqual(packSegments([5, 0, 2, 1, 2]), [[0, 2], 5]);
  assert.deepEqual(packSegments([]), []);
  assert.deepEqual(openSegments([[0, 2], 5], 10), [0, 1, 2, 5]);
});

test("segments beyond the source are left out", () => {
  assert.deepEqual(openSegments([[8, 12], -1, 3], 10), [3, 8, 9]);
});

test("selections that touch become one, others stay", () => {
  const text = "one two three four";
  const quoteOf = (_, start, end) => text.slice(start, end);
  const far = { segment: 1, start: 0, end: 3, quote: "zzz" };
  let spans = addSpan([far], { segment: 0, start: 4, end: 7, quote: "two" }, quoteOf);
  spans = addSpan(spans, { segment: 0, start: 6, end: 13, quote: "o three" }, quoteOf);
  assert.deepEqual(spans, [{ segment: 0, start: 4, end: 13, quote: "two three" }, far]);
  assert.deepEqual(removeSpan(spans, spans[0]), [far]);
});

test("words of scripts that write none apart are chosen one by one, marks too", () => {
  const text = "iPhone 讨论了预算。ok";
  const parts = wordPlaces(text).map(([start, end]) => text.slice(start, end));
  assert.deepEqual(parts, ["iPhone", "讨论", "了", "预算", "。", "ok"]);
  assert.deepEqual(wordPlaces("a  b."), [
    [0, 1],
    [3, 5],
  ]);
});

test("words are chosen with the arrows", () => {
  assert.deepEqual(wordPlaces("a  bc 🙂"), [
    [0, 1],
    [3, 5],
    [6, 8],
  ]);
  let choice = moveWords(3, null, 1, false);
  assert.deepEqual(choice, { from: 0, to: 0 });
  choice = moveWords(3, choice, 1, false);
  choice = moveWords(3, choice, 1, true);
  assert.deepEqual(choice, { from: 1, to: 2 });
  assert.deepEqual(moveWords(3, choice, 1, true), { from: 1, to: 2 });
  assert.deepEqual(moveWords(3, choice, -1, true), { from: 1, to: 1 });
  assert.equal(moveWords(0, null, 1, false), null);
});

test("the list of step 3 follows the source", () => {
  const rows = listRows([2, 0], [{ segment: 0, start: 4, end: 5, quote: "x" }], ["zero", "one", "two"]);
  assert.deepEqual(
    rows.map((row) => [row.segment, row.quote]),
    [
      [0, "zero"],
      [0, "x"],
      [2, "two"],
    ],
  );
});

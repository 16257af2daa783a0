import assert from "node:assert/strict";
import { test } from "node:test";

import { chapterInView } from "../../static/js/report-contents.js";

test("the last chapter that has begun is being read", () => {
  assert.equal(chapterInView([-900, -100, 200, 700], 270, false), 2);
  assert.equal(chapterInView([-900, -100, 300, 700], 270, false), 1);
});

test("before the first chapter it is the first, at the end the last", () => {
  assert.equal(chapterInView([400, 900], 270, false), 0);
  assert.equal(chapterInView([-900, 600, 800], 270, true), 2);
});

test("a page without chapters has none", () => {
  assert.equal(chapterInView([], 270, false), -1);
});

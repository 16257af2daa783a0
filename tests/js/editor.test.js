import assert from "node:assert/strict";
import { test } from "node:test";

import { change } from "../../static/js/editor.js";

const applied = (before, [from, to, put]) => before.slice(0, from) + put + before.slice(to);

test("only what changed is changed, so that marks on the rest stay", () => {
  assert.deepEqual(change("one two", "one new two"), [4, 4, "new "]);
  assert.deepEqual(change("one two", "one"), [3, 7, ""]);
  assert.deepEqual(change("same", "same"), [4, 4, ""]);
  assert.deepEqual(change("", "all"), [0, 0, "all"]);
  assert.deepEqual(change("aaa", "aa"), [2, 3, ""]);
});

test("the change gives the new text, whatever it is", () => {
  const texts = ["", "a", "aa", "ab", "ba", "aba", "🚢", "🚢🚢", "x🚢y", "the boat", "the night boat"];
  for (const before of texts) for (const after of texts) assert.equal(applied(before, change(before, after)), after);
});

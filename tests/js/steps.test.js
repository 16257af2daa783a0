import assert from "node:assert/strict";
import { test } from "node:test";

import {
  EMPTY,
  both,
  complete,
  firstOpen,
  missing,
  stepStates,
  withMarks,
  withSummary,
} from "../../static/js/steps.js";

const DONE = {
  summary: "Text.",
  title: "T",
  relevant_segments: [0],
  spans: [],
  confirmed_segments: true,
  reread: true,
};

test("everything to do is named in the order of the steps", () => {
  assert.deepEqual(missing(EMPTY, false), ["todo-choice", "todo-summary", "todo-mark", "todo-reread", "todo-title"]);
  assert.deepEqual(missing({ ...DONE, confirmed_segments: false, title: "  " }, true), ["todo-confirm", "todo-title"]);
  assert.deepEqual(missing(DONE, true), []);
});

test("the later steps are locked until topics and speakers are chosen", () => {
  assert.deepEqual(stepStates(DONE, false), ["open", "locked", "locked", "locked"]);
  assert.deepEqual(stepStates(DONE, true), ["done", "done", "done", "done"]);
  assert.equal(firstOpen(stepStates({ ...DONE, confirmed_segments: false }, true)), 3);
  assert.equal(firstOpen(stepStates(DONE, true)), 4);
});

test("a suggested text is open to be edited until it is changed", () => {
  assert.equal(firstOpen(stepStates({ ...DONE, summary: "Suggested." }, true, "Suggested.")), 2);
  assert.deepEqual(stepStates({ ...DONE, summary: "Edited." }, true, "Suggested."), ["done", "done", "done", "done"]);
  assert.deepEqual(stepStates(EMPTY, true, ""), ["done", "open", "open", "open"]);
});

test("a changed text must be read again, the same text need not", () => {
  assert.equal(withSummary(DONE, "Other.").reread, false);
  assert.equal(withSummary(DONE, "Text."), DONE);
  assert.equal(withSummary(DONE, "Other.").confirmed_segments, true);
});

test("changed marks must be confirmed again", () => {
  assert.equal(withMarks(DONE, [1], []).confirmed_segments, false);
});

test("both texts are kept one below the other", () => {
  const joined = both(DONE, { ...DONE, summary: "Theirs.", title: "Other" });
  assert.equal(joined.summary, "Text.\n\nTheirs.");
  assert.equal(joined.title, "T");
  assert.equal(joined.reread, false);
});

test("an old draft is completed, never refused", () => {
  assert.deepEqual(complete({ summary: "A" }), { ...EMPTY, summary: "A" });
});

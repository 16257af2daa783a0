import assert from "node:assert/strict";
import test from "node:test";

import {
  OMISSION,
  addMark,
  choose,
  levelOf,
  nextStep,
  parseMarks,
  removeMark,
  wordsBetween,
  writeMarks,
} from "../../static/js/marks.js";

const wrong = { start: 4, end: 9, category: "accuracy", severity: "major" };
const missing = { category: OMISSION, severity: "minor" };

test("an answer is empty until something is marked or nothing is said to be wrong", () => {
  assert.equal(writeMarks([], false), "");
  assert.equal(writeMarks([], true), "[]");
  assert.deepEqual(parseMarks(writeMarks([wrong, missing], false)), [wrong, missing]);
  assert.deepEqual([parseMarks(""), parseMarks("x"), parseMarks("{}")], [[], [], []]);
});

test("marks stand in the order of the text, omissions last, and the same words once in a category", () => {
  const first = { start: 0, end: 3, category: "fluency", severity: "minor" };
  const marks = addMark(addMark(addMark([], missing), wrong), first);
  assert.deepEqual(marks, [first, wrong, missing]);
  assert.deepEqual(addMark(marks, { ...wrong, severity: "minor" })[1].severity, "minor");
  assert.equal(addMark(marks, { ...wrong, category: "fluency" }).length, 4);
  assert.deepEqual(removeMark(marks, wrong), [first, missing]);
});

test("a category is chosen first where there are any, then the severity", () => {
  const pending = { place: { start: 1, end: 2 } };
  assert.equal(nextStep(pending, ["accuracy"]), "category");
  const next = choose(pending, ["accuracy"], "accuracy").pending;
  assert.equal(nextStep(next, ["accuracy"]), "severity");
  assert.deepEqual(choose(next, ["accuracy"], "major"), {
    pending: null,
    mark: { start: 1, end: 2, category: "accuracy", severity: "major" },
  });
  assert.deepEqual(choose(pending, [], "minor").mark, { start: 1, end: 2, severity: "minor" });
  assert.deepEqual(choose({ place: {}, category: OMISSION }, ["accuracy"], "minor").mark, missing);
  assert.equal(nextStep(null, []), null);
});

test("the mildest severity looks mildest and the gravest gravest, however many there are", () => {
  assert.deepEqual(
    ["a", "b", "c"].map((name) => levelOf(["a", "b", "c"], name)),
    [1, 2, 3],
  );
  assert.deepEqual([levelOf(["a", "b"], "b"), levelOf(["a"], "a"), levelOf(["a", "b"], "unknown")], [3, 1, 1]);
});

test("a selection that cuts words touches them", () => {
  const places = [
    [0, 3],
    [4, 9],
    [10, 12],
  ];
  assert.deepEqual(wordsBetween(places, 2, 5), { from: 0, to: 1 });
  assert.deepEqual(wordsBetween(places, 4, 9), { from: 1, to: 1 });
  assert.equal(wordsBetween(places, 3, 4), null);
});

// Answers that hold several things: texts in places, and values that exclude each other.
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  joinPlaces,
  joinValues,
  keepApart,
  pressLetter,
  putLetter,
  splitPlaces,
  splitValues,
} from "../../static/js/answer-values.js";

test("an arrangement is an answer once every place has its text", () => {
  assert.equal(joinPlaces(["a", ""]), "");
  assert.equal(joinPlaces(["a", "c"]), "a>c");
  assert.equal(joinPlaces([]), "");
  assert.deepEqual(splitPlaces("b>a", 2), ["b", "a"]);
  assert.deepEqual(splitPlaces("", 3), ["", "", ""]);
});

test("a text is in one place only", () => {
  assert.deepEqual(putLetter(["a", "b", ""], "a", 2), ["", "b", "a"]);
  assert.deepEqual(putLetter(["a", "b"], "c", 0), ["c", "b"]);
});

test("letters fill the free places in turn, and leave them again", () => {
  let letters = ["", "", ""];
  for (const letter of ["c", "a", "b"]) letters = pressLetter(letters, letter);
  assert.deepEqual(letters, ["c", "a", "b"]);
  assert.equal(pressLetter(["a", "b"], "c"), null);
  assert.deepEqual(pressLetter(letters, "a"), ["c", "", "b"]);
  assert.deepEqual(pressLetter(["c", "", "b"], "a"), ["c", "a", "b"]);
});

test("none and the other values exclude each other", () => {
  assert.deepEqual(keepApart(["x", "y", "none"], "none"), ["none"]);
  assert.deepEqual(keepApart(["none", "x"], "x"), ["x"]);
  assert.deepEqual(keepApart(["x", "y"], "y"), ["x", "y"]);
  assert.equal(joinValues(["x", "y"]), "x; y");
  assert.deepEqual(splitValues(""), []);
  assert.deepEqual(splitValues("x; y"), ["x", "y"]);
});

import assert from "node:assert/strict";
import test from "node:test";
import {
  both,
  complete,
  missing,
  normalize,
  remark,
  remarks,
  withAnswer,
} from "../../static/js/aggregation-payload.js";

test("a payload always has two boxes and a tick", () => {
  assert.deepEqual(complete({}), { answers: ["", ""], cannot: false });
  assert.deepEqual(complete({ answers: ["the towns"], cannot: true }), { answers: ["the towns", ""], cannot: true });
});

test("one phrase or the tick is enough, blanks are not", () => {
  assert.deepEqual(missing(complete({ answers: [" "] })), ["todo-answer"]);
  assert.deepEqual(missing(complete({ answers: ["", "the towns"] })), []);
  assert.deepEqual(missing(complete({ cannot: true })), []);
});

test("a changed answer makes a new payload, the same one does not", () => {
  const payload = complete({ answers: ["a"] });
  assert.equal(withAnswer(payload, 0, "a"), payload);
  assert.deepEqual(withAnswer(payload, 1, "b").answers, ["a", "b"]);
});

test("answers are compared as the server compares them", () => {
  assert.equal(normalize(" The two  French cities. "), "french cities");
  assert.equal(normalize("the"), "the");
  assert.equal(normalize("SIX"), "six");
});

test("remarks name the type alone, a list and a sentence", () => {
  for (const [answer, expected] of [
    ["The three people", "hint-type"],
    ["the organisations.", "hint-type"],
    ["the mayor and the teacher", "hint-list"],
    ["the ferry/cargo firms", "hint-list"],
    ["they are rivals", "hint-sentence"],
    ["the firms have raised fares", "hint-sentence"],
    ["the bandits", ""],
    ["", ""],
  ])
    assert.equal(remark(answer, "people"), expected, answer);
});

test("a second phrase like the first, and a tick beside a phrase, are pointed out", () => {
  const payload = { answers: ["The towns", "the two towns."], cannot: true };
  assert.deepEqual(remarks(payload, "areas"), { answers: ["", "hint-same"], cannot: "hint-both" });
});

test("two drafts in one keep different phrases as far as they fit", () => {
  const mine = complete({ answers: ["a", "b"] });
  assert.deepEqual(both(mine, complete({ answers: ["b", "c"], cannot: true })), { answers: ["a", "b"], cannot: true });
});

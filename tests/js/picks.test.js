import assert from "node:assert/strict";
import { test } from "node:test";

import { addOwn, checked, drop, matching, restored, reword, toggle } from "../../static/js/picks.js";

const CANDIDATES = ["night sailing", "fares", "charging mast"];

test("a candidate is picked and unpicked, up to the most", () => {
  let picks = toggle([], "fares", 2);
  picks = toggle(picks, "night sailing", 2);
  assert.equal(toggle(picks, "charging mast", 2), picks);
  assert.deepEqual(toggle(picks, "fares", 2), [{ text: "night sailing", candidate: "night sailing" }]);
});

test("a reworded candidate remembers where it came from", () => {
  const picks = reword(toggle([], "fares", 3), 0, "ticket fares");
  assert.deepEqual(checked(picks).chosen, [{ text: "ticket fares", candidate: "fares" }]);
  assert.deepEqual(toggle(picks, "fares", 3), []);
});

test("a typed text is one's own unless it is a candidate", () => {
  assert.deepEqual(addOwn([], " storm petrels ", CANDIDATES, 3).picks, [{ text: "storm petrels", candidate: null }]);
  assert.deepEqual(addOwn([], "FARES", CANDIDATES, 3).picks, [{ text: "fares", candidate: "fares" }]);
  const one = toggle([], "fares", 3);
  assert.equal(addOwn(one, "Fares", CANDIDATES, 3).why, "twice");
  assert.equal(addOwn(one, "boats", CANDIDATES, 1).why, "full");
  assert.equal(addOwn(one, "  ", CANDIDATES, 3).why, "empty");
});

test("what cannot be sent is said: twice the same, too few", () => {
  const picks = [
    { text: "fares", candidate: "fares" },
    { text: "Fares ", candidate: null },
  ];
  assert.equal(checked(picks).fault, "twice");
  assert.equal(checked([], 1).fault, "few");
  assert.equal(checked([{ text: "  ", candidate: null }], 0).chosen.length, 0);
  assert.deepEqual(drop(picks, 0), [picks[1]]);
});

test("the filter wants every typed word", () => {
  assert.deepEqual(matching(CANDIDATES, "n S"), ["night sailing", "charging mast"]);
  assert.deepEqual(matching(CANDIDATES, ""), CANDIDATES);
});

test("picks from an earlier visit come back if they still fit", () => {
  const stored = [
    { text: "ticket fares", candidate: "fares" },
    { text: "x", candidate: "gone" },
    { text: "own", candidate: null },
  ];
  assert.deepEqual(restored(stored, CANDIDATES, 3), [stored[0], stored[2]]);
  assert.deepEqual(restored("rubbish", CANDIDATES, 3), []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { outcome } from "../../static/js/inspect-outcome.js";

test("every part needs a verdict first", () => {
  assert.deepEqual(outcome(["accept", undefined, "reject", undefined], true), { id: "left", n: 2 });
});
test("the strictest verdict decides", () => {
  assert.equal(outcome(["accept", "accept"], false).id, "will-accept");
  assert.equal(outcome(["accept", "revise"], true).id, "will-revise");
  assert.equal(outcome(["revise", "reject", "accept"], true).id, "will-reject");
});
test("what is not accepted says why", () => {
  assert.equal(outcome(["revise"], false).id, "why");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { staysOpen, timeToRead } from "../../static/js/toasts.js";

test("a toast stays long enough to be read", () => {
  assert.equal(timeToRead("Saved."), 7000);
  assert.equal(timeToRead("x".repeat(200)), 18000);
});

test("warnings and errors stay until they are closed", () => {
  const classes = (...names) => ({ contains: (name) => names.includes(name) });
  assert.equal(staysOpen(classes("notice", "danger")), true);
  assert.equal(staysOpen(classes("notice", "warn")), true);
  assert.equal(staysOpen(classes("notice", "success")), false);
  assert.equal(staysOpen(classes("notice")), false);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { createMachine, readTable } from "../../static/js/machine.js";

const transition = readTable({
  off: { press: () => ({ state: { phase: "on" }, effects: [["light", "bright"], ["count"]] }) },
  on: { press: () => ({ state: { phase: "off" }, effects: [["dark"]] }) },
});

test("an event leads to the next phase and its effects are carried out in order", () => {
  const seen = [];
  const machine = createMachine({ state: { phase: "off" }, transition });
  machine.handle({ light: (how) => seen.push(how), count: () => seen.push(machine.state.phase) });
  machine.send({ type: "press" });
  assert.deepEqual(seen, ["bright", "on"]);
});

test("an event that the phase does not know changes nothing", () => {
  const machine = createMachine({ state: { phase: "off" }, transition });
  machine.send({ type: "pull" });
  assert.equal(machine.state.phase, "off");
});

test("an event sent by an effect is handled before the next effect, and in the new phase", () => {
  const seen = [];
  const machine = createMachine({ state: { phase: "off" }, transition });
  machine.handle({
    light: () => machine.send({ type: "press" }),
    dark: () => seen.push("dark"),
    count: () => seen.push("count"),
  });
  machine.send({ type: "press" });
  assert.deepEqual([seen, machine.state.phase], [["dark", "count"], "off"]);
});

test("an effect without a handler is named", () => {
  const machine = createMachine({ state: { phase: "off" }, transition });
  assert.throws(() => machine.send({ type: "press" }), /"light" of "press"/);
});

test("a later handler replaces the earlier one", () => {
  const seen = [];
  const machine = createMachine({ state: { phase: "on" }, transition });
  machine.handle({ dark: () => seen.push("first") });
  machine.handle({ dark: () => seen.push("second") });
  machine.send({ type: "press" });
  assert.deepEqual(seen, ["second"]);
});

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { later } from "../../static/js/later.js";

test("only the newest wish runs, once the hands rest", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const ran = [];
  const call = later((text) => ran.push(text), { timers: { setTimeout, clearTimeout } });
  call("a");
  mock.timers.tick(100);
  call("ab");
  mock.timers.tick(149);
  assert.deepEqual(ran, []);
  mock.timers.tick(1);
  assert.deepEqual(ran, ["ab"]);
  mock.timers.tick(1000);
  assert.deepEqual(ran, ["ab"]);
  mock.timers.reset();
});

test("it waits for an idle moment where the browser tells of one", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const ran = [];
  const idle = [];
  const call = later((text) => ran.push(text), {
    timers: { setTimeout, clearTimeout, requestIdleCallback: (run) => idle.push(run) },
  });
  call("a");
  mock.timers.tick(150);
  call("ab"); // typed before the idle moment came: that moment already counts the newest text, and it is counted once
  idle[0]();
  assert.deepEqual(ran, ["ab"]);
  mock.timers.tick(150);
  idle[1]();
  assert.deepEqual(ran, ["ab"]);
  mock.timers.reset();
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { createActivity } from "../../static/js/activity.js";

function setUp() {
  const page = { now: 0, step: "write", seen: true, said: [] };
  let due = null;
  const activity = createActivity({
    beat: (sign) => {
      page.said.push([page.now / 1000, sign.step, sign.active]);
    },
    step: () => page.step,
    visible: () => page.seen,
    clock: () => page.now,
    timers: {
      setTimeout: (run, delay) => {
        due = { run, at: page.now + delay };
        return due;
      },
      clearTimeout: () => {
        due = null;
      },
    },
  });
  const pass = (seconds) => {
    const end = page.now + seconds * 1000;
    while (due && due.at <= end) {
      const { run, at } = due;
      page.now = at;
      due = null;
      run();
    }
    page.now = end;
  };
  return { page, activity, pass };
}

test("a sign a minute while somebody is there, and a plain one when nobody touched the page", () => {
  const { page, activity, pass } = setUp();
  activity.start();
  pass(50);
  activity.touch();
  pass(130);
  assert.deepEqual(page.said, [
    [0, "write", false],
    [60, "write", true],
    [120, "write", false],
    [180, "write", false],
  ]);
});

test("the time before belongs to the step that was open", () => {
  const { page, activity, pass } = setUp();
  activity.start();
  pass(20);
  activity.touch();
  page.step = "mark";
  activity.moved();
  pass(2);
  page.step = "review"; // opened right after: no sign of its own
  activity.moved();
  activity.moved();
  assert.deepEqual(page.said, [
    [0, "write", false],
    [20, "write", true],
  ]);
  assert.equal(activity.step, "review");
});

test("a hidden page says nothing, and who comes back brings no time along", () => {
  const { page, activity, pass } = setUp();
  activity.start();
  pass(30);
  activity.touch();
  activity.left();
  page.seen = false;
  pass(600);
  page.seen = true;
  activity.back();
  assert.deepEqual(page.said, [
    [0, "write", false],
    [30, "write", true],
    [630, "write", false],
  ]);
});

test("after the task is handed in it is quiet", () => {
  const { page, activity, pass } = setUp();
  activity.start();
  activity.stop();
  activity.left();
  pass(300);
  assert.equal(page.said.length, 1);
});

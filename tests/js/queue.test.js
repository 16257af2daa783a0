import assert from "node:assert/strict";
import { test } from "node:test";

import { createQueue } from "../../static/js/queue.js";

function setUp(answers, kept = {}) {
  const seen = { sent: [], states: [], kept };
  let due = null;
  let keys = 0;
  const queue = createQueue({
    name: "7:t1",
    random: () => `key-${(keys += 1)}`,
    store: {
      read: (name) => seen.kept[name] ?? null,
      write: (name, value) => {
        seen.kept[name] = value;
      },
      remove: (name) => {
        delete seen.kept[name];
      },
    },
    send: async (body, key) => {
      seen.sent.push([body, key]);
      return answers.shift();
    },
    onState: (state) => seen.states.push(state),
    timers: {
      setTimeout: (run, delay) => {
        due = { run, delay };
        return due;
      },
      clearTimeout: () => {
        due = null;
      },
    },
  });
  return {
    queue,
    seen,
    tick: async () => {
      const now = due;
      due = null;
      await now.run();
      return now.delay;
    },
    waits: () => due?.delay ?? null,
  };
}
const sent = { ok: true, kind: "ok", data: {} };
const lost = { ok: false, kind: "offline" };

test("what could not be handed in is handed in again under the same key", async () => {
  const { queue, seen, tick } = setUp([lost, { ok: false, kind: "broken" }, { ok: false, kind: "session" }, sent]);
  await queue.add("text");
  assert.deepEqual([await tick(), await tick(), await tick()], [5000, 10000, 20000]);
  assert.deepEqual(seen.sent, Array(4).fill(["text", "key-1"]));
  assert.equal(seen.states.at(-1), "sent");
  assert.deepEqual(seen.kept, {});
  await queue.now();
  assert.equal(seen.sent.length, 4);
});

test("a page opened again goes on with the same key", async () => {
  const first = setUp([lost]);
  await first.queue.add("text");
  const again = setUp([sent], first.seen.kept);
  assert.equal(again.queue.left(), "text");
  await again.queue.add("text");
  assert.deepEqual(again.seen.sent, [["text", "key-1"]]);
});

test("a double click sends once", async () => {
  const { queue, seen } = setUp([sent]);
  await Promise.all([queue.add("text"), queue.add("text"), queue.now()]);
  assert.equal(seen.sent.length, 1);
});

test("a changed text is not handed in by itself, and gets a key of its own", async () => {
  const { queue, seen, waits } = setUp([lost, sent]);
  await queue.add("text");
  assert.equal(queue.cancel(), true);
  assert.equal(waits(), null);
  assert.equal(queue.left(), null);
  await queue.add("other text");
  assert.deepEqual(seen.sent.at(-1), ["other text", "key-2"]);
});

test("a refusal is said and not repeated", async () => {
  const { queue, seen, waits } = setUp([{ ok: false, kind: "conflict" }]);
  await queue.add("text");
  assert.deepEqual([seen.states.at(-1), waits(), queue.left()], ["refused", null, null]);
});

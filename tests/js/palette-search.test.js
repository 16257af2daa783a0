import assert from "node:assert/strict";
import { test } from "node:test";

import { createSearch, listHits, moveTo } from "../../static/js/palette-search.js";

function scene(answers) {
  const timers = new Map();
  const log = [];
  let number = 0;
  const search = createSearch({
    ask: (text) => {
      log.push(`ask ${text}`);
      return answers[text];
    },
    later(run) {
      number += 1;
      timers.set(number, run);
      return number;
    },
    clear: (timer) => timers.delete(timer),
    onHits: (groups, text) => log.push(`hits ${text} ${listHits(groups).length}`),
    onFailure: () => log.push("failure"),
  });
  const rest = async () => {
    const due = [...timers.values()];
    timers.clear();
    for (const run of due) await run();
  };
  return { search, log, rest };
}
const hits = (n) => ({ groups: [{ label: "Pages", hits: Array.from({ length: n }, () => ({})) }] });

test("the arrows go round, and there is nowhere to go without hits", () => {
  assert.equal(moveTo("ArrowDown", -1, 3), 0);
  assert.equal(moveTo("ArrowDown", 2, 3), 0);
  assert.equal(moveTo("ArrowUp", 0, 3), 2);
  assert.equal(moveTo("ArrowUp", -1, 3), 2);
  assert.equal(moveTo("Home", 2, 3), 0);
  assert.equal(moveTo("End", 0, 3), 2);
  assert.equal(moveTo("ArrowDown", 0, 0), -1);
});

test("the server is asked once typing rests", async () => {
  const { search, log, rest } = scene({ ro: Promise.resolve(hits(2)) });
  search.typed("r");
  search.typed("ro");
  await rest();
  assert.deepEqual(log, ["ask ro", "hits ro 2"]);
});

test("an answer to an older text is dropped", async () => {
  let answerOld;
  const old = new Promise((resolve) => (answerOld = resolve));
  const { search, log, rest } = scene({ r: old, ro: Promise.resolve(hits(1)) });
  const first = search.now("r");
  search.typed("ro");
  answerOld(hits(5));
  await first;
  await rest();
  assert.deepEqual(log, ["ask r", "ask ro", "hits ro 1"]);
});

test("a failure is said, and closing drops what is on its way", async () => {
  const { search, log, rest } = scene({ x: Promise.reject(new Error("503")), y: Promise.resolve(hits(1)) });
  search.typed("x");
  await rest();
  assert.deepEqual(log, ["ask x", "failure"]);
  const under = search.now("y");
  search.stop();
  await under;
  assert.deepEqual(log, ["ask x", "failure", "ask y"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { pauseAfter, sentence, shareOf, start } from "../../static/js/job-progress.js";
import { tooLarge } from "../../static/js/upload.js";

const WORDS = { of: "{done} of {total}", done: "{done} done", silent: "No answer" };

function fakePart() {
  const parts = {
    "[data-state]": {},
    "[data-count]": {},
    "[data-note]": {},
    "[data-outlook]": {},
    progress: {
      removeAttribute(name) {
        delete this[name];
      },
    },
  };
  return { dataset: { job: "/jobs/1/state/" }, querySelector: (name) => parts[name], parts };
}

async function run(answers) {
  const part = fakePart();
  const queue = [];
  let reloaded = 0;
  start(part, WORDS, {
    fetch: async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    later: (step) => queue.push(step),
    reload: () => {
      reloaded += 1;
    },
  });
  while (queue.length && answers.length) await queue.shift()();
  return { part, reloaded, waiting: queue.length };
}
const ok = (state) => ({ ok: true, json: async () => state });

test("a job's share is known only with a total, and never above one", () => {
  assert.equal(shareOf({ done: 3, total: 4 }), 0.75);
  assert.equal(shareOf({ done: 9, total: 4 }), 1);
  assert.equal(shareOf({ done: 3, total: null }), null);
});

test("it asks ever more seldom, at most every five seconds", () => {
  assert.ok(pauseAfter(0) < 1000 && pauseAfter(3) > pauseAfter(2));
  assert.equal(pauseAfter(100), 5000);
});

test("what is done is said in words", () => {
  assert.equal(sentence({ done: 3, total: 4 }, WORDS, String), "3 of 4");
  assert.equal(sentence({ done: 3, total: null }, WORDS, String), "3 done");
  assert.equal(sentence({ done: 0, total: null }, WORDS, String), "");
});

test("progress is shown while the job runs, and the page is loaded again when it has ended", async () => {
  const { part, reloaded } = await run([
    ok({ ended: false, label: "running", done: 1, total: 2, note: "storing" }),
    ok({ ended: true }),
  ]);
  assert.equal(part.parts["[data-state]"].textContent, "running");
  assert.equal(part.parts["[data-note]"].textContent, "storing");
  assert.equal(part.parts.progress.value, 0.5);
  assert.equal(reloaded, 1);
});

test("no answer, a refusal or a sign-in page keeps asking and says so", async () => {
  for (const bad of [new Error("offline"), { ok: false, status: 500 }, { ok: true, redirected: true }]) {
    const { part, reloaded, waiting } = await run([bad]);
    assert.equal(part.parts["[data-note]"].textContent, "No answer");
    assert.equal(reloaded, 0);
    assert.equal(waiting, 1);
  }
});

test("a file above the limit is known before it is sent", () => {
  assert.ok(tooLarge(11, 10) && !tooLarge(10, 10));
});
